import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { isRunning } from '../../../src/base/process/reaper-processes.mjs';
import { openHttpStream } from '../../../src/measure/load/http-stream.ts';
import { processes } from '../../../src/measure/probe/machine/processes.ts';
import { serviceMetrics } from '../../../src/measure/probe/metrics/service-metrics.ts';
import { startTarget } from '../../../src/measure/target/start-target.ts';
import { pidsOf } from '../../../src/measure/target/target.ts';
import { askServer } from '../../sample/service/harness.ts';
import { present, testArm, testContext, wholeLoad } from '../probe/probe-context.ts';
import { withPostgres } from '../stack/postgres.ts';

const server = withPostgres({ settings: { fsync: false, synchronous_commit: false } });
const folder = mkdtempSync(join(tmpdir(), 'pgsweep-two-instances-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('two instances of the sample service share load and database; probes see both; one that dies ends the target', async () => {
  await askServer(server.postgres.adminUrl(), 'CREATE DATABASE two');
  const target = await startTarget({
    target: { kind: 'service', service: 'documents', env: { POOL_MAX: '3' } },
    variant: { name: 'two', factors: {}, env: {}, instances: 2 },
    search: null,
    databaseUrl: server.postgres.adminUrl('two'),
    reaper: server.reaper,
    logFile: join(folder, 'two.log'),
  });
  onTestFinished(async () => void (await target.stop()));
  const { url, urls = [], processes: named = [] } = target;
  const context = testContext({ postgres: server.postgres });
  const probes = [present(await processes.open(context)), present(await serviceMetrics.open(context))];
  const marks = await Promise.all(
    probes.map((probe) => probe.begin(testArm({ url, urls, pid: target.pid, processes: named }))),
  );
  const source = { names: ['get'], next: () => ({ method: 'GET', path: '/ed-fi/schools?limit=5', name: 0 }) };
  const stream = openHttpStream({ url, urls, load: { connections: 4 }, seed: 1, timeoutMs: 30_000 }, source);
  // CPU is counted in ticks of 10 ms.
  let answered = 0;
  for (let turns = 0; turns < 3; turns++)
    answered += (await stream.turn({ durationMs: 300, fromMs: 0, toMs: 300 })).wholeOk;
  const { connectionsOpened } = await stream.close();
  const readings = await Promise.all(marks.map((mark) => mark.end(wholeLoad(900))));
  const values: Record<string, number> = Object.assign({}, ...readings.map((reading) => reading?.values));
  for (const probe of probes) await probe.close();
  expect(connectionsOpened).toBe(4);

  const [first = Number.NaN, second = Number.NaN] = [0, 1].map(
    (number) => values[`service_cpu_cores{process="${number}"}`] ?? Number.NaN,
  );
  expect(Math.min(first, second)).toBeGreaterThan(0);
  expect(values.service_cpu_cores).toBeCloseTo(first + second, 3);
  // The pools of both.
  expect(values.pg_pool_max_mean).toBe(6);
  const loop = values.event_loop_active_busiest_seconds_per_s ?? Number.NaN;
  expect(loop).toBeGreaterThan(0);
  expect(values.event_loop_active_seconds_per_s).toBeGreaterThan(loop);
  const counted = (instance: number): number => {
    const rows = context.samples('service-metrics');
    const name = `http_request_duration_seconds of instance ${instance}`;
    return Number(
      rows
        .filter((row) => row.includes(name) && row.includes('count'))
        .at(-1)
        ?.at(-1),
    );
  };
  expect(Math.min(counted(0), counted(1))).toBeGreaterThan(0);
  expect(counted(0) + counted(1)).toBeGreaterThanOrEqual(answered);
  context.remove();

  const pids = pidsOf(target);
  process.kill(pids[1] ?? 0, 'SIGKILL');
  expect(await target.exited).toBe('instance 1: SIGKILL');
  await target.stop();
  expect(pids.map((pid) => isRunning({ pid, group: false }))).toEqual([false, false]);
});
