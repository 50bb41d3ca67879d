import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Reaper, startReaper } from '../../../../src/base/process/reaper.ts';
import { isRunning } from '../../../../src/base/process/reaper-processes.mjs';
import type { SettingValue, StartablePostgres } from '../../../../src/measure/stack/common/postgres.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { prepareEmbeddedPostgres } from '../../../../src/measure/stack/embedded/postgres.ts';

let reaper: Reaper;
let temporary: string;
beforeAll(() => {
  reaper = startReaper();
  temporary = mkdtempSync(join(tmpdir(), 'pgsweep-test-'));
  execFileSync('chmod', ['755', temporary]);
  vi.stubEnv('PGSWEEP_TMP', temporary);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true });
  await reaper.close();
});

/** Starts a server, asks it, stops it, and returns the answer with the log. */
async function ask(
  startable: StartablePostgres,
  sql: string,
  settings: Readonly<Record<string, SettingValue>> = {},
): Promise<{ row: unknown; log: string }> {
  const server = await startable.start({ settings });
  try {
    return { row: (await query(server.adminUrl(), sql))[0], log: await server.logTail() };
  } finally {
    await server.stop();
    expect(isRunning({ pid: server.pid ?? 0, group: false })).toBe(false);
  }
}

it('a prepared server starts again with its data, which needs no recovery, and so do its copies', async () => {
  const prepared = await prepareEmbeddedPostgres({ reaper, settings: { work_mem: '7MB' } });
  expect(readdirSync(temporary)).toHaveLength(1);
  await ask(prepared, 'CREATE TABLE t AS SELECT generate_series(1, 1000) AS n');
  const count = `SELECT count(*)::int AS n, current_setting('work_mem') AS work, current_setting('shared_buffers') AS shared
    FROM t`;
  const copy = await prepared.copy();
  const own = await ask(prepared, count);
  expect(own.row).toEqual({ n: 1000, work: '7MB', shared: '256MB' });
  expect(own.log).toContain('database system was shut down at');
  expect(own.log).not.toMatch(/interrupted|not properly shut down/);
  // What is done to one is not done to the other.
  await ask(copy, 'INSERT INTO t VALUES (0)');
  // Settings of a start are gone with it.
  expect((await ask(copy, count, { shared_buffers: '16MB' })).row).toEqual({ n: 1001, work: '7MB', shared: '16MB' });
  expect((await ask(copy, count)).row).toEqual({ n: 1001, work: '7MB', shared: '256MB' });
  expect((await ask(prepared, count)).row).toEqual({ n: 1000, work: '7MB', shared: '256MB' });

  const servers = await Promise.all([prepared.start(), copy.start()]);
  expect(new Set(servers.map(({ port }) => port)).size).toBe(2);
  await Promise.all(servers.map((server) => server.stop()));
  await prepared.remove();
  expect(readdirSync(temporary)).toEqual([]);
});

it('a start with a setting that is not to be set is refused by name', async () => {
  const prepared = await prepareEmbeddedPostgres({ reaper });
  await expect(prepared.start({ settings: { port: 1 } })).rejects.toThrow(
    'the Postgres setting port cannot be set here',
  );
  await prepared.remove();
});
