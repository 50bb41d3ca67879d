import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Reaper, startReaper } from '../../src/base/reaper.ts';
import type { RequestSpec } from '../../src/journal/scenario-record.ts';
import { startLoadGenerator } from '../../src/load/generator-process.ts';
import type { LoadGenerator, LoadJob } from '../../src/load/load-generator.ts';
import { requestSpec as spec } from '../fixtures/request-spec.ts';

interface Received {
  url: string;
  body: string;
}

let reaper: Reaper;
let server: Server;
let url: string;
let received: Received[] = [];
let connections = 0;
let answer: (response: ServerResponse, request: Received) => void;
let generator: LoadGenerator | null = null;

beforeAll(async () => {
  reaper = startReaper();
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const got = { url: `${request.method} ${request.url}`, body };
      received.push(got);
      answer(response, got);
    });
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await generator?.stop();
  generator = null;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await reaper.close();
});

async function run(requests: RequestSpec[], job: Partial<LoadJob> = {}, signal?: AbortSignal) {
  received = [];
  connections = 0;
  generator ??= await startLoadGenerator({ workload: { kind: 'requests', requests }, documents: [] }, reaper);
  const whole: LoadJob = {
    url,
    load: { connections: 5 },
    seed: 1,
    durationMs: 1000,
    dropMs: 200,
    timeoutMs: 1000,
    ...job,
  };
  return generator.run(whole, signal && { signal });
}

