import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { saturationOf } from '../../../../src/judge/explain/saturation.ts';
import { type MetricAlias, type ProbeValues, probeValue } from '../../../../src/judge/read/metrics/metric-aliases.ts';
import { poolUseOf } from '../../../../src/judge/read/metrics/probe-values.ts';
import { processes } from '../../../../src/measure/probe/machine/processes.ts';
import { serviceMetrics } from '../../../../src/measure/probe/metrics/service-metrics.ts';
import { startTarget } from '../../../../src/measure/target/start-target.ts';
import { askServer, school, send } from '../../../sample/service/harness.ts';
import { withPostgres } from '../../stack/postgres.ts';
import { present, testArm, testContext, wholeLoad } from '../probe-context.ts';

const server = withPostgres({ settings: { fsync: false, synchronous_commit: false } });
const folder = mkdtempSync(join(tmpdir(), 'pgsweep-live-probes-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CLIENTS = 12;
/** What probes saw of the built-in service while as many clients wrote, and one lock held all of them up. */
async function heldUp(poolMax: number) {
  const name = `live_${poolMax}`;
  await askServer(server.postgres.adminUrl(), `CREATE DATABASE ${name}`);
  const target = await startTarget({
    target: { kind: 'service', service: 'documents', env: { POOL_MAX: String(poolMax) } },
    variant: { name, factors: {}, env: {} },
    search: null,
    databaseUrl: server.postgres.adminUrl(name),
    reaper: server.reaper,
    logFile: join(folder, `${name}.log`),
  });
  const locker = new pg.Client(server.postgres.adminUrl(name));
  await locker.connect();
  const context = testContext({ postgres: server.postgres });
  const probes = [present(await processes.open(context)), present(await serviceMetrics.open(context))];
  const writeAll = () =>
    Promise.all(Array.from({ length: CLIENTS }, (_, i) => send(target.url, 'POST', '/ed-fi/schools', school(i))));
  /** All write, and are held up until something has happened. */
  const writeHeldUp = async (until: () => boolean | Promise<boolean>): Promise<void> => {
    await locker.query('BEGIN');
    await locker.query('SELECT FROM documents FOR UPDATE');
    const written = writeAll();
    await vi.waitUntil(until, { timeout: 60_000 });
    await locker.query('COMMIT');
    await written;
  };
  const waitingSessions = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  try {
    await writeAll();
    // So that every session that will be needed is there.
    await writeHeldUp(async () => {
      // Within a transaction all questions have the answer of the first.
      await locker.query('SELECT pg_stat_clear_snapshot()');
      return (await locker.query(waitingSessions)).rowCount === Math.min(poolMax, CLIENTS);
    });
    // Whether it is under load is asked before a reading in its middle, and when the answer is there.
    let asked = 0;
    const underLoad = (): boolean => ++asked > 0;
    const arm = testArm({ url: target.url, pid: target.pid, underLoad });
    const marks = await Promise.all(probes.map((probe) => probe.begin(arm)));
    const startedMs = performance.now();
    await writeHeldUp(() => asked >= 2);
    const load = wholeLoad(performance.now() - startedMs);
    const readings = await Promise.all(marks.map((mark) => mark.end(load)));
    const values: ProbeValues = Object.assign({}, ...readings.map((reading) => reading?.values));
    return { values: { ...values, ...poolUseOf(values) }, warnings: context.warnings };
  } finally {
    for (const probe of probes) await probe.close();
    await locker.end();
    await target.stop();
    context.remove();
  }
}

const poolUse = (values: ProbeValues) =>
  saturationOf({ values, cpuCount: 2, generatorUtilisation: null })?.uses.find(({ resource }) => resource === 'pool');

/** Little's law: how many waited for a connection at once. */
const waiting = (values: ProbeValues) =>
  ((probeValue(values, 'poolAcquirePerS') ?? 0) * (probeValue(values, 'poolAcquireMs') ?? 0)) / 1000;

describe('the probes of a real service', () => {
  it('give every value that findings ask for, and show a pool of one as full', async () => {
    const { values, warnings } = await heldUp(1);
    expect(warnings).toEqual([]);
    const wanted: MetricAlias[] = [
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
      'poolTaken',
      'poolWaits',
      'requestPerS',
      'requestMs',
    ];
    expect(wanted.filter((name) => probeValue(values, name) === null)).toEqual([]);
    expect(values.pg_pool_max_mean).toBe(1);
    expect(values.event_loop_lag_p99_ms).toBeGreaterThan(0);
    expect(values.nodejs_heap_size_used_mean_bytes).toBeGreaterThan(1e6);
    const pool = poolUse(values);
    expect(pool?.utilisation).toBeGreaterThan(0.4);
    expect(pool?.text).toMatch(/^pool (0\.\d+|1) of 1 taken \(\d+(\.\d+)? requests wait\)$/);
    expect(waiting(values)).toBeGreaterThan(4);
  });

  it('show a pool with room for all as such', async () => {
    const { values } = await heldUp(20);
    // All are held up just the same, but each with a connection of its own.
    expect(poolUse(values)?.utilisation).toBeLessThan(CLIENTS / 20 + 0.01);
    expect(waiting(values)).toBeLessThan(4);
  });
});
