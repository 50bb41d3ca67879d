import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PgsweepError } from '../../../src/base/errors.ts';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { isRunning } from '../../../src/base/process/reaper-processes.mjs';
import type { CommandTarget, Target, Variant } from '../../../src/journal/scenario-record.ts';
import { startTarget } from '../../../src/measure/target/start-target.ts';
import type { TargetOptions } from '../../../src/measure/target/target.ts';

vi.mock('get-port', async (original) => ({ default: vi.fn((await original<typeof import('get-port')>()).default) }));

const services = join(import.meta.dirname, '../../fixtures/services');
const DATABASE_URL = 'postgres://me:a%20b@db.test:5433/arm';
let reaper: Reaper;
let folder: string;

beforeAll(() => {
  reaper = startReaper();
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-target-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await reaper.close();
});

function command(changes: Partial<CommandTarget>): CommandTarget {
  return {
    kind: 'command',
    command: 'node echo.mjs',
    cwd: services,
    env: {},
    ready: '/health',
    readyTimeoutMs: 60_000,
    stopTimeoutMs: 30_000,
    portVariable: 'PORT',
    databaseUrlVariable: 'DATABASE_URL',
    ...changes,
  };
}

let logs = 0;
function optionsOf(target: Target, variant: Partial<Variant> = {}): TargetOptions {
  return {
    target,
    variant: { name: 'pool=10', factors: {}, env: {}, ...variant },
    databaseUrl: DATABASE_URL,
    search: null,
    reaper,
    logFile: join(folder, `${logs++}.log`),
  };
}

function start(
  target: Target,
  variant: Partial<Variant> = {},
  signal?: AbortSignal,
  search: TargetOptions['search'] = null,
) {
  return startTarget({ ...optionsOf(target, variant), search, ...(signal && { signal }) });
}

async function failure(starting: Promise<unknown>): Promise<PgsweepError> {
  const error = await starting.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof PgsweepError)) throw new Error(`expected a PgsweepError, got ${error}`);
  return error;
}

const runs = (pid: number): boolean => isRunning({ pid, group: false });

describe('a service of the user', () => {
  it('gets port, database and the variant environment over its own, and ends on SIGTERM', async () => {
    vi.stubEnv('PGSSLMODE', 'require');
    vi.stubEnv('OPENSEARCH_URL', 'http://production:9200');
    const target = await start(command({ env: { A: 'target', B: 'target' }, portVariable: 'MY_PORT' }), {
      env: { B: 'variant' },
    });
    const { env, pid } = (await (await fetch(`${target.url}/env`)).json()) as {
      env: Record<string, string>;
      pid: number;
    };
    expect(env).toMatchObject({
      A: 'target',
      B: 'variant',
      DATABASE_URL,
      MY_PORT: new URL(target.url).port,
    });
    await target.stop();
    expect(runs(pid)).toBe(false);
    expect(target.tail().join('\n')).toContain('got SIGTERM');
  });

  it('that does not listen to SIGTERM is killed, and that is told; of one that ends it is not', async () => {
    const script = `process.on('SIGTERM', () => {});
require('http').createServer((_, response) => response.end()).listen(process.env.PORT, '127.0.0.1')`;
    const deaf = await start(command({ command: `node -e "${script}"`, stopTimeoutMs: 300 }));
    expect(await deaf.stop()).toEqual({ killedAfterMs: 300 });
    const ends = await start(command({}));
    expect(await ends.stop()).toEqual({ killedAfterMs: null });
  });

  it('gets its OpenSearch and the beginning of its index names, whatever the scenario says', async () => {
    const search = { url: 'http://127.0.0.1:9200', indexPrefix: 'pgsweep_r1_a0-' };
    const target = await start(command({ env: { OPENSEARCH_URL: 'http://elsewhere:9200' } }), {}, undefined, search);
    const { env } = (await (await fetch(`${target.url}/env`)).json()) as { env: NodeJS.ProcessEnv };
    expect(env).toMatchObject({ OPENSEARCH_URL: search.url, OPENSEARCH_INDEX_PREFIX: search.indexPrefix });
    await target.stop();
  });

  it('is another command or in another folder where the variant says so', async () => {
    const target = await start(command({ cwd: folder, command: 'false' }), {
      command: 'NAME=other node echo.mjs',
      cwd: services,
    });
    const { env } = (await (await fetch(`${target.url}/env`)).json()) as { env: Record<string, string> };
    expect(env.NAME).toBe('other');
    await target.stop();
  });

  it('gets another port where somebody took its own in the meantime, a few times', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    vi.mocked(getPort).mockResolvedValueOnce(port).mockResolvedValueOnce(port);
    const target = await start(command({}));
    expect(new URL(target.url).port).not.toBe(String(port));
    await target.stop();
    for (let tries = 0; tries < 3; tries++) vi.mocked(getPort).mockResolvedValueOnce(port);
    expect((await failure(start(command({})))).message).toContain('EADDRINUSE');
  });

  it('is not taken for who answers on its port, which it then gets another of', async () => {
    const stranger = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1');
    await new Promise((resolve) => stranger.once('listening', resolve));
    onTestFinished(() => void stranger.close());
    const { port } = stranger.address() as AddressInfo;
    // One that lives on without its port would never be told from one that is slow.
    const outlive = command({ command: 'node echo.mjs || sleep 600' });
    for (const own of [command({}), outlive]) {
      vi.mocked(getPort).mockResolvedValueOnce(port).mockResolvedValueOnce(port);
      const target = await start(own);
      expect(new URL(target.url).port).not.toBe(String(port));
      expect((await (await fetch(`${target.url}/env`)).json()) as object).toMatchObject({ env: { DATABASE_URL } });
      await target.stop();
    }
    for (let tries = 0; tries < 3; tries++) vi.mocked(getPort).mockResolvedValueOnce(port);
    expect((await failure(start(outlive))).message).toContain(`does not listen on port ${port}: `);
  });

  it('tells when it dies', async () => {
    const target = await start(command({}));
    await fetch(`${target.url}/die`).catch(() => {});
    expect(await target.exited).toBe('exit code 7');
    await target.stop();
  });
});

