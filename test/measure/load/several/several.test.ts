import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startReaper } from '../../../../src/base/process/reaper.ts';
import type { RequestSpec } from '../../../../src/journal/scenario-record.ts';
import { startLoadGenerator } from '../../../../src/measure/load/generator-process.ts';
import type { LoadStream } from '../../../../src/measure/load/load-generator.ts';
import { requestSpec as spec } from '../../../fixtures/request-spec.ts';

/** A load generator of so many processes before a server that listens from here to the end of the test. */
async function openStream(
  server: Server,
  requests: readonly RequestSpec[],
  { processes, connections }: { readonly processes: number; readonly connections: number },
): Promise<LoadStream> {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const reaper = startReaper();
  const workload = { kind: 'requests', requests } as const;
  const generator = await startLoadGenerator({ workload, documents: [], processes }, reaper);
  onTestFinished(async () => {
    await generator.stop();
    server.closeAllConnections();
    server.close();
    await reaper.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return generator.open({ url, load: { connections }, seed: 1, timeoutMs: 30_000 });
}

it('three processes make the load of one: server and bench agree on every count, and no number comes twice', async () => {
  const paths: string[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    response.statusCode = request.url?.startsWith('/bad') ? 500 : 200;
    response.end('ok');
  });
  server.on('connection', () => connections++);
  const requests = [
    spec({ name: 'good', path: '/${unique}', weight: 9 }),
    spec({ name: 'bad', path: '/bad/${unique}', weight: 1 }),
  ];
  const stream = await openStream(server, requests, { processes: 3, connections: 7 });
  let rate = 0;
  const onLive = (requestsPerSecond: number): void => {
    rate = requestsPerSecond;
  };
  const first = await stream.turn({ durationMs: 1200, fromMs: 0, toMs: 1200 }, { onLive });
  const second = await stream.turn({ durationMs: 300, fromMs: 50, toMs: 300 });
  const result = await stream.close();
  expect(connections).toBe(7);
  expect(result).toMatchObject({ connectionsOpened: 7, windowMs: 1450 });
  expect(rate).toBeGreaterThan(0);
  const { statuses } = result.whole;
  expect((statuses['200'] ?? 0) + (statuses['500'] ?? 0)).toBe(paths.length);
  expect(statuses['500']).toBe(paths.filter((path) => path.startsWith('/bad')).length);
  expect(first.wholeOk + second.wholeOk).toBe(statuses['200']);
  expect(first.failure?.status).toBe(500);
  expect(result.latency.count).toBe(result.outcomes.statuses['200']);
  expect(Object.keys(result.byRequest).sort()).toEqual(['bad', 'good']);
  const numbers = paths.map((path) => path.split('/').at(-1));
  expect(new Set(numbers).size).toBe(numbers.length);
});

it('a turn that is broken off ends in all of them', async () => {
  const server = createServer(() => {});
  const stream = await openStream(server, [spec({ path: '/' })], { processes: 2, connections: 4 });
  const abort = new AbortController();
  const turn = stream.turn({ durationMs: 60_000, fromMs: 0, toMs: 60_000 }, { signal: abort.signal });
  abort.abort(new Error('enough'));
  await expect(turn).rejects.toThrow('enough');
});
