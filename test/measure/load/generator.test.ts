import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import type { RequestSpec } from '../../../src/journal/scenario-record.ts';
import { startLoadGenerator } from '../../../src/measure/load/generator-process.ts';
import type {
  LoadGenerator,
  LoadJob,
  LoadResult,
  LoadStream,
  TurnResult,
} from '../../../src/measure/load/load-generator.ts';
import { requestSpec as spec } from '../../fixtures/request-spec.ts';

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
/** A closed loop without a wait takes all of a machine, which other tests want, too. */
let waitsMs = 3;

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
      if (waitsMs === 0) answer(response, got);
      else setTimeout(() => answer(response, got), waitsMs);
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

async function open(requests: RequestSpec[], job: Partial<LoadJob> = {}): Promise<LoadStream> {
  generator ??= await startLoadGenerator({ workload: { kind: 'requests', requests }, documents: [] }, reaper);
  return generator.open({ url, load: { connections: 5 }, seed: 1, timeoutMs: 30_000, ...job });
}

interface Times {
  readonly turns?: number;
  readonly durationMs?: number;
  readonly fromMs?: number;
}

/** All of a stream's turns. */
async function run(requests: RequestSpec[], job: Partial<LoadJob> = {}, times: Times = {}): Promise<LoadResult> {
  const { turns = 1, durationMs = 400, fromMs = 0 } = times;
  received = [];
  connections = 0;
  const stream = await open(requests, job);
  for (let turn = 0; turn < turns; turn++) await stream.turn({ durationMs, fromMs, toMs: durationMs });
  return stream.close();
}

const urls = () => received.map(({ url }) => url);

it('sends at a rate, and so many requests and no more, from a process of its own', async () => {
  answer = (response) => void response.end('ok');
  const openLoop = { arrivals: 'constant', inFlight: 500 } as const;
  const rate = await run([spec({})], { load: { rate: 100 }, openLoop });
  expect([rate.whole.statuses, received.length]).toEqual([{ 200: 40 }, 40]);
  expect(rate.sendLag?.count).toBe(40);
  const bounded = await run([spec({})], { bounded: { count: 33, limitMs: 60_000 } }, { durationMs: 60_000 });
  expect([bounded.whole.statuses, received.length]).toEqual([{ 200: 33 }, 33]);
  expect(bounded.bounded?.durationMs).toBe(bounded.loadMs);
});

it('counts a 200 whose body is not as expected as failed, in each kind of load, and keeps what was wrong with the first', async () => {
  answer = (response, { url }) => void response.end(url.endsWith('/bad') ? '{"errors":["no such post"]}' : '{}');
  const expectBody = { json: { '$.errors': 'absent' } };
  const requests = [
    spec({ name: 'good', path: '/good', expectBody }),
    spec({ name: 'bad', path: '/bad', expectBody }),
    spec({ name: 'unseen', path: '/unseen/bad' }),
  ];
  const openLoop = { arrivals: 'constant', inFlight: 500 } as const;
  for (const job of [{}, { load: { rate: 150 }, openLoop }] satisfies Partial<LoadJob>[]) {
    received = [];
    const stream = await open(requests, job);
    const { failure } = await stream.turn({ durationMs: 400, fromMs: 0, toMs: 400 });
    const { whole, wholeOk, ok, byRequest } = await stream.close();
    expect(failure).toEqual({ status: 200, text: '$.errors is ["no such post"]: expected absent' });
    expect(whole.statuses).toEqual({ '200': received.length });
    expect(wholeOk).toBe(received.filter(({ url }) => !url.endsWith(' /bad')).length);
    expect(byRequest.bad?.latency.count).toBe(0);
    expect((byRequest.good?.latency.count ?? 0) + (byRequest.unseen?.latency.count ?? 0)).toBe(ok);
  }
});

it('looks into bodies that the service compresses', async () => {
  answer = (response) => void response.setHeader('content-encoding', 'gzip').end(gzipSync('{"id":7}'));
  const { whole, wholeOk } = await run([spec({ expectBody: { json: { '$.id': 7 } } })]);
  expect(wholeOk).toBeGreaterThan(0);
  expect(whole.statuses).toEqual({ '200': wholeOk });
});

