import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { countAll } from '../../../src/journal/outcomes.ts';
import { openHttpStream } from '../../../src/measure/load/http-stream.ts';
import type { LoadStream } from '../../../src/measure/load/load-generator.ts';

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const get = { method: 'GET', path: '/', name: 0 };
let server: Server | null = null;
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server?.close();
});

async function serve(onRequest: (answer: () => void, request: number) => void): Promise<string> {
  let requests = 0;
  server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', () => onRequest(() => socket.writable && socket.write(ANSWER), ++requests));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function streamTo(url: string, connections: number, count: number, limitMs: number): LoadStream {
  const source = { names: ['get'], fixed: get, next: () => get };
  const job = { url, load: { connections }, bounded: { count, limitMs }, seed: 1, timeoutMs: 30_000 };
  return openHttpStream(job, source);
}

const within = (limitMs: number) => ({ durationMs: limitMs, fromMs: 0, toMs: limitMs });

describe('so many requests and no more', () => {
  it.each([
    ['more than connections', 4, 103],
    ['fewer than connections', 30, 7],
    ['as many as connections', 5, 5],
  ])('%s: exactly so many are sent, and their time is that of the turn', async (_, connections, count) => {
    let got = 0;
    const url = await serve((answer, request) => {
      got = request;
      setTimeout(answer, 2);
    });
    const stream = streamTo(url, connections, count, 60_000);
    const { wallMs, ok } = await stream.turn(within(60_000));
    const { bounded, windowMs, whole } = await stream.close();
    expect([got, ok, countAll(whole)]).toEqual([count, count, count]);
    expect(bounded).toEqual({ wanted: count, durationMs: wallMs });
    expect(windowMs).toBe(wallMs);
  });

  it('at the limit the rest is let go: there is no time, and nothing that was not answered counts as failed', async () => {
    const url = await serve((answer, request) => request <= 10 && answer());
    const stream = streamTo(url, 2, 50, 400);
    const { wallMs } = await stream.turn(within(400));
    const { bounded, whole } = await stream.close();
    expect(bounded).toEqual({ wanted: 50, durationMs: null });
    expect(whole).toEqual({ statuses: { 200: 10 }, errors: 0, timeouts: 0 });
    expect(wallMs).toBeGreaterThanOrEqual(399);
  });
});
