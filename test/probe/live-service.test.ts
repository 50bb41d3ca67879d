import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type ProbeName, probeValue } from '../../src/analysis/probe-names.ts';
import { saturationOf } from '../../src/analysis/saturation.ts';
import { openProcesses } from '../../src/probe/processes.ts';
import { openServiceMetrics } from '../../src/probe/service-metrics.ts';
import { startTarget } from '../../src/target/start-target.ts';
import { askServer, school, send } from '../service/harness.ts';
import { withPostgres } from '../stack/postgres.ts';
import { present, testArm, testContext } from './probe-context.ts';

const server = withPostgres({ settings: { fsync: false, synchronous_commit: false } });
const folder = mkdtempSync(join(tmpdir(), 'pgsweep-live-probes-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What probes saw of the built-in service while so many clients wrote schools. */
async function underLoad(poolMax: number, clients: number) {
  const name = `live_${poolMax}_${clients}`;
  await askServer(server.postgres.adminUrl(), `CREATE DATABASE ${name}`);
  const target = await startTarget({
    target: { kind: 'service', service: 'documents', env: { POOL_MAX: String(poolMax) } },
    variant: { name, factors: {}, env: {} },
    databaseUrl: server.postgres.adminUrl(name),
    reaper: server.reaper,
    logFile: join(folder, `${name}.log`),
  });
  const context = testContext({ postgres: server.postgres });
  const probes = [present(await openProcesses(context)), present(await openServiceMetrics(context))];
  try {
    const write = (id: number) => send(target.url, 'POST', '/ed-fi/schools', school(id));
    await Promise.all(Array.from({ length: clients }, (_, i) => write(i)));
    const arm = testArm({ url: target.url, pid: target.pid });
    const marks = await Promise.all(probes.map((probe) => probe.begin(arm)));
    const end = performance.now() + 1500;
    const client = async (i: number): Promise<void> => {
      while (performance.now() < end) await write(i);
    };
    await Promise.all(Array.from({ length: clients }, (_, i) => client(i)));
    const readings = await Promise.all(marks.map((mark) => mark.end()));
    return { values: Object.assign({}, ...readings.map((reading) => reading?.values)), warnings: context.warnings };
  } finally {
    for (const probe of probes) await probe.close();
    await target.stop();
    context.remove();
  }
}

describe('the probes of a real service', () => {
  it('give every value that findings ask for, and show a pool of one as full', async () => {
    const { values, warnings } = await underLoad(1, 12);
    expect(warnings).toEqual([]);
    const wanted: ProbeName[] = [
      'serviceCores',
      'serviceThreadCores',
      'postgresCores',
      'generatorCores',
      'eventLoopShare',
      'poolSize',
      'poolHeldPerS',
      'poolHeldMs',
      'poolAcquirePerS',
      'poolAcquireMs',
    ];
    expect(wanted.filter((name) => probeValue(values, name) === null)).toEqual([]);
    expect(values.pg_pool_max_mean).toBe(1);
    expect(values.event_loop_lag_p99_ms).toBeGreaterThan(0);
    expect(values.nodejs_heap_size_used_mean_bytes).toBeGreaterThan(1e6);
    const pool = saturationOf({ values, cpuCount: 2, generatorUtilisation: null })?.uses.find(
      ({ resource }) => resource === 'pool',
    );
    // One holds the connection, almost all of the others wait for it: some are on their way to or from the client.
    expect(pool?.utilisation).toBeGreaterThan(0.6);
    expect((values.pg_pool_acquire_per_s * values.pg_pool_acquire_mean_ms) / 1000).toBeGreaterThan(6);
  });

  it('show a pool with room for all as such', async () => {
    const { values } = await underLoad(20, 2);
    expect((values.pg_pool_held_per_s * values.pg_pool_held_mean_ms) / 1000).toBeLessThan(2.1);
    expect((values.pg_pool_acquire_per_s * values.pg_pool_acquire_mean_ms) / 1000).toBeLessThan(0.5);
  });
});