it('has a connection send what it captured itself, of requests that are drawn, in a closed loop and at a rate', async () => {
  let keys = 0;
  const known = new Set<string>();
  answer = (response, { url }) => {
    const key = url.endsWith('/login') ? `k${++keys}` : '';
    if (key !== '') known.add(`GET /list?key=${key}`);
    response.end(JSON.stringify({ key }));
  };
  const step = (name: string, path: string, more = {}) => ({ ...spec({ name, path }), ...more });
  const capture = { key: { kind: 'json', path: '$.key' } } as const;
  const ways = [
    { weight: 1, steps: [step('log in', '/login', { capture })] },
    { weight: 4, steps: [step('list', '/list?key=${captured key}')] },
  ];
  const workload = { kind: 'script', parts: [{ kind: 'choice', ways }] } as const;
  generator = await startLoadGenerator({ workload, documents: [] }, reaper);
  const openLoop = { arrivals: 'constant', inFlight: 500 } as const;
  for (const job of [{}, { load: { rate: 150 }, openLoop }] satisfies Partial<LoadJob>[]) {
    const { whole, byRequest } = await run([], job);
    expect(whole.statuses).toEqual({ '200': received.length });
    const lists = urls().filter((url) => !url.endsWith('/login'));
    expect(lists.length).toBeGreaterThan(0);
    expect(lists.filter((url) => !known.has(url))).toEqual([]);
    expect(Object.keys(byRequest).sort()).toEqual(['list', 'log in']);
  }
});

it('starts ${unique} where it is asked to, and counts on through all streams', async () => {
  answer = (response) => void response.end('ok');
  const requests = [spec({ path: '/${unique}' })];
  const workload = { kind: 'requests', requests } as const;
  generator = await startLoadGenerator({ workload, documents: [], uniqueFrom: 7 }, reaper);
  const first = (await run(requests)) && urls().map((path) => Number(path.split('/')[1]));
  const second = (await run(requests)) && urls().map((path) => Number(path.split('/')[1]));
  expect(Math.min(...first)).toBe(7);
  expect(Math.min(...second)).toBeGreaterThan(Math.max(...first));
  expect(new Set([...first, ...second]).size).toBe(first.length + second.length);
});

