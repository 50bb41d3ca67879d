import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import getPort from 'get-port';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { PgsweepError } from '../../../../src/base/errors.ts';
import { type Reaper, startReaper } from '../../../../src/base/process/reaper.ts';
import { isRunning } from '../../../../src/base/process/reaper-processes.mjs';
import { sharedMemoryOf } from '../../../../src/base/process/shared-memory.mjs';
import type { StartedPostgres } from '../../../../src/measure/stack/common/postgres.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { nonDefaultSettings } from '../../../../src/measure/stack/common/settings.ts';
import { needs } from '../../../support/needs.ts';
import { descendantsOf, runningProcesses } from '../../../support/processes.ts';
import { type OnePostgres, startEmbeddedPostgres } from '../../../support/started-postgres.ts';

const superuser = await needs('root');
const linux = await needs('linux');
/** What happens at once on a quiet machine. */
const patience = { timeout: 120_000 };

let reaper: Reaper;
let temporary: string;
beforeAll(() => {
  reaper = startReaper();
  // A place of its own, so that "nothing left on disk" is not about other tests' servers.
  temporary = mkdtempSync(join(tmpdir(), 'pgsweep-test-'));
  vi.stubEnv('PGSWEEP_TMP', temporary);
  chmodSync(temporary, 0o755);
});
afterEach(() => {
  expect(readdirSync(temporary)).toEqual([]);
  expect(processesIn(temporary)).toEqual([]);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true });
  await reaper.close();
});

/** Zombies have no command line, so they do not count. */
function processesIn(folder: string): string[] {
  return runningProcesses()
    .map(({ args }) => args)
    .filter((args) => args.includes(folder));
}

async function withServer<T>(options: Partial<OnePostgres>, use: (server: StartedPostgres) => Promise<T>): Promise<T> {
  await using server = await startEmbeddedPostgres({ reaper, ...options });
  return await use(server);
}

async function failure(options: Partial<OnePostgres>): Promise<PgsweepError> {
  const error = await startEmbeddedPostgres({ reaper, ...options }).catch((reason: unknown) => reason);
  if (error instanceof PgsweepError) return error;
  throw new Error(`expected a PgsweepError, got ${String(error)}`);
}

const runs = (pid: number): boolean => isRunning({ pid, group: false });