describe('the load generator', () => {
  it('accounts for every request that the server got, and opens as many connections as asked', async () => {
    answer = (response, { url }) => {
      response.statusCode = url.startsWith('POST') ? 201 : 200;
      response.end('ok');
    };
    const post = spec({ name: 'post', method: 'POST', path: '/b/${unique}', body: { id: '${unique}' } });
    const result = await run([spec({ name: 'get', path: '/a' }), post]);
    const { whole, outcomes } = result;
    expect(connections).toBe(5);
    expect((whole.statuses['200'] ?? 0) + (whole.statuses['201'] ?? 0)).toBe(received.length);
    expect(whole.statuses['201']).toBe(received.filter(({ url }) => url.startsWith('POST')).length);
    expect(result.byRequest.post?.outcomes.statuses).toEqual({ '201': outcomes.statuses['201'] });
    expect(result.byRequest.get?.outcomes.statuses).toEqual({ '200': outcomes.statuses['200'] });
    // Little's law: a closed loop has all its connections busy.
    const { latency, windowMs } = result;
    expect(((latency.count / windowMs) * latency.meanUs) / 1000 / 5).toBeGreaterThan(0.8);
    expect(result.windowMs).toBe(800);
    expect(result.generator.eventLoopUtilisation).toBeGreaterThan(0.05);
    expect(result.generator.cpuMs).toBeGreaterThan(10);
  });

  it('sends every body once: no two inserts are the same', async () => {
    answer = (response) => response.writeHead(201).end();
    await run([spec({ method: 'POST', body: { id: '${unique}' } })], { durationMs: 400, dropMs: 0 });
    const ids = received.map(({ body }) => JSON.parse(body).id);
    await run([], { durationMs: 400, dropMs: 0 });
    const all = [...ids, ...received.map(({ body }) => JSON.parse(body).id)];
    expect(all.length).toBeGreaterThan(50);
    expect(new Set(all).size).toBe(all.length);
  });

  it('sends the same requests for the same seed', async () => {
    answer = (response) => response.end();
    const requests = [spec({ path: '/${integer 1 1000000}' })];
    const one = { load: { connections: 1 }, durationMs: 200, dropMs: 0 };
    await run(requests, one);
    const first = received.slice(0, 20).map(({ url }) => url);
    await run(requests, one);
    expect(received.slice(0, 20).map(({ url }) => url)).toEqual(first);
    await run(requests, { ...one, seed: 2 });
    expect(received.slice(0, 20).map(({ url }) => url)).not.toEqual(first);
  });

  it('measures less than a millisecond as less than a millisecond', async () => {
    answer = (response) => response.end();
    const { latency } = await run([spec({})], { load: { connections: 1 } });
    expect(latency.p50Us).toBeGreaterThan(20);
    expect(latency.p50Us % 1000).not.toBe(0);
  });

  it('opens a connection for each request of a service that closes after every answer, and times them rightly', async () => {
    answer = (response) => setTimeout(() => response.setHeader('connection', 'close').end(), 10);
    const requests = [spec({ path: '/${unique}' })];
    const { whole, closingAnswers, connectionsOpened, latency, windowMs } = await run(requests);
    const answered = whole.statuses['200'];
    expect(whole).toMatchObject({ errors: 0, timeouts: 0 });
    expect(received).toHaveLength(answered ?? 0);
    expect(new Set([closingAnswers, connectionsOpened, connections])).toEqual(new Set([answered]));
    // Each answer is that of its own request, so none seems to have waited for those before it.
    expect(latency.meanUs).toBeGreaterThan(10_000);
    const busyShare = (latency.count * latency.meanUs) / 1000 / windowMs / 5;
    expect(busyShare).toBeGreaterThan(0.8);
    expect(busyShare).toBeLessThan(1.2);
  });

  it('tells closing answers from connections that break', async () => {
    let turn = 0;
    answer = (response) => {
      turn++;
      if (turn % 5 === 0) response.setHeader('connection', 'close');
      if (turn % 7 === 0) response.socket?.destroy();
      else response.end();
    };
    const { closingAnswers, connectionsOpened } = await run([spec({})], { durationMs: 400, dropMs: 0 });
    expect(closingAnswers).toBeGreaterThan(0);
    expect(connectionsOpened).toBeGreaterThan(5 + (closingAnswers ?? 0));
    expect(connectionsOpened).toBeLessThanOrEqual(connections);
  });

  it('cuts no request off at the end', async () => {
    answer = (response) => setTimeout(() => response.end(), 150);
    const { whole, loadMs } = await run([spec({})], { durationMs: 500, dropMs: 0 });
    expect(whole.statuses['200']).toBe(received.length);
    expect(whole).toMatchObject({ errors: 0, timeouts: 0 });
    expect(loadMs).toBeGreaterThan(500);
    expect(loadMs).toBeLessThan(1000);
  });

  it('counts errors by status, hung requests as timeouts and cut connections as errors', async () => {
    let turn = 0;
    answer = (response) => {
      const kind = turn++ % 4;
      if (kind === 0) response.writeHead(500).end();
      else if (kind === 1) response.end();
      else if (kind === 2) response.socket?.resetAndDestroy();
      // The fourth is never answered.
    };
    const { outcomes, latency } = await run([spec({})], { durationMs: 3500, dropMs: 0, timeoutMs: 1000 });
    expect(outcomes.statuses['500']).toBeGreaterThan(0);
    expect(outcomes.timeouts).toBeGreaterThan(0);
    expect(outcomes.errors).toBeGreaterThan(0);
    expect(latency.count).toBe(outcomes.statuses['200']);
  });

  it('a server that is not there is a clear error, soon', async () => {
    await expect(run([spec({})], { url: 'http://127.0.0.1:1', durationMs: 30_000 })).rejects.toThrow(
      /127\.0\.0\.1:1 failed .*ECONNREFUSED/,
    );
  });

  it('stops when aborted, with the reason', async () => {
    answer = (response) => response.end();
    const controller = new AbortController();
    const running = run([spec({})], { durationMs: 30_000 }, controller.signal);
    setTimeout(() => controller.abort(new Error('enough')), 300);
    await expect(running).rejects.toThrow('enough');
    // And it is ready for the next.
    expect((await run([], { durationMs: 300, dropMs: 0 })).whole.statuses['200']).toBeGreaterThan(0);
  });

  it('says so when its process dies', async () => {
    answer = (response) => response.end();
    await run([spec({})], { durationMs: 200, dropMs: 0 });
    const running = run([], { durationMs: 30_000 });
    setTimeout(() => void generator?.stop(), 300);
    await expect(running).rejects.toThrow('the load generator ended');
  });
});
