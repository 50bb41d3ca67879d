import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { basePath, pathBelow } from '../../../src/measure/load/base-path.ts';
import { openHttpStream } from '../../../src/measure/load/http-stream.ts';
import type { LoadStream } from '../../../src/measure/load/load-generator.ts';
import { openRateStream } from '../../../src/measure/load/open-loop/rate-stream.ts';
import { scriptSource } from '../../../src/measure/load/script/script-source.ts';
import { openUsersStream } from '../../../src/measure/load/script/users-stream.ts';

it('is the path of an address without a slash at its end', () => {
  const paths = ['http://h', 'http://h/', 'http://h/api', 'http://h/a/b/'].map((url) => basePath(new URL(url)));
  expect(paths).toEqual(['', '', '/api', '/a/b']);
});

it('is left out of the addresses below it', () => {
  const url = new URL('http://h:80/api/');
  const below = (address: string) => pathBelow(address, url);
  expect(['http://h/api', 'http://h/api?a=1', 'http://h/api/items?a=1'].map(below)).toEqual(['', '?a=1', '/items?a=1']);
  expect(['http://h/api2/items', 'http://h', 'http://h:8080/api', 'https://h/api', '/api'].map(below)).toEqual([
    '/api2/items',
    '',
    null,
    null,
    null,
  ]);
});

describe('a service below a path', () => {
  let server: Server;
  let url: string;
  let got: Set<string>;
  beforeEach(async () => {
    got = new Set();
    server = createServer((request, response) => {
      got.add(`${request.url} ${request.headers.cookie ?? ''}`);
      response.setHeader('set-cookie', 'sid=1; Path=/api');
      response.end('ok');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const job = () => ({ url, seed: 1, timeoutMs: 30_000 });
  const request = { method: 'GET', path: '/items', name: 0 };
  const source = { names: ['get'], next: () => request };

  async function turn(stream: LoadStream): Promise<void> {
    const { wholeOk } = await stream.turn({ durationMs: 200, fromMs: 0, toMs: 200 });
    await stream.close();
    expect(wholeOk).toBeGreaterThan(0);
  }

  it('gets the load there, whatever kind it is', async () => {
    const openLoop = { arrivals: 'constant', inFlight: 10 } as const;
    await turn(openHttpStream({ ...job(), load: { connections: 2 } }, source));
    await turn(openHttpStream({ ...job(), load: { connections: 2 } }, { ...source, fixed: request }));
    await turn(openRateStream({ ...job(), load: { rate: 100 }, openLoop }, source));
    expect([...got]).toEqual(['/api/items ']);
  });

  it('has its cookies back', async () => {
    const step = { name: 'get', method: 'GET', path: '/items', headers: {} } as const;
    const parts = [{ kind: 'step', step }] as const;
    const script = scriptSource({ kind: 'script', parts }, { seed: 1, url, unique: () => 1 });
    await turn(openUsersStream({ ...job(), load: { users: 1 } }, script));
    expect([...got]).toEqual(['/api/items ', '/api/items sid=1']);
  });
});
