import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { nodeCommand } from '../../../src/base/node-command.ts';
import { askServer, school, send, untilWaiting, withServices } from './harness.ts';

const { createDatabase, cleanups, start } = withServices();

interface Run {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly exited: Promise<number | null>;
}

const [node, ...service] = nodeCommand(
  new URL('../../../scenarios/services/documents/service/main.ts', import.meta.url),
);

function run(env: Record<string, string>): Run {
  const child = spawn(node, service, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (data) => {
    output.stdout += data;
  });
  child.stderr?.on('data', (data) => {
    output.stderr += data;
  });
  const exited = once(child, 'close').then(([code]) => code as number | null);
  cleanups.push(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return { child, output, exited };
}

async function runReady(env: Record<string, string>): Promise<Run & { url: string }> {
  const started = run({ PORT: '0', ...env });
  while (started.child.exitCode === null) {
    const url = /^listening on (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(started.output.stdout)?.[1];
    if (url) return { ...started, url };
    await sleep(10);
  }
  throw new Error(`not ready: ${started.output.stdout}${started.output.stderr}`);
}

const isRefused = (url: string): Promise<boolean> =>
  fetch(`${url}/metrics`).then(
    () => false,
    () => true,
  );

const backends = "FROM pg_stat_activity WHERE application_name = 'pgsweep-service' AND datname = current_database()";

describe('stopping', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('by %s finishes what is in flight, and takes no more', async (signal) => {
    const { url: databaseUrl, db } = await createDatabase();
    const { child, output, exited, url } = await runReady({ DATABASE_URL: databaseUrl, POOL_MAX: '1' });
    await send(url, 'POST', '/ed-fi/schools', school(1));
    const agent = new Agent({ keepAlive: true });
    const idle = httpRequest(`${url}/health`, { agent }).end();
    const [response] = await once(idle, 'response');
    response.resume();
    await once(response, 'end');

    const lock = await db.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT FROM documents FOR UPDATE');
    // The first waits for the lock, the second for the pool's only client.
    const first = send(url, 'POST', '/ed-fi/schools', school(1));
    await untilWaiting(db);
    const inFlight = [first, send(url, 'POST', '/ed-fi/schools', school(2))];
    const metrics = async (): Promise<string> => (await send(url, 'GET', '/metrics')).body;
    await expect.poll(metrics).toMatch(/^pg_pool_waiting 1$/m);
    child.kill(signal);
    await expect.poll(() => isRefused(url)).toBe(true);
    child.kill(signal);
    expect(await isRefused(url)).toBe(true);
    expect(child.exitCode).toBeNull();

    await lock.query('ROLLBACK');
    lock.release();
    expect((await Promise.all(inFlight)).map((answer) => answer.status)).toEqual([200, 201]);
    const doneMs = performance.now();
    expect(await exited).toBe(0);
    // Fastify would wait 72 s for the client that keeps its connection.
    expect(performance.now() - doneMs).toBeLessThan(40_000);
    expect(output).toEqual({ stdout: `listening on ${url}\n`, stderr: '' });
    expect((await db.query('SELECT FROM documents')).rowCount).toBe(2);
    agent.destroy();
  });

  it('does not wait for a connection that a client has opened in place of one that it has aborted', async () => {
    const service = await start({ POOL_MAX: '1' });
    await service.request('POST', '/ed-fi/schools', school(1));
    const release = await service.hold('SELECT FROM documents FOR UPDATE');
    // One waits for the lock, the others for the pool's only client.
    const clients = Array.from({ length: 3 }, () => new AbortController());
    const aborted = clients.map(({ signal }) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(school(1));
      return fetch(`${service.url}/ed-fi/schools`, { method: 'POST', body, headers, signal }).catch(() => 'aborted');
    });
    await untilWaiting(service.db);
    for (const client of clients) client.abort();
    expect(await Promise.all(aborted)).toEqual(['aborted', 'aborted', 'aborted']);
    const next = connect(Number(new URL(service.url).port), '127.0.0.1');
    await once(next, 'connect');
    const stopping = service.stop();
    await release();
    // Node itself waits as long as the client does, which is for ever.
    await stopping;
    next.destroy();
  });
});

