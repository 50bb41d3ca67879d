import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { PgsweepError } from '../../../src/base/errors.ts';
import { readProcessTable } from '../../../src/base/process/process-table.ts';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { isRunning } from '../../../src/base/process/reaper-processes.mjs';
import { processTicks } from '../../../src/measure/probe/machine/own-cpu.ts';
import type { SettingValue, StartablePostgres } from '../../../src/measure/stack/common/postgres.ts';
import { query } from '../../../src/measure/stack/common/query.ts';
import { nonDefaultSettings } from '../../../src/measure/stack/common/settings.ts';
import { runLabel } from '../../../src/measure/stack/docker/compose.ts';
import { prepareDockerPostgres } from '../../../src/measure/stack/docker/postgres.ts';
import { buildImage, dockerSays, labelled, testImages } from '../../measure/stack/docker/docker.ts';
import { needs } from '../../support/needs.ts';
import { type OnePostgres, startDockerPostgres } from '../../support/started-postgres.ts';

const docker = await needs('docker-postgres');

let reaper: Reaper;
let temporary: string;
beforeAll(() => {
  reaper = startReaper();
  temporary = mkdtempSync(join(tmpdir(), 'pgsweep-test-'));
  vi.stubEnv('PGSWEEP_TMP', temporary);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true });
  await reaper.close();
});

const server = { image: testImages.postgres };
const start = (options: Partial<OnePostgres> = {}) => startDockerPostgres(docker.has, { reaper, server, ...options });

async function failure(options: Partial<OnePostgres>): Promise<PgsweepError> {
  const error = await start(options).catch((reason: unknown) => reason);
  if (error instanceof PgsweepError && error.code === 'stack') return error;
  throw new Error(`expected a PgsweepError of the stack, got ${String(error)}`);
}

/** Starts a server, asks it, stops it, and returns the answer with the log. */
async function ask(
  startable: StartablePostgres,
  sql: string,
  settings: Readonly<Record<string, SettingValue>> = {},
): Promise<{ row: unknown; log: string }> {
  const started = await startable.start({ settings });
  try {
    return { row: (await query(started.adminUrl(), sql))[0], log: await started.logTail() };
  } finally {
    await started.stop();
    expect(isRunning({ pid: started.pid ?? 0, group: false })).toBe(false);
  }
}

