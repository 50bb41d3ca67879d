import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Reaper, startReaper } from '../../../../src/base/process/reaper.ts';
import { type StartedGenerator, startLoadGenerator } from '../../../../src/measure/load/generator-process.ts';
import { keepOwnResults } from '../../../../src/measure/run/round/own-results.ts';

let reaper: Reaper;
let folder: string;
let server: Server;
let url: string;
let generator: StartedGenerator | null = null;
const paths: string[] = [];

beforeAll(async () => {
  reaper = startReaper();
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-autocannon-'));
  server = createServer((request, response) => {
    paths.push(request.url ?? '');
    response.end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await generator?.stop();
  generator = null;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
  await reaper.close();
});

async function streamOf(module: string, processes = 1) {
  const file = join(folder, `${paths.length}.mjs`);
  writeFileSync(file, module);
  generator = await startLoadGenerator(
    { workload: { kind: 'module', module: file }, documents: [], processes },
    reaper,
  );
  const load = { connections: 5, of: 'autocannon' } as const;
  return generator.open({ url, load, seed: 1, timeoutMs: 5000 });
}

const turn = { durationMs: 1000, fromMs: 0, toMs: 1000 };

describe('autocannon in the process of the load generator', () => {
  it('tells its CPU, and is there for the next turn where a request cannot be made', async () => {
    const throwing = `export default () => { let sent = 0; return () => {
      if (++sent === 50) throw new Error('planted');
      return { path: '/' };
    }; };`;
    const stream = await streamOf(throwing);
    await expect(stream.turn(turn)).rejects.toMatchObject({
      code: 'load',
      message: expect.stringMatching(/^the module .* failed: planted$/),
    });
    await stream.turn(turn);
    const { generator: use, ownResults } = await stream.close();
    expect(use.cpuMs).toBeGreaterThan(0);
    expect(use.eventLoopUtilisation).toBeGreaterThan(0);
    expect(ownResults).toHaveLength(1);
  });

  it('refuses a HEAD of a module', async () => {
    const stream = await streamOf(`export default () => () => ({ method: 'HEAD', path: '/' });`);
    await expect(stream.turn(turn)).rejects.toMatchObject({ code: 'load', message: /cannot send HEAD/ });
  });

  it('is one in each process, whose own results are all kept', async () => {
    paths.length = 0;
    const stream = await streamOf('export default ({ unique }) => () => ({ path: `/${unique()}` });', 2);
    const { whole } = await stream.turn(turn);
    const result = await stream.close();
    const answered = whole.statuses['200'] ?? 0;
    expect(paths.length - answered).toBeGreaterThanOrEqual(0);
    expect(paths.length - answered).toBeLessThanOrEqual(5);
    expect(new Set(paths).size).toBe(paths.length);
    expect(result.probe?.values).toEqual({
      autocannon_requests_per_s: expect.any(Number),
      autocannon_lost: 0,
      autocannon_cut_off: 5,
    });
    keepOwnResults(folder, { round: 2, slice: 7 }, result);
    expect(readdirSync(join(folder, 'autocannon')).sort()).toEqual([
      'round-2-slice-7-process-2.json',
      'round-2-slice-7.json',
    ]);
    const kept = readdirSync(join(folder, 'autocannon')).map((file) =>
      JSON.parse(readFileSync(join(folder, 'autocannon', file), 'utf8')),
    );
    expect(kept.map(({ connections }) => connections).sort()).toEqual([2, 3]);
    expect(kept.reduce((sum, one) => sum + one['2xx'], 0)).toBe(answered);
  });
});