describe('a server from the programs of the system', () => {
  test('starts, tells its progress, answers, and leaves nothing', async () => {
    const progress: string[] = [];
    const server = await startEmbeddedPostgres({ reaper, onProgress: (message) => progress.push(message) });
    expect(progress).toEqual([
      `starting Postgres ${server.version} (${server.binaries})`,
      `Postgres ${server.version} is ready on port ${server.port}`,
    ]);
    const [row] = await query(
      server.adminUrl(),
      `SELECT current_user, current_setting('server_version') AS version,
      current_setting('server_encoding') AS encoding, current_setting('shared_preload_libraries') AS preloaded`,
    );
    expect(row).toMatchObject({ current_user: 'pgsweep', encoding: 'UTF8', preloaded: '' });
    expect(String(row?.version).startsWith(server.version)).toBe(true);
    expect(server.adminUrl('a b/ü')).toContain('/a%20b%2F%C3%BC');
    expect(await server.logTail()).toContain('ready to accept connections');
    expect(statSync(dirname(server.logFile)).mode & 0o777).toBe(0o700);
    await Promise.all([server.stop(), server.stop()]);
    expect(await server.exited).toMatchObject({ signal: null });
    expect(runs(server.pid)).toBe(false);
    await expect(query(server.adminUrl(), 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
  });

  test('refuses whoever does not know the password', async () => {
    await withServer({}, async (server) => {
      const url = new URL(server.adminUrl());
      url.password = 'guess';
      await expect(query(url.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
    });
  });

  test('runs as another user when pgsweep runs as root', superuser.orSkip, async () => {
    await withServer({}, async (server) => {
      expect(statSync(`/proc/${server.pid}`).uid).not.toBe(0);
      expect(statSync(dirname(server.logFile)).uid).toBe(statSync(`/proc/${server.pid}`).uid);
    });
  });

  test('does not let the environment of the caller in', async () => {
    for (const [name, value] of Object.entries({
      PGPORT: '1',
      PGDATA: '/no/such',
      PGUSER: 'nobody',
      LC_ALL: 'xx',
    })) {
      vi.stubEnv(name, value);
    }
    try {
      await withServer({}, async (server) => expect(server.port).toBeGreaterThan(1));
    } finally {
      vi.unstubAllEnvs();
      vi.stubEnv('PGSWEEP_TMP', temporary);
    }
  });

  test('tells when it ends by itself', async () => {
    await withServer({}, async (server) => {
      process.kill(Number(server.pid), 'SIGQUIT');
      expect(await server.exited).toEqual({ code: 0, signal: null });
    });
  });

  test('stops at once although clients are at work', async () => {
    const server = await startEmbeddedPostgres({ reaper });
    const busy = query(server.adminUrl(), 'SELECT pg_sleep(600)').catch((error: unknown) => error);
    await vi.waitFor(async () => {
      const active = await query(server.adminUrl(), `SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`);
      expect(active).toHaveLength(1);
    }, patience);
    await server.stop();
    // It did not wait for the client's 600 s, and was not killed after a grace either: it ended by itself.
    expect(await busy).toBeInstanceOf(Error);
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });

  test('keeps the log where it is asked to', async () => {
    const logFile = join(mkdtempSync(join(tmpdir(), 'pgsweep-log-')), 'postgres.log');
    await withServer({ logFile }, async (server) => expect(server.logFile).toBe(logFile));
    expect(statSync(logFile).size).toBeGreaterThan(0);
    rmSync(dirname(logFile), { recursive: true });
  });
});

describe('settings', () => {
  test('are those of the bench, then those of the user, and can still be altered', async () => {
    const settings = { work_mem: '8MB', AUTOVACUUM: true, 'my.note': "it's a \\ and\na line", max_connections: 50 };
    await withServer({ settings }, async (server) => {
      const found = await nonDefaultSettings(server);
      expect(found).toMatchObject({ work_mem: '8MB', max_connections: '50', checkpoint_timeout: '1d' });
      for (const name of ['autovacuum', 'port', 'listen_addresses', 'data_directory', 'application_name']) {
        expect(found).not.toHaveProperty(name);
      }
      expect(await query(server.adminUrl(), 'SHOW my.note')).toEqual([{ 'my.note': settings['my.note'] }]);
      await query(server.adminUrl(), `ALTER SYSTEM SET work_mem = '16MB'`);
      await query(server.adminUrl(), 'SELECT pg_reload_conf()');
      await vi.waitFor(
        async () => expect(await nonDefaultSettings(server)).toHaveProperty('work_mem', '16MB'),
        patience,
      );
    });
  });

  test.each([
    ['no_such_setting', 'on', 'unrecognized configuration parameter', 'scenario'],
    ['shared_buffers', 'a lot', 'invalid value for parameter', 'scenario'],
    ['max_connections', 1e9, 'outside the valid range', 'scenario'],
    ['shared_preload_libraries', 'no_such_library', 'No such file', 'stack'],
  ])('%s = %s is named, with what the log says', async (name, value, logged, code) => {
    const error = await failure({ settings: { [name]: value } });
    expect(error.code).toBe(code);
    expect(error.setting).toBe(name);
    expect(error.message).toContain(`because of the setting "${name}"`);
    expect(error.message).toMatch(new RegExp(logged));
    expect(error.hint).toContain(name);
  });

  test.each(['port', 'Listen_Addresses', 'data_directory'])('%s is not for the user to set', async (name) => {
    expect((await failure({ settings: { [name]: '1' } })).message).toContain(`${name} cannot be set here`);
  });

  test('that ask for huge pages alone are to blame where there are none', linux.orSkip, async () => {
    // More than any machine has set aside.
    const error = await failure({ settings: { shared_buffers: '1TB', huge_pages: 'on' } });
    expect(error).toMatchObject({
      code: 'stack',
      setting: 'huge_pages',
      message: expect.stringMatching(/because of the setting "huge_pages".*could not map anonymous shared memory/s),
      hint: expect.stringContaining('huge_pages'),
    });
  });

  test('must have a name', async () => {
    expect((await failure({ settings: { "x = 'y'\nport": 1 } })).message).toContain(
      'not the name of a Postgres setting',
    );
  });
});

describe('a fixed port', () => {
  test('is used', async () => {
    // Of those that no system gives to who asks for any: nobody takes it meanwhile.
    const some = Array.from({ length: 20 }, () => 20_000 + Math.floor(10_000 * Math.random()));
    const port = await getPort({ host: '127.0.0.1', port: some });
    await withServer({ port }, async (server) => expect(server.port).toBe(port));
  });

  test('is an error that names it when it is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const error = await failure({ port });
    expect(error.message).toContain(`cannot listen on port ${port}`);
    expect(error.message).toContain('EADDRINUSE');
    other.close();
  });
});

describe('a bench that is killed', () => {
  test('leaves no server, no working backend and no folder', async () => {
    const script = fileURLToPath(new URL('./killed-bench.ts', import.meta.url));
    const bench = spawn(process.execPath, ['--import', './src/base/typescript.mjs', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(bench.stdout, 'data');
    const { pids, logFile }: { pids: number[]; logFile: string } = JSON.parse(String(line));
    expect(pids.map(runs)).toEqual([true, true, true]);
    bench.kill('SIGKILL');
    await vi.waitFor(() => expect(pids.filter(runs)).toEqual([]), { ...patience, interval: 50 });
    expect(existsSync(dirname(logFile))).toBe(false);
  });
});

describe('a postmaster that is killed', () => {
  test('leaves no shared memory behind', linux.orSkip, async () => {
    const own = startReaper();
    const server = await startEmbeddedPostgres({ reaper: own });
    const memory = sharedMemoryOf(server.pid);
    expect([memory.files.length, memory.segments.length].map((count) => count > 0)).toEqual([true, true]);
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
    // Postgres itself removes nothing.
    expect(memory.files.every((file) => existsSync(file))).toBe(true);
    await server.stop();
    await own.close();
    expect(memory.files.filter((file) => existsSync(file))).toEqual([]);
    expect(segments().filter((id) => memory.segments.includes(id))).toEqual([]);
  });

  test('before it is ready either', linux.orSkip, async () => {
    const own = startReaper();
    const starting = startEmbeddedPostgres({ reaper: own }).catch((error: unknown) => error);
    let memory = { pid: 0, segments: [] as readonly number[] };
    while (memory.segments.length === 0) {
      await sleep(1);
      const postmaster = descendantsOf(process.pid).find(({ args }) => /postgres -D/.test(args));
      if (postmaster) memory = { pid: postmaster.pid, segments: sharedMemoryOf(postmaster.pid).segments };
    }
    process.kill(memory.pid, 'SIGKILL');
    expect(await starting).toMatchObject({ message: expect.stringContaining('ended with SIGKILL') });
    await own.close();
    expect(segments().filter((id) => memory.segments.includes(id))).toEqual([]);
  });
});

function segments(): number[] {
  const [, ...rows] = readFileSync('/proc/sysvipc/shm', 'utf8').trim().split('\n');
  return rows.map((row) => Number(row.trim().split(/\s+/)[1]));
}

describe('a folder that the server cannot use', () => {
  test('is an error that names PGSWEEP_TMP', async () => {
    vi.stubEnv('PGSWEEP_TMP', '/no/such/folder');
    const missing = await failure({});
    vi.stubEnv('PGSWEEP_TMP', temporary);
    expect(missing.message).toContain('/no/such/folder');
    expect(missing.hint).toContain('PGSWEEP_TMP');
  });

  test('as root: one below a folder that only root can enter', superuser.orSkip, async () => {
    const closed = mkdtempSync(join(tmpdir(), 'pgsweep-closed-'));
    mkdirSync(join(closed, 'inner'), { mode: 0o777 });
    vi.stubEnv('PGSWEEP_TMP', join(closed, 'inner'));
    const error = await failure({});
    vi.stubEnv('PGSWEEP_TMP', temporary);
    expect(error.message).toMatch(/initdb failed[\s\S]*Permission denied/);
    expect(error.hint).toContain('PGSWEEP_TMP');
    expect(readdirSync(join(closed, 'inner'))).toEqual([]);
    rmSync(closed, { recursive: true });
  });
});
