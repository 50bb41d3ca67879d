import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHttpStream } from '../../../src/measure/load/http-stream.ts';
import type { LoadResult } from '../../../src/measure/load/load-generator.ts';

const FIRST_MS = 20;
const LAST_MS = 40;
const head = (last: string): string => `HTTP/1.1 200 OK\r\nContent-Length: 2\r\n${last}\r\no`;

let server: Server;
let url = '';

/** The first byte of an answer comes after 20 ms and its last 40 ms later; after /close the connection closes. */
function answer(socket: Socket, text: string): void {
  const closes = text.startsWith('GET /close ');
  setTimeout(() => socket.write(head(closes ? 'Connection: close\r\n' : '')), FIRST_MS);
  setTimeout(() => (closes ? socket.end('k') : socket.write('k')), FIRST_MS + LAST_MS);
}

beforeAll(async () => {
  server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => answer(socket, data.toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => void server.close());

async function load(path: string): Promise<LoadResult> {
  const request = { method: 'GET', path, headers: {}, name: 0 };
  const source = { names: ['get'], next: () => request };
  const job = { url, load: { connections: 3 }, seed: 1, timeoutMs: 30_000 };
  const stream = openHttpStream(job, source);
  // A connection that an answer closed is opened by the first request of the next turn.
  for (const durationMs of [100, 100]) await stream.turn({ durationMs, fromMs: 0, toMs: 10_000 });
  return stream.close();
}

/** Timers may be a millisecond early. */
const SLACK_US = 1500;

test('waiting ends with the first byte and processing with the last', async () => {
  // Where the machine stands still for longer than between the two, both are read at once.
  await expect
    .poll(async () => {
      const { latency, parts } = await load('/');
      const { connect, processing, waiting } = parts ?? {};
      expect([connect, processing, waiting?.count]).toEqual([undefined, undefined, latency.count]);
      expect(waiting?.meanUs).toBeGreaterThan(1000 * FIRST_MS - SLACK_US);
      expect(latency.meanUs).toBeGreaterThan(1000 * (FIRST_MS + LAST_MS) - SLACK_US);
      return latency.meanUs - (waiting?.meanUs ?? 0);
    })
    .toBeGreaterThan((1000 * LAST_MS) / 2);
});

test('connecting belongs to the requests that open their connection', async () => {
  const { latency, parts, closingAnswers } = await load('/close');
  const { connect, processing } = parts ?? {};
  expect(closingAnswers).toBeGreaterThanOrEqual(latency.count);
  expect([connect?.count, processing?.count]).toEqual([latency.count, latency.count]);
  expect(connect?.maxUs).toBeGreaterThan(0);
  // The first requests found their connections open.
  expect(connect?.meanUs).toBeLessThan(connect?.maxUs ?? 0);
  expect((connect?.meanUs ?? 0) + (processing?.meanUs ?? 0)).toBeCloseTo(latency.meanUs, 3);
  expect(processing?.meanUs).toBeGreaterThan(1000 * (FIRST_MS + LAST_MS) - SLACK_US);
});
