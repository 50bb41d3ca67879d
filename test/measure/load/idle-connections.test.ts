import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openHttpStream } from '../../../src/measure/load/http-stream.ts';
import type { LoadStream } from '../../../src/measure/load/load-generator.ts';
import type { RequestSource } from '../../../src/measure/load/request-source.ts';

const CONNECTIONS = 6;
const turn = { durationMs: 40, fromMs: 0, toMs: 40 };
let close: () => void = () => {};
afterEach(() => close());

function streamTo(port: number, connections = CONNECTIONS): LoadStream {
  let number = 0;
  const source: RequestSource = {
    names: ['get'],
    next: () => ({ method: 'GET', path: `/${number++}`, name: 0 }),
  };
  return openHttpStream({ url: `http://127.0.0.1:${port}`, load: { connections }, seed: 1, timeoutMs: 30_000 }, source);
}

async function listen(server: Server | ReturnType<typeof createRawServer>): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** A server that counts, and answers over a socket, below HTTP libraries. */
async function startRaw(onRequest: (socket: Socket, request: string, ofSocket: number) => void) {
  const seen = { connections: 0, requests: [] as string[] };
  const server = createRawServer((socket) => {
    seen.connections++;
    let ofSocket = 0;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      for (const request of data.toString().split('\r\n\r\n').slice(0, -1)) {
        const path = request.split(' ')[1] ?? '';
        seen.requests.push(path);
        onRequest(socket, path, ofSocket++);
      }
    });
  });
  return { seen, port: await listen(server) };
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

describe('connections that a service closes while they are idle', () => {
  it('by its keep-alive time: they are open again before the turn, and nothing failed', async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests++;
      response.end('ok');
    });
    server.keepAliveTimeout = 1000;
    let [connections, closed] = [0, 0];
    server.on('connection', (socket) => {
      connections++;
      socket.on('close', () => closed++);
    });
    const stream = streamTo(await listen(server));
    await stream.turn(turn);
    expect(connections).toBe(CONNECTIONS);
    // Node allows one second more.
    await expect.poll(() => closed).toBe(CONNECTIONS);
    await stream.turn(turn);
    const { whole, connectionsOpened, reopened } = await stream.close();
    expect(whole).toEqual({ statuses: { '200': requests }, errors: 0, timeouts: 0 });
    expect(connections).toBe(2 * CONNECTIONS);
    expect({ connectionsOpened, reopened }).toEqual({ connectionsOpened: 2 * CONNECTIONS, reopened: CONNECTIONS });
  });

  it('at the very moment of the next request: it is sent again, and nothing failed', async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests++;
      response.end('ok');
    });
    const stream = streamTo(await listen(server));
    await stream.turn(turn);
    for (let i = 0; i < 20; i++) {
      await sleep(10);
      // Requests are written before the event loop gets to know of it.
      server.closeIdleConnections();
      await stream.turn({ durationMs: 10, fromMs: 0, toMs: 10 });
    }
    const { whole, connectionsOpened, reopened } = await stream.close();
    expect(whole).toEqual({ statuses: { '200': requests }, errors: 0, timeouts: 0 });
    expect({ connectionsOpened, reopened }).toEqual({
      connectionsOpened: 21 * CONNECTIONS,
      reopened: 20 * CONNECTIONS,
    });
  });

  it.each(['reset', 'closed'])(
    'a first request after the gap that was read, and its connection %s, has failed',
    async (how) => {
      let cutting = false;
      const { seen, port } = await startRaw((socket, _path, ofSocket) => {
        if (ofSocket === 0 || !cutting) socket.write(OK);
        else if (how === 'reset') socket.resetAndDestroy();
        else socket.destroy();
      });
      const stream = streamTo(port);
      await stream.turn(turn);
      await sleep(20);
      const first = seen.requests.length;
      cutting = true;
      const { whole } = await stream.turn(turn);
      const sent = seen.requests.slice(first);
      const { reopened } = await stream.close();
      expect(reopened).toBe(0);
      expect(whole.errors).toBeGreaterThanOrEqual(CONNECTIONS);
      expect((whole.statuses['200'] ?? 0) + whole.errors).toBe(sent.length);
      expect(new Set(sent).size).toBe(sent.length);
    },
  );

  it('after a notice that nobody asked for, such as 408', async () => {
    const sockets = new Set<Socket>();
    const { seen, port } = await startRaw((socket) => {
      socket.write(OK);
      sockets.add(socket);
    });
    const stream = streamTo(port);
    await stream.turn(turn);
    for (const socket of sockets) socket.end('HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n');
    // The bench has heard of it once it has closed its side.
    await expect.poll(() => [...sockets].every(({ closed }) => closed)).toBe(true);
    await stream.turn(turn);
    const { whole, reopened } = await stream.close();
    expect(whole).toEqual({ statuses: { '200': seen.requests.length }, errors: 0, timeouts: 0 });
    expect(reopened).toBe(CONNECTIONS);
  });

  it.each([
    ['as Node says by default', '\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5', 4500, true],
    ['as it says for a second', '\r\nkeep-alive: timeout=1, max=100', 600, true],
    ['as it does not say, at the usual time', '', 4500, true],
    ['long before that time', '\r\nKeep-Alive: timeout=72', 4500, false],
  ])('nearly, %s: they are renewed before they are used, and counted', async (_, headers, idleMs, renewed) => {
    let idle = false;
    const old = new Set<Socket>();
    // A socket that was idle is closed just when the request has arrived, as in a race that the service wins.
    const { seen, port } = await startRaw((socket) => {
      if (idle && renewed && old.has(socket)) socket.destroy();
      else socket.write(`HTTP/1.1 200 OK${headers}\r\nContent-Length: 2\r\n\r\nok`);
      if (!idle) old.add(socket);
    });
    const stream = streamTo(port);
    await stream.turn(turn);
    const { now } = performance;
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + idleMs);
    onTestFinished(() => void vi.restoreAllMocks());
    idle = true;
    await stream.turn(turn);
    const { whole, reopened } = await stream.close();
    expect(whole).toEqual({ statuses: { '200': seen.requests.length }, errors: 0, timeouts: 0 });
    expect(reopened).toBe(renewed ? CONNECTIONS : 0);
    expect(seen.connections).toBe(CONNECTIONS + reopened);
  });

  it('Fastify keeps them for 72 s: nothing is opened again', async () => {
    const fastify = Fastify();
    let requests = 0;
    fastify.get('/*', async () => `${++requests}`);
    await fastify.listen({ host: '127.0.0.1', port: 0 });
    const stream = streamTo((fastify.server.address() as AddressInfo).port);
    for (let i = 0; i < 3; i++) {
      await stream.turn(turn);
      await sleep(100);
    }
    const { whole, connectionsOpened, reopened } = await stream.close();
    await fastify.close();
    expect(whole).toEqual({ statuses: { '200': requests }, errors: 0, timeouts: 0 });
    expect({ connectionsOpened, reopened }).toEqual({ connectionsOpened: CONNECTIONS, reopened: 0 });
  });
});

