import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPoster } from '../../../src/measure/load/bulk/poster.ts';
import { openHttpStream } from '../../../src/measure/load/http-stream.ts';
import type { LoadStream } from '../../../src/measure/load/load-generator.ts';
import { openRateStream } from '../../../src/measure/load/open-loop/rate-stream.ts';
import { scriptSource } from '../../../src/measure/load/script/script-source.ts';
import { openUsersStream } from '../../../src/measure/load/script/users-stream.ts';

interface Instance {
  readonly server: Server;
  readonly sockets: Set<Socket>;
  readonly url: string;
  connections: number;
  requests: number;
}

let instances: Instance[] = [];

async function instance(): Promise<Instance> {
  const server = createServer((socket) => {
    started.connections++;
    started.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', () => {
      started.requests++;
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const started: Instance = { server, sockets: new Set(), url, connections: 0, requests: 0 };
  return started;
}

beforeEach(async () => {
  instances = await Promise.all([instance(), instance(), instance()]);
});
afterEach(() => {
  for (const { server, sockets } of instances) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

const job = () => {
  const urls = instances.map(({ url }) => url);
  return { url: urls[0] ?? '', urls, seed: 1, timeoutMs: 30_000 };
};
const source = { names: ['get'], next: () => ({ method: 'GET', path: '/', name: 0 }) };
const connections = (): number[] => instances.map((one) => one.connections);
const requests = (): number[] => instances.map((one) => one.requests);

async function turn(stream: LoadStream, durationMs = 100): Promise<number> {
  const { wholeOk } = await stream.turn({ durationMs, fromMs: 0, toMs: durationMs });
  await stream.close();
  return wholeOk;
}

describe('the load on several instances', () => {
  it('of connections is dealt to them in turn, each connection to one of them', async () => {
    const ok = await turn(openHttpStream({ ...job(), load: { connections: 7 } }, source));
    expect(connections()).toEqual([3, 2, 2]);
    expect(Math.min(...requests())).toBeGreaterThan(0);
    expect(ok).toBe(requests().reduce((sum, count) => sum + count, 0));
  });

  it('reaches as many of them as there are connections', async () => {
    await turn(openHttpStream({ ...job(), load: { connections: 2 } }, source));
    expect(connections()).toEqual([1, 1, 0]);
  });

  it('of users is dealt to them in turn: a user stays with one', async () => {
    const { url } = job();
    const step = { name: 'get', method: 'GET', path: '/', headers: {} } as const;
    const script = scriptSource({ kind: 'script', parts: [{ kind: 'step', step }] }, { seed: 1, url, unique: () => 1 });
    await turn(openUsersStream({ ...job(), load: { users: 4 } }, script));
    expect(connections()).toEqual([2, 1, 1]);
  });

  it('of a rate is dealt by requests, so that few connections do not mean few instances', async () => {
    const openLoop = { arrivals: 'constant', inFlight: 100 } as const;
    const ok = await turn(openRateStream({ ...job(), load: { rate: 200 }, openLoop }, source), 300);
    const [least, most] = [Math.min(...requests()), Math.max(...requests())];
    expect(least).toBeGreaterThan(0);
    expect(most - least).toBeLessThanOrEqual(1);
    expect(ok).toBeGreaterThan(3);
  });

  it('of documents is dealt by connections', async () => {
    const poster = openPoster({ ...job(), connections: 5 });
    await poster.connect();
    await expect.poll(connections).toEqual([2, 2, 1]);
    poster.close();
  });
});
