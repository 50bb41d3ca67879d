import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cleanup, createCleanup } from '../../../../src/base/process/cleanup.ts';
import { type Reaper, startReaper } from '../../../../src/base/process/reaper.ts';
import { isRunning } from '../../../../src/base/process/reaper-processes.mjs';
import { armsWithCopies } from '../../../../src/measure/plan/own-servers.ts';
import { SETTLE_MS } from '../../../../src/measure/probe/meter/database-counters.ts';
import { runFolderAt } from '../../../../src/measure/run/run-folder.ts';
import {
  housekeepingOf,
  openDatabase,
  type SessionDatabase,
} from '../../../../src/measure/run/servers/session-database.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { chooseStack } from '../../../../src/measure/stack/stack.ts';
import { parseScenario } from '../../../../src/scenario/load-scenario.ts';
import { untilCheckpointerRests } from '../../stack/postgres.ts';

const scenario = parseScenario(
  `title: servers
target: { command: "true" }
dataset: { sql: [schema.sql] }
variants:
  Control: {}
  Database: { settings: { work_mem: 8MB } }
  Small: { settings: { shared_buffers: 16MB } }
  Small too: { settings: { shared_buffers: 16MB, work_mem: 8MB } }
control: Control
load: { connections: 1, requests: [{ path: / }] }
`,
  'test/fixtures/services/servers.yaml',
);
const arms = armsWithCopies(scenario);
const names = ['control', 'twin', 'database', 'small', 'small_too'];

let folder: string;
let reaper: Reaper;
let cleanup: Cleanup;
let failure: AbortController;
let database: SessionDatabase;
const pids = new Set<number>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-session-'));
  mkdirSync(join(folder, 'logs'));
  reaper = startReaper();
  cleanup = createCleanup();
  failure = new AbortController();
  const stack = await chooseStack({ kind: 'embedded' }, scenario);
  const options = { scenario, arms, stack, folder: runFolderAt(folder), emit: () => {} };
  database = await openDatabase(options, { reaper, cleanup, signal: new AbortController().signal, failure });
});
afterAll(async () => {
  await cleanup.run();
  await reaper.close();
  rmSync(folder, { recursive: true });
});

/** The URLs of a round's copies, by name. */
async function openRound(round: number, order = arms): Promise<Map<string, string>> {
  await database.databases.open(round, order);
  for (const { postgres } of database.servers.running()) pids.add(postgres.pid ?? 0);
  const urls = new Map<string, string>();
  for (const [index, arm] of arms.entries()) {
    const name = names[index] ?? '';
    urls.set(name, (await database.databases.copy(name, arm)).url);
  }
  return urls;
}

const show = async (url: string | undefined, setting: string): Promise<unknown> =>
  (await query(url ?? '', `SHOW ${setting}`))[0]?.[setting];

const alive = (): number[] => [...pids].filter((pid) => isRunning({ pid, group: false }));

describe('servers of a round', () => {
  it('do not run between rounds; each arm has one, the control and its twin too', async () => {
    expect(database.servers.running()).toEqual([]);
    const urls = await openRound(1);
    expect(database.servers.running()).toHaveLength(5);
    const ports = names.map((name) => new URL(urls.get(name) ?? '').port);
    expect(new Set(ports).size).toBe(5);
    const shown = names.map((name) => show(urls.get(name), 'shared_buffers'));
    expect(await Promise.all(shown)).toEqual(['256MB', '256MB', '256MB', '16MB', '16MB']);
    const memory = names.map((name) => show(urls.get(name), 'work_mem'));
    expect(await Promise.all(memory)).toEqual(['4MB', '4MB', '8MB', '4MB', '8MB']);
  });

  it('are asked for the counters of their own databases, and for their connections', async () => {
    const { reader } = database.databases;
    const counters = await reader.read([...names, 'nowhere']);
    expect([...counters.keys()].sort()).toEqual([...names].sort());
    const client = new pg.Client({ connectionString: database.servers.of(arm(3)).postgres.adminUrl('small') });
    await client.connect();
    expect(await reader.connectionCount('small')).toBe(1);
    expect(await reader.connectionCount('control')).toBe(0);
    // Only what was used may hold work back, and only until its timer has ended.
    const holding = (unusedMs: number) => reader.holdingBack([...names, 'nowhere'], unusedMs);
    expect(await holding(0)).toEqual(new Set());
    await client.query('SELECT 1');
    expect(await holding(0)).toEqual(new Set(['small']));
    expect(await holding(SETTLE_MS)).toEqual(new Set());
    await client.end();
  });

  it('all count among the checkpoints', async () => {
    const housekeeping = housekeepingOf(database.servers);
    for (const { postgres } of database.servers.running()) await untilCheckpointerRests(postgres);
    const before = await housekeeping.checkpoints();
    expect(await database.databases.checkpoint()).toBe(5);
    // The checkpointer reports a moment later.
    await expect.poll(() => housekeeping.checkpoints()).toBe(before + 5);
  });

  it('end with their copies, and start again from the same data', async () => {
    expect(alive()).toHaveLength(5);
    await database.databases.close();
    expect(alive()).toEqual([]);
    await database.databases.close();
    const urls = await openRound(2);
    const rows = await query(urls.get('small') ?? '', 'SELECT count(*)::int AS count FROM items');
    expect(rows).toEqual([{ count: 1000 }]);
    const databases = await query(urls.get('small') ?? '', 'SELECT datname FROM pg_database ORDER BY 1');
    expect(databases.map(({ datname }) => datname)).toEqual([
      'pgsweep_template',
      'postgres',
      'small',
      'template0',
      'template1',
    ]);
    await database.databases.close();
    expect(failure.signal.aborted).toBe(false);
  });

  it("have the files of an arm's place in the round, and the settings of its variant", async () => {
    const filesIn = async (round: number, order: typeof arms): Promise<unknown[]> => {
      const urls = await openRound(round, order);
      const urlOf = (arm: (typeof arms)[number]): string | undefined => urls.get(names[arms.indexOf(arm)] ?? '');
      expect(await show(urls.get('control'), 'shared_buffers')).toBe('256MB');
      expect(await show(urls.get('small_too'), 'shared_buffers')).toBe('16MB');
      const files = await Promise.all(order.map((arm) => show(urlOf(arm), 'data_directory')));
      await database.databases.close();
      return files;
    };
    const files = await filesIn(3, arms);
    expect(new Set(files).size).toBe(5);
    expect(await filesIn(4, arms.toReversed())).toEqual(files);
  });

  it('that end by themselves end the run, with their last words', async () => {
    await openRound(5);
    const { pid } = database.servers.of(arm(3)).postgres;
    process.kill(Number(pid), 'SIGQUIT');
    await expect.poll(() => failure.signal.aborted).toBe(true);
    expect(String(failure.signal.reason.message)).toMatch(/^Postgres ended .* during the run[\s\S]*immediate shutdown/);
  });
});

function arm(index: number): (typeof arms)[number] {
  const found = arms[index];
  if (found === undefined) throw new Error(`no arm ${index}`);
  return found;
}
