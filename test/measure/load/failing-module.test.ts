import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { type StartedGenerator, startLoadGenerator } from '../../../src/measure/load/generator-process.ts';
import type { LoadJob } from '../../../src/measure/load/load-generator.ts';

let reaper: Reaper;
let folder: string;
let url: string;
let generator: StartedGenerator | null = null;
const server = createServer((_, response) => setTimeout(() => response.end('ok'), 3));
beforeAll(async () => {
  reaper = startReaper();
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-failing-'));
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

let files = 0;

/** A generator with a module of the user, whose request after the first 20 is made so. */
async function generatorWith(late: string, processes = 1): Promise<StartedGenerator> {
  const file = join(folder, `${files++}.mjs`);
  writeFileSync(
    file,
    `export default () => { let sent = 0; return () => { if (++sent > 20) ${late}; return { path: '/' }; }; };`,
  );
  const workload = { kind: 'module', module: file } as const;
  generator = await startLoadGenerator({ workload, documents: [], processes }, reaper);
  return generator;
}

const job = (level: Partial<LoadJob>): LoadJob => ({
  url,
  load: { connections: 5 },
  seed: 1,
  timeoutMs: 30_000,
  ...level,
});

const openLoop = { arrivals: 'constant', inFlight: 100 } as const;
const beside = { load: { connections: 3, of: 'beside' }, bounded: { count: 1, limitMs: 60_000 } } as const;

it.each([
  ['of a closed loop', {}, 1],
  ['of several processes', { load: { connections: 6 } }, 3],
  ['at a rate', { load: { rate: 300 }, openLoop }, 1],
  ['beside a job', beside, 1],
] as const)(
  'a module that throws under load %s ends the turn with its own words and hint',
  async (_, level, processes) => {
    const own = await generatorWith(
      `throw Object.assign(new Error('no school left'), { hint: 'Make more.' })`,
      processes,
    );
    const stream = await own.open(job(level));
    await expect(stream.turn({ durationMs: 60_000, fromMs: 0, toMs: 60_000 })).rejects.toMatchObject({
      code: 'dataset',
      message: 'no school left',
      hint: 'Make more.',
    });
    // The generator lives: other requests can be made.
    const other = await own.open(job({ load: { rate: 100 }, openLoop }));
    const { whole } = await other.turn({ durationMs: 95, fromMs: 0, toMs: 95 });
    expect(whole.statuses).toEqual({ 200: 10 });
  },
);

it.each(['return', "return { path: '/', expect: 200 }"])('a module that does %s is named', async (late) => {
  const own = await generatorWith(late);
  const stream = await own.open(job({}));
  await expect(stream.turn({ durationMs: 60_000, fromMs: 0, toMs: 60_000 })).rejects.toMatchObject({
    code: 'load',
    message: expect.stringMatching(/^the module .*\.mjs cannot be used: /),
  });
});
