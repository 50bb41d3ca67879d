import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import type { RequestSpec } from '../../../../src/journal/scenario-record.ts';
import { readAutocannon } from '../../../../src/judge/external/tools/autocannon.ts';
import { openAutocannonStream } from '../../../../src/measure/load/autocannon/autocannon-stream.ts';
import type { ClosedLoopJob } from '../../../../src/measure/load/http-stream.ts';
import type { LoadResult, TurnResult } from '../../../../src/measure/load/load-generator.ts';
import { declaredRequests } from '../../../../src/measure/load/requests/declared-requests.ts';

let server: Server;
let url: string;
let received: { readonly path: string; readonly body: string }[] = [];
/** Answers that the service has written whole, by status. */
let written: Record<number, number> = {};
let answer: (request: IncomingMessage, response: ServerResponse, nth: number) => void;

beforeEach(async () => {
  received = [];
  written = {};
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const nth = received.push({ path: request.url ?? '', body });
      response.on('finish', () => {
        written[response.statusCode] = (written[response.statusCode] ?? 0) + 1;
      });
      answer(request, response, nth);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const get = { name: 'get', method: 'GET', path: '/', headers: {}, weight: 1 } satisfies RequestSpec;

function streamOf(requests: readonly RequestSpec[], changes: Partial<ClosedLoopJob> = {}) {
  let unique = 0;
  const source = declaredRequests(requests, { random: createRandom(7), unique: () => ++unique, documents: [] });
  const load = { connections: CONNECTIONS, of: 'autocannon' } as const;
  return openAutocannonStream({ url, load, seed: 1, timeoutMs: 5000, ...changes }, source);
}

const CONNECTIONS = 5;
const SECOND = { durationMs: 1000, fromMs: 0, toMs: 1000 };

interface Loaded {
  readonly turn: TurnResult;
  readonly result: LoadResult;
  /** autocannon's own result, as `autocannon --json` prints it. */
  readonly own: ReturnType<typeof JSON.parse>;
}

async function load(
  requests: readonly RequestSpec[],
  changes: Partial<ClosedLoopJob> = {},
  turn = SECOND,
): Promise<Loaded> {
  const stream = streamOf(requests, changes);
  const ended = await stream.turn(turn);
  const result = await stream.close();
  return { turn: ended, result, own: JSON.parse(JSON.stringify(result.ownResults?.[0]?.result)) };
}

/** At the end each connection may have an answer on its way. */
function expectCounted(counted: number | undefined, logged: number | undefined, onTheWay = CONNECTIONS): void {
  const missing = (logged ?? 0) - (counted ?? 0);
  expect(missing).toBeGreaterThanOrEqual(0);
  expect(missing).toBeLessThanOrEqual(onTheWay);
}

describe('load by autocannon', () => {
  it('counts each status and each kind of request as the service logs them, and as autocannon does', async () => {
    answer = ({ url: path }, response) => {
      response.writeHead(path === '/items' ? 201 : path === '/gone' ? 404 : path === '/broken' ? 500 : 200);
      response.end('{"message":"hello"}');
    };
    const { turn, result, own } = await load([
      { ...get, weight: 4 },
      { ...get, name: 'create', method: 'POST', path: '/items', body: { id: '${unique}' }, weight: 2 },
      { ...get, name: 'gone', path: '/gone', expect: [404] },
      { ...get, name: 'broken', path: '/broken' },
    ]);
    const { statuses } = turn.whole;
    expect(Object.keys(statuses)).toEqual(['200', '201', '404', '500']);
    for (const [status, count] of Object.entries(statuses)) expectCounted(count, written[Number(status)]);
    const answered = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    const cutOff = result.probe?.values.autocannon_cut_off ?? 0;
    expect(received.length).toBeGreaterThanOrEqual(answered);
    expect(received.length).toBeLessThanOrEqual(answered + cutOff);
    expect(turn.wholeOk).toBe(answered - (statuses['500'] ?? 0));
    expect(turn.failure).toEqual({ status: 500, text: '{"message":"hello"}' });
    const byName = Object.entries(result.byRequest).map(([name, { outcomes }]) => [
      name,
      Object.keys(outcomes.statuses),
    ]);
    expect(byName).toEqual([
      ['get', ['200']],
      ['create', ['201']],
      ['gone', ['404']],
      ['broken', ['500']],
    ]);
    const ids = received.filter(({ path }) => path === '/items').map(({ body }) => JSON.parse(body).id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(result.connectionsOpened).toBe(CONNECTIONS);

    const byStatus = Object.entries<{ count: number }>(own.statusCodeStats).map(([status, { count }]) => [
      status,
      count,
    ]);
    expect(Object.fromEntries(byStatus)).toEqual(statuses);
    expect(own).toMatchObject({ errors: 0, timeouts: 0, connections: CONNECTIONS, title: 'autocannon, 5 connections' });
    expect(readAutocannon(own)[0]?.samples).toBe(answered);
  });

  it('has the percentiles that autocannon rounds down to whole milliseconds', async () => {
    answer = (_, response, nth) => void setTimeout(() => response.end('ok'), 5 + (nth % 20));
    // All that autocannon counts is in the window.
    const { result, own } = await load([get], {}, { ...SECOND, toMs: 60_000 });
    expect(result.latency.count).toBe(own['2xx']);
    const { p50Us, p99Us } = result.latency;
    expect(Math.abs((p50Us ?? 0) / 1000 - own.latency.p50 - 0.5)).toBeLessThan(1);
    // Of some hundred answers it is between two of them.
    expect((p99Us ?? 0) / 1000).toBeGreaterThan(own.latency.p97_5 - 1);
  });

  it('counts what comes in the window alone', async () => {
    answer = (_, response) => void setTimeout(() => response.end('ok'), 100);
    const { result, turn } = await load([get], {}, { durationMs: 2000, fromMs: 950, toMs: 1950 });
    expect(result.windowMs).toBe(1000);
    const counted = result.outcomes.statuses['200'] ?? 0;
    // Ten in a second, on each connection, where the machine lets them.
    expect(counted).toBeGreaterThan(0);
    expect(counted).toBeLessThanOrEqual(10 * CONNECTIONS);
    expect(turn.whole.statuses['200']).toBeGreaterThan(counted);
    expect(result.latency.p50Us).toBeGreaterThan(99_000);
  });

  it('is not misled by a service that announces to close', async () => {
    answer = (_, response, nth) => {
      if (nth % 5 === 0) response.setHeader('connection', 'close');
      response.end('ok');
    };
    const { turn, result, own } = await load([get]);
    expectCounted(turn.whole.statuses['200'], written[200]);
    expect(turn.whole).toMatchObject({ errors: 0, timeouts: 0 });
    expect(result.closingAnswers).toBeGreaterThan(0);
    const { autocannon_lost: lost = 0, autocannon_cut_off: cutOff = 0 } = result.probe?.values ?? {};
    expect(lost).toBeGreaterThan(0);
    // Its own result has what it lost neither as answers nor as errors, and its latencies run from them.
    expect(own.errors).toBe(0);
    expect(own.requests.sent - own['2xx']).toBe(lost + cutOff);
    expect(own.latency.p50).toBeGreaterThan((2 * (result.latency.p50Us ?? 0)) / 1000);
  });

  it('counts requests whose socket the service closes as failed', async () => {
    let closed = 0;
    answer = (request, response, nth) => {
      if (nth % 7 > 0) return response.end('ok');
      closed++;
      request.socket.destroy();
    };
    const { turn, own } = await load([get]);
    expect(closed).toBeGreaterThan(0);
    expectCounted(turn.whole.errors, closed);
    expectCounted(turn.whole.statuses['200'], written[200]);
    expect(turn.failure).toMatchObject({ status: null });
    expect(own['2xx']).toBe(turn.whole.statuses['200']);
  });

  it('counts timeouts', async () => {
    answer = (_, response, nth) => void (nth % 9 > 0 && response.end('ok'));
    const { turn, own } = await load([get], { timeoutMs: 1000 }, { ...SECOND, durationMs: 3000 });
    expect(turn.whole.timeouts).toBeGreaterThanOrEqual(CONNECTIONS);
    expect(turn.whole).toEqual({ statuses: { 200: own['2xx'] }, errors: 0, timeouts: own.timeouts });
    expect(turn.failure).toEqual({ status: null, text: 'there was no answer in time' });
  });

  it('has so many requests under way on each connection, and knows which answer is whose', async () => {
    answer = ({ url: path }, response) => {
      response.statusCode = path === '/items' ? 201 : 200;
      setTimeout(() => response.end('ok'), 5);
    };
    const { turn, result, own } = await load([get, { ...get, name: 'create', method: 'POST', path: '/items' }], {
      pipelining: 4,
    });
    expect(own.pipelining).toBe(4);
    for (const [status, count] of Object.entries(turn.whole.statuses))
      expectCounted(count, written[Number(status)], 4 * CONNECTIONS);
    expect(result.byRequest.get?.outcomes.statuses).toEqual({ 200: expect.any(Number) });
    expect(result.byRequest.create?.outcomes.statuses).toEqual({ 201: expect.any(Number) });
    expect(result.probe?.values.autocannon_cut_off).toBe(4 * CONNECTIONS);
  });

  it('looks into bodies', async () => {
    answer = (_, response, nth) => response.end(nth % 3 > 0 ? '{"data":{}}' : '{"errors":[{"message":"no"}]}');
    const { turn, result, own } = await load([{ ...get, expectBody: { json: { '$.errors': 'absent' } } }]);
    const answered = turn.whole.statuses['200'] ?? 0;
    expect(answered - turn.wholeOk).toBeGreaterThan(0);
    expect(own.mismatches).toBe(answered - turn.wholeOk);
    expect(result.ok).toBeLessThan(answered);
    expect(turn.failure?.text).toMatch(/^\$\.errors is .*expected absent$/);
  });

  it('sends below the path of the address, requests that are drawn and one that is always the same', async () => {
    answer = (_, response) => response.end('ok');
    const items = { ...get, path: '/items' };
    await load([items], { url: `${url}/api/` }, { ...SECOND, durationMs: 300 });
    await load([items, { ...items, path: '/${unique}' }], { url: `${url}/v2` }, { ...SECOND, durationMs: 300 });
    const paths = new Set(received.map(({ path }) => path.replace(/\d+$/, 'n')));
    expect([...paths].sort()).toEqual(['/api/items', '/v2/items', '/v2/n']);
  });

  it('deals connections to all instances', async () => {
    answer = (_, response) => response.end('ok');
    const other = createServer((_, response) => response.end('ok'));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    let connections = 0;
    other.on('connection', () => connections++);
    const urls = [url, `http://127.0.0.1:${(other.address() as AddressInfo).port}`];
    await load([get], { urls }, { ...SECOND, durationMs: 300 });
    expect(connections).toBe(2);
    other.closeAllConnections();
    other.close();
  });

  it('ends at once where the run is broken off', async () => {
    answer = (_, response) => response.end('ok');
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), 300);
    const turn = streamOf([get]).turn({ ...SECOND, durationMs: 60_000 }, { signal: controller.signal });
    await expect(turn).rejects.toThrow('enough');
    // What is in the sockets is still read.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const before = received.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(received.length).toBe(before);
  });

  it('is an error where the service answers nothing', async () => {
    server.close();
    const turn = streamOf([get]).turn({ ...SECOND, durationMs: 60_000 });
    await expect(turn).rejects.toMatchObject({
      code: 'load',
      message: expect.stringMatching(/without an answer.*ECONNREFUSED/),
    });
  });
});