describe('starting', () => {
  it('with a bad value exits with 2 and one line', async () => {
    const { exited, output } = run({ DATABASE_URL: 'postgres://127.0.0.1/x', POOL_MAX: 'many' });
    expect(await exited).toBe(2);
    expect(output).toEqual({
      stdout: '',
      stderr: 'pgsweep service: POOL_MAX: expected a whole number from 1 to 1000, found "many"\n',
    });
  });

  it('where it cannot, exits with 1 and one line that says why', async () => {
    const { url } = await createDatabase();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const taken = String((server.address() as AddressInfo).port);
    const wrongPassword = new URL(url);
    wrongPassword.password = 'wrong-secret';
    const wrongDatabase = new URL(url);
    wrongDatabase.pathname = '/nowhere';
    const unreachable = new URL(url);
    unreachable.port = '1';
    for (const [env, message] of [
      [{ DATABASE_URL: url, PORT: taken }, `the port ${taken} of 127.0.0.1 is in use`],
      [{ DATABASE_URL: wrongPassword.href }, /refused the user '.+': password authentication failed/],
      [{ DATABASE_URL: wrongDatabase.href }, "has no database 'nowhere'"],
      [{ DATABASE_URL: unreachable.href }, /cannot reach Postgres at 127.0.0.1:1 \(ECONNREFUSED\)/],
    ] as const) {
      const { exited, output } = run({ PORT: '0', ...env });
      expect(await exited).toBe(1);
      expect(output.stdout).toBe('');
      expect(output.stderr).toMatch(message);
      expect(output.stderr).toMatch(/^pgsweep service: [^\n]+\n$/);
      expect(output.stderr).not.toContain('secret');
    }
    server.close();
  });
});

describe('a lost database connection', () => {
  it('costs the requests on it a 503, and nothing else', async () => {
    const { url: databaseUrl, db } = await createDatabase();
    const { child, output, url } = await runReady({ DATABASE_URL: databaseUrl, POOL_MAX: '4' });
    await send(url, 'POST', '/ed-fi/schools', school(1));
    await db.query(`SELECT pg_terminate_backend(pid) ${backends}`);
    await expect.poll(async () => (await send(url, 'GET', '/metrics')).body).toMatch(/^pg_pool_idle 0$/m);
    expect((await send(url, 'POST', '/ed-fi/schools', school(1))).status).toBe(200);

    const lock = await db.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT FROM documents FOR UPDATE');
    const inFlight = send(url, 'POST', '/ed-fi/schools', school(1, { webSite: 'lost' }));
    await untilWaiting(db);
    await db.query(`SELECT pg_terminate_backend(pid) ${backends}`);
    expect(await inFlight).toMatchObject({ status: 503, body: { error: { code: 'database_unavailable' } } });
    await lock.query('ROLLBACK');
    lock.release();

    // Killed over and over while many write: every answer is a success or a 503, and a success is there.
    const acknowledged: number[] = [];
    let failed = 0;
    let done = false;
    const writer = async (first: number) => {
      for (let id = first; !done; id += 10) {
        const { status } = await send(url, 'POST', '/ed-fi/schools', school(id));
        if (status === 201) acknowledged.push(id);
        else if (status === 503) failed++;
        else throw new Error(`answered with ${status}`);
      }
    };
    const writers = Array.from({ length: 8 }, (_, n) => writer(100 + n));
    for (let kill = 0; kill < 15 || failed === 0 || acknowledged.length === 0; kill++) {
      await sleep(40);
      await db.query(`SELECT pg_terminate_backend(pid) ${backends}`);
    }
    done = true;
    await Promise.all(writers);
    const { rows } = await db.query("SELECT (body->>'schoolId')::int AS id FROM documents");
    const stored = new Set(rows.map((row) => row.id));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);

    expect((await send(url, 'GET', '/health')).status).toBe(200);
    expect(child.exitCode).toBeNull();
    expect(output.stderr).toMatch(/an idle database connection was lost/);
  });

  it('is said by /health', async () => {
    const { url: databaseUrl } = await createDatabase();
    const { url } = await runReady({ DATABASE_URL: databaseUrl });
    const name = new URL(databaseUrl).pathname.slice(1);
    await askServer(databaseUrl, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await askServer(databaseUrl, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    await expect
      .poll(
        async () => (await askServer(databaseUrl, 'SELECT FROM pg_stat_activity WHERE datname = $1', [name])).rowCount,
      )
      .toBe(0);
    const health = await send(url, 'GET', '/health');
    expect(health).toMatchObject({ status: 503, body: { error: { code: 'database_unavailable' } } });
    expect((await send(url, 'POST', '/ed-fi/schools', school(1))).status).toBe(503);
    await askServer(databaseUrl, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    expect((await send(url, 'GET', '/health')).status).toBe(200);
  });
});
