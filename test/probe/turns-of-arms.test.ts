import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readProcessTable } from '../../src/probe/machine/process-table.ts';
import { openProcesses } from '../../src/probe/machine/processes.ts';
import { openPostgresIo } from '../../src/probe/postgres/postgres-io.ts';
import { openPostgresLog } from '../../src/probe/postgres/postgres-log.ts';
import { openWaitEvents } from '../../src/probe/postgres/wait-events.ts';
import type { OpenProbe, ProbedArm, ProbeReading } from '../../src/probe/probe.ts';
import { withPostgres } from '../stack/postgres.ts';
import { createProbed } from './probed.ts';

const probed = createProbed(withPostgres({ preload: ['pg_stat_statements'] }));

const work = `SELECT sum(sqrt(n)) FROM generate_series(1, 1500000) AS n`;

/**
 * Two arms on one server take turns, A B A B. In each turn both databases work, so that what a probe tells of the other
 * arm's turn can be seen. A's statements also fail once a turn.
 */
async function twoArms(open: OpenProbe, walBytes?: readonly number[]): Promise<readonly (ProbeReading | null)[]> {
  const databases = [await probed.database(), await probed.database()];
  const clients = await Promise.all(databases.map((database) => database.client()));
  let loaded = -1;
  const arms = databases.map(
    ({ arm }, index): ProbedArm => ({
      ...arm,
      slice: index,
      arm: `arm ${index}`,
      postgresPid: probed.server.postgres.pid ?? 0,
      underLoad: () => loaded === index,
    }),
  );
  const probe = await probed.open(open);
  const marks = [];
  for (const arm of arms) marks.push(await probe.begin(arm));
  const nowMs = (): number => performance.timeOrigin + performance.now();
  const startedMs = nowMs();
  const turns: { fromMs: number; toMs: number }[][] = [[], []];
  for (const turn of [0, 1, 0, 1]) {
    loaded = turn;
    const fromMs = nowMs();
    await clients[turn]?.query(work);
    if (turn === 0) await clients[0]?.query('SELECT 1 / 0').catch(() => {});
    turns[turn]?.push({ fromMs, toMs: nowMs() });
    loaded = -1;
    await sleep(20);
  }
  await clients[1]?.query('SELECT no_such_column').catch(() => {});
  const passMs = nowMs() - startedMs;
  const readings = [];
  for (const [index, mark] of marks.entries()) {
    const own = turns[index] ?? [];
    const loadMs = own.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    readings.push(await mark.end({ loadMs, passMs, turns: own, walBytes: walBytes?.[index] ?? null }));
  }
  return readings;
}

it('wait events: one statement samples for both arms, and each has the samples of its own turns', async () => {
  const readings = await twoArms(openWaitEvents);
  for (const reading of readings) {
    expect(reading?.values.wait_samples).toBeGreaterThanOrEqual(2);
    expect(reading?.values.busy_connections_max).toBe(1);
    expect(reading?.values.busy_connections_mean).toBeGreaterThan(0.5);
    expect(reading?.values.connections_mean).toBe(1);
  }
  expect(probed.warnings).toEqual([]);
});

it('the log: a line is told of the arm in whose turn it was written, and of nobody between turns', async () => {
  const readings = await twoArms(openPostgresLog);
  expect(readings.map((reading) => reading?.values.log_errors)).toEqual([2, 0]);
});

it('postgres-io: of a shared server the WAL is what the turn meter says, and what sessions did is left out', async () => {
  const [one, other] = await twoArms(openPostgresIo, [1024e3, 2048e3]);
  expect(Object.keys(one?.values ?? {}).sort()).toEqual([
    'bgwriter_buffers',
    'checkpoint_buffers',
    'checkpoint_sync_ms',
    'checkpoint_write_ms',
    'checkpoints',
    'wal_kb_per_s',
  ]);
  expect(other?.values.wal_kb_per_s).toBeGreaterThan(one?.values.wal_kb_per_s ?? Number.NaN);
  const [unmetered] = await twoArms(openPostgresIo);
  expect(unmetered?.values).not.toHaveProperty('wal_kb_per_s');
});

it.skipIf(readProcessTable() === null)(
  'processes: of a shared server the sessions of the arm’s own database',
  async () => {
    const readings = await twoArms(openProcesses);
    for (const { values } of readings.flatMap((reading) => reading ?? [])) {
      // One session worked in its turns, as far as the machine let it; the other's work is not among it.
      expect(values.postgres_cpu_cores).toBeGreaterThan(0.2);
      expect(values.postgres_cpu_cores).toBeLessThan(1.3);
      expect(values.generator_cpu_cores).toBeLessThan(1);
      expect(values.postgres_memory_max_bytes).toBeGreaterThan(1e6);
    }
  },
);
