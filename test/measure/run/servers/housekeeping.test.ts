import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Cleanup, createCleanup } from '../../../../src/base/process/cleanup.ts';
import { type Reaper, startReaper } from '../../../../src/base/process/reaper.ts';
import { type Arm, armsOf } from '../../../../src/measure/plan/arms.ts';
import { runFolderAt } from '../../../../src/measure/run/run-folder.ts';
import { openDatabase, type SessionDatabase } from '../../../../src/measure/run/servers/session-database.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { chooseStack } from '../../../../src/measure/stack/stack.ts';
import { parseScenario } from '../../../../src/scenario/load-scenario.ts';
import { untilCheckpointerRests } from '../../stack/postgres.ts';

let folder: string;
let reaper: Reaper;
let cleanup: Cleanup;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-session-'));
  mkdirSync(join(folder, 'logs'));
  reaper = startReaper();
  cleanup = createCleanup();
});
afterEach(async () => {
  await cleanup.run();
  await reaper.close();
  rmSync(folder, { recursive: true });
});

interface Opened {
  readonly database: SessionDatabase;
  readonly arms: readonly Arm[];
}

/** A session's servers, as a scenario with these lines has them. */
async function opened(lines: string): Promise<Opened> {
  const scenario = parseScenario(
    `target: { command: "true" }\ndataset: { sql: [schema.sql] }\nload: { connections: 1, requests: [{ path: / }] }\n${lines}`,
    'test/fixtures/services/servers.yaml',
  );
  const stack = await chooseStack({ kind: 'embedded' }, scenario);
  const options = { scenario, arms: armsOf(scenario), stack, folder: runFolderAt(folder), emit: () => {} };
  const resources = { reaper, cleanup, signal: new AbortController().signal, failure: new AbortController() };
  return { database: await openDatabase(options, resources), arms: options.arms };
}

/** A copy of a variant's database, on a server that runs. */
async function copyOf({ database, arms }: Opened, name: string): Promise<string> {
  const arm = arms.find((one) => one.name === name);
  if (arm === undefined) throw new Error(`no arm ${name}`);
  return (await database.databases.copy(`copy_${name.toLowerCase()}`, arm)).url;
}

const names = ['autovacuum', 'checkpoint_timeout', 'max_wal_size', 'autovacuum_naptime', 'full_page_writes'] as const;

async function shown(url: string): Promise<unknown> {
  const list = names.map((name) => `current_setting('${name}') AS ${name}`).join(', ');
  return (await query(url, `SELECT ${list}`))[0];
}

const plain = 'variants: { A: {} }\ncontrol: A\n';
const defaults = {
  autovacuum: 'on',
  checkpoint_timeout: '5min',
  max_wal_size: '1GB',
  autovacuum_naptime: '1min',
  full_page_writes: 'on',
};
const quiet = {
  ...defaults,
  autovacuum: 'off',
  checkpoint_timeout: '1d',
  max_wal_size: '8GB',
  full_page_writes: 'off',
};

describe("Postgres's own housekeeping, on a real server", () => {
  it.each([
    ['off where nobody asks for it', plain, quiet],
    ["on by Postgres's defaults", `${plain}stack: { postgres: { housekeeping: on } }\n`, defaults],
    [
      "on, with the user's own settings over it",
      `${plain}stack: { postgres: { housekeeping: on, settings: { Checkpoint_timeout: 30s, autovacuum: off } } }\n`,
      { ...defaults, checkpoint_timeout: '30s', autovacuum: 'off' },
    ],
  ])('is %s', async (_, lines, settings) => {
    const session = await opened(lines);
    await session.database.databases.open(1);
    expect(await shown(await copyOf(session, 'A'))).toEqual(settings);
  });

  it('makes the checkpoints of a round itself where it is on, and the bench where it is off', async () => {
    for (const [housekeeping, expected] of [
      ['on', 0],
      ['off', 1],
    ] as const) {
      const session = await opened(`${plain}stack: { postgres: { housekeeping: ${housekeeping} } }\n`);
      const { databases } = session.database;
      await databases.open(1);
      await copyOf(session, 'A');
      const [server] = session.database.servers.running();
      if (server === undefined) throw new Error('no server runs');
      await untilCheckpointerRests(server.postgres);
      const before = await server.housekeeping.checkpoints();
      await databases.checkpoint();
      await untilCheckpointerRests(server.postgres);
      expect((await server.housekeeping.checkpoints()) - before).toBe(expected);
    }
  });

  it('is counted by arm: checkpoints of its server, vacuums of its database', async () => {
    const session = await opened(`variants:
  Usual: {}
  Small: { settings: { max_wal_size: 32MB } }
  Vacuumed: { settings: { max_wal_size: 32MB }, sql: "ALTER TABLE items SET (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0)" }
control: Usual
stack: { postgres: { settings: { autovacuum_naptime: 1s } } }
`);
    const { databases } = session.database;
    await databases.open(1);
    const urls = new Map<string, string>();
    for (const name of ['Usual', 'Small', 'Vacuumed']) urls.set(name, await copyOf(session, name));
    expect(await shown(urls.get('Small') ?? '')).toEqual({
      ...defaults,
      max_wal_size: '32MB',
      autovacuum_naptime: '1s',
    });
    const counts = (name: string) => databases.housekeeping(`copy_${name.toLowerCase()}`);
    const before = { usual: await counts('Usual'), small: await counts('Small'), vacuumed: await counts('Vacuumed') };
    const small = urls.get('Small') ?? '';
    await query(small, 'CREATE TABLE big (text text)');
    await query(urls.get('Vacuumed') ?? '', "UPDATE items SET name = name || 'x'");
    await expect
      .poll(
        async () => {
          // A checkpoint that is asked for while another goes on comes after it, once: it takes WAL until there are two.
          await query(
            small,
            'INSERT INTO big SELECT repeat(md5(i::text), 30) FROM generate_series(1, 30000) i; TRUNCATE big',
          );
          return (await counts('Small'))?.checkpoints;
        },
        { timeout: 60_000 },
      )
      .toBeGreaterThan((before.small?.checkpoints ?? 0) + 1);
    await expect
      .poll(async () => (await counts('Vacuumed'))?.autovacuums, { timeout: 60_000 })
      .toBeGreaterThan(before.vacuumed?.autovacuums ?? 0);
    expect(await counts('Usual')).toEqual(before.usual);
    expect((await counts('Small'))?.autovacuums).toBe(0);
    expect(await databases.housekeeping('nowhere')).toBeNull();
  }, 150_000);
});