describe('the load generator', () => {
  it('accounts for every request that the server got, over connections that stay open between turns', async () => {
    answer = (response, { url }) => {
      response.statusCode = url.startsWith('POST') ? 201 : 200;
      response.end('ok');
    };
    const post = spec({ name: 'post', method: 'POST', path: '/b/${unique}', body: { id: '${unique}' } });
    const result = await run([spec({ name: 'get', path: '/a' }), post], {}, { turns: 4, durationMs: 250, fromMs: 50 });
    const { whole, outcomes } = result;
    expect(connections).toBe(5);
    expect(result).toMatchObject({ connectionsOpened: 5, reopened: 0, closingAnswers: 0 });
    expect((whole.statuses['200'] ?? 0) + (whole.statuses['201'] ?? 0)).toBe(received.length);
    expect(whole.statuses['201']).toBe(received.filter(({ url }) => url.startsWith('POST')).length);
    expect(result.byRequest.post?.outcomes.statuses).toEqual({ '201': outcomes.statuses['201'] });
    expect(result.byRequest.get?.outcomes.statuses).toEqual({ '200': outcomes.statuses['200'] });
    expect(result.windowMs).toBe(4 * 200);
    expect(result.loadMs).toBeGreaterThan(4 * 250);
    expect(result.generator.eventLoopUtilisation).toBeGreaterThan(0);
    expect(result.generator.cpuMs).toBeGreaterThan(0);
  });

  it('keeps all connections busy: by Little’s law their latencies fill the window', async () => {
    answer = (response) => setTimeout(() => response.end(), 5);
    const busyShare = async (): Promise<number> => {
      const { latency, windowMs } = await run([spec({})], {}, { durationMs: 500, fromMs: 50 });
      return ((latency.count / windowMs) * latency.meanUs) / 1000 / 5;
    };
    // A request that a machine at a standstill holds beyond the window is not in it: then the next try tells.
    await expect.poll(busyShare).toBeGreaterThan(0.7);
  });

  it('tells of each turn what came of it, and of all together the sum', async () => {
    answer = (response) => response.end('ok');
    const stream = await open([spec({})]);
    const seen: number[] = [];
    let ok = 0;
    for (let turn = 0; turn < 3; turn++) {
      received = [];
      const result = await stream.turn({ durationMs: 500, fromMs: 40, toMs: 440 });
      seen.push(received.length);
      expect(result.whole).toEqual({ statuses: { '200': received.length }, errors: 0, timeouts: 0 });
      expect(result.wallMs).toBeGreaterThanOrEqual(500);
      expect(result.ok).toBeLessThan(received.length);
      expect(result.latencyUs).toBeGreaterThan(0);
      ok += result.ok;
    }
    const { outcomes, whole, latency, windowMs } = await stream.close();
    expect(outcomes.statuses['200'] ?? 0).toBe(ok);
    expect(latency.count).toBe(ok);
    expect(whole.statuses['200']).toBe(seen.reduce((sum, count) => sum + count, 0));
    expect(windowMs).toBe(1200);
  });

  it('sends nothing between turns, nor for another stream', async () => {
    answer = (response) => setTimeout(() => response.end(), 5);
    const one = await open([spec({ path: '/${integer 1 1000000}' })], { seed: 1 });
    const other = await open([], { seed: 2, load: { connections: 3 } });
    received = [];
    const turn = { durationMs: 60, fromMs: 0, toMs: 60 };
    let mine = 0;
    for (let round = 0; round < 3; round++) {
      for (const stream of [one, other]) {
        const before = received.length;
        const { whole } = await stream.turn(turn);
        expect(whole.statuses['200']).toBe(received.length - before);
        if (stream === one) mine += received.length - before;
        await new Promise((resolve) => setTimeout(resolve, 30));
        expect(whole.statuses['200']).toBe(received.length - before);
      }
    }
    expect((await one.close()).whole.statuses['200']).toBe(mine);
    expect((await other.close()).whole.statuses['200']).toBe(received.length - mine);
  });

  it('sends every body once: no two inserts are the same', async () => {
    answer = (response) => response.writeHead(201).end();
    const requests = [spec({ method: 'POST', body: { id: '${unique}' } })];
    await run(requests, {}, { turns: 2, durationMs: 150 });
    const ids = received.map(({ body }) => JSON.parse(body).id);
    await run(requests, {}, { turns: 2, durationMs: 150 });
    const all = [...ids, ...received.map(({ body }) => JSON.parse(body).id)];
    // Every connection has sent one in every turn.
    expect(all.length).toBeGreaterThanOrEqual(20);
    expect(new Set(all).size).toBe(all.length);
  });

  it('sends the same requests for the same seed, whether in one turn or in many', async () => {
    answer = (response) => response.end();
    const requests = [spec({ path: '/${integer 1 1000000}' })];
    const one = { load: { connections: 1 } };
    /** The first requests of a stream, in turns of a length. */
    const firstOf = async (job: Partial<LoadJob>, durationMs: number): Promise<string[]> => {
      received = [];
      const stream = await open(requests, job);
      while (received.length < 20) await stream.turn({ durationMs, fromMs: 0, toMs: durationMs });
      await stream.close();
      return urls().slice(0, 20);
    };
    const first = await firstOf(one, 200);
    expect(await firstOf(one, 5)).toEqual(first);
    expect(await firstOf({ ...one, seed: 2 }, 200)).not.toEqual(first);
  });

  it('measures less than a millisecond as less than a millisecond', async () => {
    answer = (response) => response.end();
    waitsMs = 0;
    const { latency } = await run([spec({})], { load: { connections: 1 } }, { turns: 2 });
    waitsMs = 3;
    expect(latency.p50Us).toBeGreaterThan(20);
    expect([latency.p50Us % 1000, latency.p95Us % 1000, latency.p99Us % 1000]).not.toEqual([0, 0, 0]);
  });

  it('cuts no request off at the end of a turn', async () => {
    answer = (response) => setTimeout(() => response.end(), 150);
    const { whole, loadMs } = await run([spec({})], {}, { turns: 2, durationMs: 250 });
    expect(whole).toEqual({ statuses: { '200': received.length }, errors: 0, timeouts: 0 });
    expect(loadMs).toBeGreaterThan(500);
  });

  it('counts errors by status, hung requests as timeouts and cut connections as errors', async () => {
    let count = 0;
    answer = (response) => {
      const kind = count++ % 5;
      if (kind === 0) response.writeHead(500).end();
      else if (kind === 1) response.end();
      else if (kind === 2) response.socket?.resetAndDestroy();
      else if (kind === 3) response.socket?.end();
      // The fifth is never answered.
    };
    const { whole, latency } = await run([spec({})], { timeoutMs: 4000 }, { durationMs: 4300 });
    const { statuses, errors, timeouts } = whole;
    expect((statuses['200'] ?? 0) + (statuses['500'] ?? 0) + errors + timeouts).toBe(received.length);
    const each = Math.floor(received.length / 5);
    for (const seen of [statuses['500'], statuses['200'], errors / 2, timeouts]) {
      expect(Math.abs((seen ?? 0) - each)).toBeLessThanOrEqual(1);
    }
    expect(latency.count).toBeLessThanOrEqual(statuses['200'] ?? 0);
    // None of the answers was taken for that of a request before it.
    expect(latency.p50Us).toBeLessThan(2_000_000);
  });

  it('keeps the first answer that is not as expected, once', async () => {
    let count = 0;
    answer = (response) => {
      count++;
      response.writeHead(count < 4 ? 200 : 418, { 'content-type': 'text/plain' }).end(`answer ${count}`);
    };
    const stream = await open([spec({})], { load: { connections: 1 } });
    const turn = { durationMs: 150, fromMs: 0, toMs: 150 };
    let failure: TurnResult['failure'];
    while (failure === undefined) failure = (await stream.turn(turn)).failure;
    expect(failure).toEqual({ status: 418, text: 'answer 4' });
    expect(await stream.turn(turn)).not.toHaveProperty('failure');
    await stream.close();
    answer = (response) => response.socket?.destroy();
    const broken = await open([], { load: { connections: 1 } });
    expect((await broken.turn({ ...turn, durationMs: 20 })).failure).toEqual({
      status: null,
      text: 'the connection was closed without a whole answer',
    });
  });

  it('a request that is never answered is waited for until its timeout, where nothing counts only for a while', async () => {
    let hang = true;
    answer = (response) => {
      if (hang) hang = false;
      else response.end();
    };
    const warming = await open([spec({})], { timeoutMs: 90_000 });
    const early = await warming.turn({ durationMs: 100, fromMs: 0, toMs: 100, givesUpEarly: true });
    expect(early.whole.timeouts).toBe(1);
    expect(early.wallMs).toBeGreaterThan(2000);
    // Long before its own time was over.
    expect(early.wallMs).toBeLessThan(60_000);
    await warming.close();
    hang = true;
    const stream = await open([spec({})], { timeoutMs: 3000 });
    const turn = { durationMs: 100, fromMs: 0, toMs: 100 };
    const { whole, wallMs, busyMs } = await stream.turn(turn);
    expect(whole.timeouts).toBe(1);
    expect(wallMs).toBeGreaterThan(2900);
    expect(busyMs).toBeGreaterThan(3000);
    expect((await stream.turn(turn)).whole.timeouts).toBe(0);
    expect((await stream.close()).outcomes.timeouts).toBe(1);
  });

  it('an answer that comes long after its turn counts with all of its latency', async () => {
    let late = true;
    answer = (response) => {
      if (late) setTimeout(() => response.end(), 700);
      else setTimeout(() => response.end(), 5);
      late = false;
    };
    const stream = await open([spec({})], { load: { connections: 2 } });
    const { ok, okByTime, busyMs = 0 } = await stream.turn({ durationMs: 100, fromMs: 0, toMs: 100 });
    const { latency } = await stream.close();
    expect(latency.count).toBe(ok);
    expect(latency.maxUs).toBeGreaterThan(690_000);
    // Of the late one a seventh lay in the window.
    expect(okByTime).toBeLessThan(ok - 0.5);
    expect(busyMs).toBeGreaterThan(700);
  });
});