describe('connections that a service closes after each answer', () => {
  it('it says so: one for each request, timed rightly, and none of them reopened', async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests++;
      setTimeout(() => response.setHeader('connection', 'close').end(), 20);
    });
    const stream = streamTo(await listen(server));
    for (let i = 0; i < 3; i++) await stream.turn({ durationMs: 100, fromMs: 0, toMs: 100 });
    const { whole, closingAnswers, connectionsOpened, reopened, latency } = await stream.close();
    expect(whole).toEqual({ statuses: { '200': requests }, errors: 0, timeouts: 0 });
    expect({ closingAnswers, connectionsOpened, reopened }).toEqual({
      closingAnswers: requests,
      connectionsOpened: requests,
      reopened: 0,
    });
    expect(latency.meanUs).toBeGreaterThan(15_000);
  });

  it('HTTP/1.0, with and without a length', async () => {
    let count = 0;
    const { seen, port } = await startRaw((socket) => {
      socket.end(count++ % 2 === 0 ? 'HTTP/1.0 200 OK\r\n\r\nok' : 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
    const stream = streamTo(port);
    for (let i = 0; i < 2; i++) await stream.turn(turn);
    const { whole, connectionsOpened, reopened } = await stream.close();
    expect(whole).toEqual({ statuses: { '200': seen.requests.length }, errors: 0, timeouts: 0 });
    expect(connectionsOpened).toBe(seen.connections);
    expect(reopened).toBe(0);
  });

  it('tells closing answers from connections that break', async () => {
    let count = 0;
    const broken = { closed: 0, cut: 0, requests: 0 };
    const server = createServer((_request, response) => {
      count++;
      broken.requests++;
      if (count % 7 === 0) {
        broken.cut++;
        response.socket?.destroy();
        return;
      }
      if (count % 5 === 0) {
        broken.closed++;
        response.setHeader('connection', 'close');
      }
      response.end();
    });
    const stream = streamTo(await listen(server));
    const { whole } = await stream.turn({ durationMs: 200, fromMs: 0, toMs: 200 });
    const { closingAnswers, reopened } = await stream.close();
    expect({ closingAnswers, reopened, errors: whole.errors }).toEqual({
      closingAnswers: broken.closed,
      reopened: 0,
      errors: broken.cut,
    });
    expect(whole.statuses['200']).toBe(broken.requests - broken.cut);
  });
});