describe('Postgres in a container', docker.orSkip, () => {
  afterEach(() => {
    expect(labelled(runLabel)).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('has its settings and limits, is a process of this machine, and leaves nothing', async () => {
    const messages: string[] = [];
    const postgres = await start({
      settings: { work_mem: '7MB', log_line_prefix: `it's %p "$HOME" \`id\` ` },
      server: { ...server, cpus: 0.5, cpuset: '0', memory: '300m' },
      onProgress: (message) => messages.push(message),
    });
    const [row] = await query(
      postgres.adminUrl(),
      `SELECT current_setting('work_mem') AS work, current_setting('checkpoint_timeout') AS checkpoints,
         current_setting('log_line_prefix') AS prefix, current_setting('listen_addresses') AS addresses`,
    );
    expect(row).toEqual({
      work: '7MB',
      checkpoints: '1d',
      prefix: `it's %p "$HOME" \`id\` `,
      addresses: '127.0.0.1',
    });
    expect(await nonDefaultSettings(postgres)).toMatchObject({ work_mem: '7MB' });
    const [container = ''] = labelled(runLabel);
    const limits =
      '{{.HostConfig.NanoCpus}} {{.HostConfig.CpusetCpus}} {{.HostConfig.Memory}} {{.Config.Healthcheck.Test}}';
    expect(dockerSays('inspect', '--format', limits, container)).toBe('500000000 0 314572800 [NONE]');
    expect(readFileSync(`/proc/${postgres.pid}/comm`, 'utf8')).toMatch(/^postgres/);
    expect(
      existsSync(`/sys/fs/cgroup/cpuset${postgres.cgroup}`) || existsSync(`/sys/fs/cgroup${postgres.cgroup}`),
    ).toBe(true);
    expect(postgres.kind).toBe('docker');
    expect(postgres.binaries).toMatch(/^image \S+ \(sha256:[0-9a-f]{12}\)$/);
    expect(await postgres.logTail()).toContain('database system is ready to accept connections');
    expect(readFileSync(postgres.logFile, 'utf8')).toContain('ready to accept connections');
    expect(messages.at(-1)).toMatch(/^Postgres \d+\.\d+ is ready on port \d+ \(container\)$/);
    await expect(query(postgres.adminUrl().replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1')).rejects.toThrow('password');
    await postgres.stop();
    expect(isRunning({ pid: postgres.pid ?? 0, group: false })).toBe(false);
  });

  it('works for the run, which counts its CPU time as its own', async () => {
    const postgres = await start();
    const ticks = (): number => {
      const table = readProcessTable() ?? [];
      return processTicks(table, [postgres.pid ?? 0]).own - processTicks(table, []).own;
    };
    const before = ticks();
    await query(postgres.adminUrl(), 'SELECT count(*) FROM generate_series(1, 5e6)');
    // Half a second of CPU time or more; a tick is 10 ms.
    expect(ticks() - before).toBeGreaterThan(20);
    await postgres.stop();
  });

  it('starts again with its data, which needs no recovery, and so do its copies', async () => {
    const options = { reaper, server, settings: { work_mem: '7MB' } };
    const prepared = await prepareDockerPostgres(docker.has, options);
    await ask(prepared, 'CREATE TABLE t AS SELECT generate_series(1, 1000) AS n');
    const count = `SELECT count(*)::int AS n, current_setting('work_mem') AS work,
      current_setting('shared_buffers') AS shared FROM t`;
    const copy = await prepared.copy();
    const own = await ask(prepared, count);
    expect(own.row).toEqual({ n: 1000, work: '7MB', shared: '256MB' });
    expect(own.log).toContain('database system was shut down at');
    await ask(copy, 'INSERT INTO t VALUES (0)');
    // Settings of a start are gone with it.
    expect((await ask(copy, count, { shared_buffers: '16MB' })).row).toEqual({ n: 1001, work: '7MB', shared: '16MB' });
    expect((await ask(copy, count)).row).toEqual({ n: 1001, work: '7MB', shared: '256MB' });
    expect((await ask(prepared, count)).row).toEqual({ n: 1000, work: '7MB', shared: '256MB' });
    const servers = await Promise.all([prepared.start(), copy.start()]);
    expect(new Set(servers.map(({ port }) => port)).size).toBe(2);
    await Promise.all(servers.map((each) => each.stop()));
    await prepared.remove();
  });

  it("of an image like Percona's keeps its data, loads what is asked for, and leaves no volume", async () => {
    const image = `${testImages.postgres}-percona`;
    buildImage(image, 'percona', { BASE: testImages.postgres });
    const unused = () =>
      dockerSays('volume', 'ls', '--quiet', '--filter', 'dangling=true')
        .split('\n')
        .filter((name) => name !== '');
    const before = unused();
    const options = { reaper, server: { image }, preload: ['pg_stat_statements'] };
    const prepared = await prepareDockerPostgres(docker.has, options);
    await ask(prepared, 'CREATE TABLE t AS SELECT generate_series(1, 1000) AS n');
    const copy = await prepared.copy();
    const count = `SELECT count(*)::int AS n, current_setting('shared_preload_libraries') AS libraries,
      current_setting('data_directory') AS folder FROM t`;
    for (const each of [prepared, copy]) {
      expect((await ask(each, count)).row).toEqual({ n: 1000, libraries: 'pg_stat_statements', folder: '/data/db' });
    }
    await prepared.remove();
    // Of other tests beside this one, volumes come and go.
    await expect.poll(() => unused().filter((name) => !before.includes(name)), { timeout: 200_000 }).toEqual([]);
    dockerSays('image', 'rm', image);
  });

  it('tells when it ends by itself', async () => {
    const postgres = await start();
    process.kill(Number(postgres.pid), 'SIGQUIT');
    expect(await postgres.exited).toEqual({ code: 0, signal: null });
    await postgres.stop();
  });

  it('goes with its bench, even one that is killed', async () => {
    const script = fileURLToPath(new URL('../../measure/stack/docker/killed-docker-bench.ts', import.meta.url));
    const bench = spawn(process.execPath, ['--import', './src/base/typescript.mjs', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const text = await new Promise<string>((resolve) => bench.stdout.once('data', (chunk) => resolve(String(chunk))));
    const { label, pids } = JSON.parse(text) as { label: string; pids: number[] };
    // Two containers and two volumes.
    expect(labelled(label)).toHaveLength(4 + 2);
    bench.kill('SIGKILL');
    await expect.poll(() => labelled(label), { interval: 200 }).toEqual([]);
    expect(pids.filter((pid) => isRunning({ pid, group: false }))).toEqual([]);
    await expect.poll(() => readdirSync(temporary)).toEqual([]);
  });

  it('whose port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect((await failure({ port })).message).toMatch(
      new RegExp(`^Postgres cannot listen on port ${port} of 127.0.0.1`),
    );
    other.close();
  });

  it('that ends at once says why, with its last lines', async () => {
    const { message, hint } = await failure({ settings: { shared_preload_libraries: 'nowhere' } });
    expect(message).toMatch(
      /^in a container of \S+: Postgres ended with exit code 1, because of the setting "shared_preload_libraries"/,
    );
    expect(message).toContain('could not access file "nowhere"');
    expect(hint).toContain('Correct or remove shared_preload_libraries');
  });

  it('whose image cannot be pulled', async () => {
    const { message, hint } = await failure({ server: { image: '127.0.0.1:1/nobody/postgres:17' } });
    expect(message).toMatch(
      /^the image 127\.0\.0\.1:1\/nobody\/postgres:17 cannot be pulled: [\s\S]*connection refused/,
    );
    expect(hint).toContain('--stack embedded');
  });

  it('with CPUs that this machine does not have', async () => {
    const { message, hint } = await failure({ server: { ...server, cpuset: '900' } });
    expect(message).toMatch(/^docker compose fails with postgres: /);
    expect(hint).toBe('Correct cpus, cpuset and memory of stack.postgres.');
  });
});
