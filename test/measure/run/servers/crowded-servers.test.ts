import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCleanup } from '../../../../src/base/process/cleanup.ts';
import { startReaper } from '../../../../src/base/process/reaper.ts';
import { armsWithCopies } from '../../../../src/measure/plan/own-servers.ts';
import { runFolderAt } from '../../../../src/measure/run/run-folder.ts';
import { armDatabases } from '../../../../src/measure/run/servers/arm-databases.ts';
import { openDatabase, type SessionDatabase } from '../../../../src/measure/run/servers/session-database.ts';
import type { RunWarning } from '../../../../src/measure/run/warnings.ts';
import { chooseStack, type StackChoice } from '../../../../src/measure/stack/stack.ts';
import { parseScenario } from '../../../../src/scenario/load-scenario.ts';
import { withPostgres } from '../../stack/postgres.ts';

// In MB. One copy alone does not fit, as of data that are larger than the memory that a server has for them.
const buffers = 16;
const table = 1.5 * buffers;
const fill = resolve('test/bench/truth/hot-set/fill.mjs');

interface Opened {
  readonly arms: ReturnType<typeof armsWithCopies>;
  readonly database: SessionDatabase;
  readonly urls: readonly string[];
  readonly warnings: readonly RunWarning[];
}

/** A round's copies of a table, and the servers that they are on. */
async function openRound(variants: string, choice: StackChoice = { kind: 'embedded' }): Promise<Opened> {
  const settings = choice.kind === 'external' ? '{}' : `{ shared_buffers: ${buffers}MB }`;
  const scenario = parseScenario(
    `title: crowded
target: { command: "true" }
dataset: { command: node ${fill} ${table} }
stack: { postgres: { settings: ${settings} } }
variants: { Control: {}, ${variants} }
control: Control
load: { connections: 1, requests: [{ path: / }] }
`,
    'test/fixtures/services/crowded.yaml',
  );
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-crowded-'));
  mkdirSync(join(folder, 'logs'));
  const reaper = startReaper();
  const cleanup = createCleanup();
  onTestFinished(async () => {
    await cleanup.run();
    await reaper.close();
    rmSync(folder, { recursive: true });
  });
  const arms = armsWithCopies(scenario);
  const warnings: RunWarning[] = [];
  const database = await openDatabase(
    {
      scenario,
      arms,
      stack: await chooseStack(choice, scenario),
      folder: runFolderAt(folder),
      emit: (event) => event.kind === 'warning' && warnings.push(event.warning),
    },
    { reaper, cleanup, signal: new AbortController().signal, failure: new AbortController() },
  );
  await database.databases.open(1);
  const urls: string[] = [];
  for (const [index, arm] of arms.entries()) urls.push((await database.databases.copy(`pgsweep_a${index}`, arm)).url);
  return { arms, database, urls, warnings };
}

const rows = Math.ceil((table * 2 ** 20 * 7) / 8192);
const READS = 200;
const TURNS = 60;
const READ_SQL = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT sum(length(payload)) FROM hot WHERE id = ANY($1)`;

/** Blocks that were read from outside of shared_buffers for each random read by key, by arm, when the arms have turns. */
async function blocksPerRead(urls: readonly string[]): Promise<number[]> {
  const clients = urls.map((connectionString) => new pg.Client({ connectionString }));
  await Promise.all(clients.map((client) => client.connect()));
  const blocks = clients.map(() => 0);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [arm, client] of clients.entries()) {
      const ids = Array.from({ length: READS }, () => 1 + Math.floor(Math.random() * rows));
      const { rows: found } = await client.query(READ_SQL, [ids]);
      const { Plan: plan } = found[0]['QUERY PLAN'][0];
      // The first half warms.
      if (turn >= TURNS / 2) blocks[arm] = (blocks[arm] ?? 0) + plan['Shared Read Blocks'];
    }
  }
  await Promise.all(clients.map((client) => client.end()));
  return blocks.map((count) => count / (READS * (TURNS / 2)));
}

/** The log of a ratio. The standard error of 6,000 reads against 6,000 is 0.024; a shared server makes it 0.6. */
const ALIKE = 0.15;

describe('a table of 1.5 times shared_buffers, read at random', () => {
  it('is as cold for the control and its twin as for a variant whose setting needs a restart and changes nothing', async () => {
    const { database, urls } = await openRound('Own: { settings: { max_connections: 501 } }');
    expect(database.postgres.ownServers).toBe('variants');
    const [control = 0, twin = 0, own = 0] = await blocksPerRead(urls);
    // A third of the table does not fit.
    expect(own).toBeGreaterThan(0.25);
    expect(Math.abs(Math.log(control / own))).toBeLessThan(ALIKE);
    expect(Math.abs(Math.log(twin / own))).toBeLessThan(ALIKE);
  });

  it('has servers of its own for each arm where nobody asked: no arm has it colder than if it were alone', async () => {
    const { database, urls, warnings } = await openRound('Same: {}');
    expect(database.postgres.ownServers).toBe('shared buffers');
    expect(warnings).toEqual([]);
    expect(database.servers.running()).toHaveLength(3);
    expect(await database.databases.crowding()).toBeNull();
    const together = await blocksPerRead(urls);
    const [alone = 0] = await blocksPerRead(urls.slice(0, 1));
    for (const blocks of together) expect(Math.abs(Math.log(blocks / alone))).toBeLessThan(ALIKE);
  });
});

describe('servers of their own', () => {
  it('crowd the memory of the machine where it has no room for all copies and shared_buffers together', async () => {
    const { arms, database } = await openRound('Own: { settings: { max_connections: 501 } }');
    const MB = 2 ** 20;
    // Of each of three: a copy of about 31 MB, of which the catalogs are 7, and 16 MB of shared_buffers.
    for (const [memoryBytes, crowded] of [
      [200 * MB, null],
      [110 * MB, 'memory'],
    ] as const) {
      const databases = armDatabases(database.servers, () => 'pgsweep_template', { memoryBytes });
      for (const [index, arm] of arms.entries()) await databases.copy(`pgsweep_m${memoryBytes}_${index}`, arm);
      expect(await databases.crowding()).toBe(crowded);
    }
  });
});

describe('on an external server', () => {
  const server = withPostgres({ settings: { shared_buffers: `${buffers}MB` } });

  it('arms share it, which is said, and their copies crowd each other, so that they have whole slices', async () => {
    const { database, warnings } = await openRound('Same: {}', {
      kind: 'external',
      postgresUrl: server.postgres.adminUrl(),
    });
    expect(database.postgres.ownServers).toBeNull();
    expect(warnings).toMatchObject([{ kind: 'server-is-shared', lacks: 'external', room: { copies: 3 } }]);
    expect(await database.databases.crowding()).toBe('shared buffers');
  });
});