describe('load that cannot be made', () => {
  it('a server that is not there is a clear error, soon', async () => {
    const stream = await open([spec({})], { url: 'http://127.0.0.1:1' });
    await expect(stream.turn({ durationMs: 60_000, fromMs: 0, toMs: 60_000 })).rejects.toMatchObject({
      code: 'load',
      message: expect.stringMatching(/127\.0\.0\.1:1 failed .*ECONNREFUSED/),
    });
    expect((await stream.close()).connectionsOpened).toBe(0);
  });

  it('stops when aborted, with the reason, and leaves nothing running', async () => {
    answer = (response) => response.end();
    const stream = await open([spec({})]);
    const controller = new AbortController();
    const long = { durationMs: 60_000, fromMs: 0, toMs: 60_000 };
    const running = stream.turn(long, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 200);
    await expect(running).rejects.toThrow('enough');
    const { length } = received;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(received.length).toBeLessThanOrEqual(length + 5);
    // And it is ready for the next, of this stream and of others.
    expect((await stream.turn({ ...long, durationMs: 100 })).whole.statuses['200']).toBeGreaterThan(0);
    await stream.close();
    expect((await run([])).whole.statuses['200']).toBeGreaterThan(0);
  });

  it('says so when its process dies', async () => {
    answer = (response) => response.end();
    const stream = await open([spec({})]);
    const running = stream.turn({ durationMs: 60_000, fromMs: 0, toMs: 60_000 });
    setTimeout(() => void generator?.stop(), 300);
    await expect(running).rejects.toThrow('the load generator ended');
    await expect(stream.close()).rejects.toThrow('the load generator ended');
  });
});