describe('a service that does not come up', () => {
  it('shows its last lines when it ends', async () => {
    const error = await failure(start(command({ command: 'echo "no module foo"; exit 3' })));
    expect(error.message).toMatch(
      /the service of "pool=10" ended \(exit code 3\) before it was ready\. Its last lines:\nno module foo/,
    );
    expect(error.exitCode).toBe(2);
  });

  it('names the port variable when it listens on a taken port', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const error = await failure(start(command({ env: { FIXED_PORT: String(port) } })));
    expect(error.message).toContain('EADDRINUSE');
    expect(error.hint).toContain('must listen on the port in PORT');
    taken.close();
  });

  /** Why it was not ready, once it listened: it may take its time to begin to. */
  async function notReady(ready: string): Promise<PgsweepError> {
    for (let readyTimeoutMs = 700; ; readyTimeoutMs *= 2) {
      const error = await failure(start(command({ ready, readyTimeoutMs })));
      if (!/was not answered/.test(error.message)) return error;
    }
  }

  it('says what its ready path answered, and leaves nothing running', async () => {
    const error = await notReady('/nope');
    expect(error.message).toMatch(
      /was not ready after [\d.]+ m?s: GET \/nope on port \d+ answered 404\. Its last lines:\nlistening \d+/,
    );
    const pid = Number(/listening (\d+)/.exec(error.message)?.[1]);
    expect(runs(pid)).toBe(false);
  });

  it('that has no /health, which nobody has named, says at once to name another path', async () => {
    const handler = '(_, response) => response.writeHead(404).end()';
    const script = `require("http").createServer(${handler}).listen(process.env.PORT, "127.0.0.1")`;
    const error = await start(command({ command: `exec node -e '${script}'` })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: expect.stringMatching(/ runs, and answers GET \/health on port \d+ with 404\. It printed nothing/),
      hint: expect.stringContaining('ready: / under target, or --ready /'),
    });
  });

  it('says where its ready path would have led: nobody is asked there', async () => {
    const error = await notReady('/elsewhere');
    expect(error.message).toMatch(
      /GET \/elsewhere on port \d+ answered 302, a redirect to http:\/\/192\.0\.2\.1\/, which is not followed\./,
    );
  });

  it('says so when it never listens', async () => {
    const never = command({ command: 'exec sleep 30', readyTimeoutMs: 100 });
    const error = await failure(startTarget({ ...optionsOf(never), startingTogether: 4 }));
    expect(error.message).toMatch(
      /was not ready after 400 ms: GET \/health on port \d+ was not answered\. It printed nothing/,
    );
    expect(error.hint).toContain('target.readyTimeout');
  });

  it('is stopped when the run is', async () => {
    const controller = new AbortController();
    const starting = failure(start(command({ command: 'exec sleep 30' }), {}, controller.signal));
    setTimeout(() => controller.abort(new PgsweepError('interrupted', 'enough')), 200);
    expect((await starting).message).toBe('enough');
  });
});

describe('a url target', () => {
  it('is used as it is, and not stopped', async () => {
    const server = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const target = await start({ kind: 'url', url: 'http://127.0.0.1:1' }, { url: `${url}/` });
    expect(target).toMatchObject({ url, pid: null });
    await target.stop();
    expect(server.listening).toBe(true);
    server.close();
  });

  it('that nothing answers at is a clear error', async () => {
    expect((await failure(start({ kind: 'url', url: 'http://127.0.0.1:1' }))).message).toBe(
      'nothing answers at http://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1',
    );
  });
});

describe('data of the service that are put back', () => {
  const append = "require('fs').appendFileSync(process.env.LIST, process.env.PGSWEEP_ARM + ' ' + process.env.PGHOST)";

  it('are put back before it starts, with its environment and a name of the arm', async () => {
    const list = join(folder, 'list.txt');
    const target = await startTarget({
      target: command({ env: { LIST: list } }),
      variant: { name: 'a', factors: {}, env: {}, database: 'none', reset: `node -e "${append}"` },
      databaseUrl: null,
      search: null,
      armName: 'pgsweep_a3',
      reaper,
      logFile: join(folder, 'reset.log'),
    });
    const { env } = (await (await fetch(`${target.url}/env`)).json()) as { env: Record<string, string> };
    await target.stop();
    expect(readFileSync(list, 'utf8')).toBe('pgsweep_a3 undefined');
    expect(env.PGSWEEP_ARM).toBe('pgsweep_a3');
  });

  it('and where that fails, no service is started, and its last words are told', async () => {
    const reset = 'echo no such server && exit 3';
    const error = await failure(start(command({ command: 'node never.mjs' }), { reset }));
    expect(error).toMatchObject({
      code: 'target',
      message: `the reset of "pool=10" (${reset}) ended with exit code 3. Its last lines:\nno such server`,
    });
  });

  it('or where the run is ended meanwhile', async () => {
    const abort = new AbortController();
    const reset = 'sleep 60';
    const starting = start(command({ command: 'node never.mjs' }), { reset }, abort.signal);
    abort.abort(new Error('Ctrl-C'));
    await expect(starting).rejects.toThrow('Ctrl-C');
  });
});
