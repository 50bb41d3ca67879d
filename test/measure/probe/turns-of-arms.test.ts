import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { expect, it } from 'vitest';
import { readProcessTable } from '../../../src/base/process/process-table.ts';
import { msOfTicks } from '../../../src/measure/probe/machine/process-files.ts';
import { processes } from '../../../src/measure/probe/machine/processes.ts';
import { postgresIo } from '../../../src/measure/probe/postgres/postgres-io.ts';
import { postgresLog } from '../../../src/measure/probe/postgres/postgres-log.ts';
import { waitEvents } from '../../../src/measure/probe/postgres/wait-events.ts';
import type { ProbedArm, ProbeKind, ProbeReading } from '../../../src/measure/probe/probe.ts';
import { query } from '../../../src/measure/stack/common/query.ts';
import { withPostgres } from '../stack/postgres.ts';
import { createProbed, type Probed } from './probed.ts';

const probed = createProbed(withPostgres({ preload: ['pg_stat_statements'] }));
const withoutNames = createProbed(withPostgres({ settings: { log_line_prefix: '%m [%p] %e ' } }));

const work = `SELECT sum(sqrt(n)) FROM generate_series(1, 1500000) AS n`;
const nowMs = (): number => performance.timeOrigin + performance.now();

interface Times {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What an arm's only session does in a turn, and when the turn was. */
type TakeTurn = (client: pg.Client, arm: number) => Promise<Times>;

/** The work of a turn. A's statements also fail once a turn. */
const worksInTurn: TakeTurn = async (client, arm) => {
  const fromMs = nowMs();
  await client.query(work);
  if (arm === 0) await client.query('SELECT 1 / 0').catch(() => {});
  return { fromMs, toMs: nowMs() };
};

interface Taken {
  readonly reading: ProbeReading | null;
  readonly loadMs: number;
  /** CPU that the arm's session used in the pass, by its own process's account: within the pass, and around it. */
  readonly sessionCpuMs: { readonly within: number; readonly around: number };
}

interface TwoArms {
  /** What the turn meter tells of each arm. */
  readonly walBytes?: readonly number[];
  readonly postgresCpuMs?: readonly number[];
  readonly takeTurn?: TakeTurn;
  /** Whose server they have. */
  readonly on?: Probed;
}

/** Two arms on one server take turns, A B A B; between turns B makes a mistake. */
async function twoArms(
  open: ProbeKind['open'],
  { walBytes, postgresCpuMs, takeTurn = worksInTurn, on = probed }: TwoArms = {},
): Promise<readonly Taken[]> {
  const databases = [await on.database(), await on.database()];
  const clients = await Promise.all(databases.map((database) => database.client()));
  let loaded = -1;
  const arms = databases.map(
    ({ arm }, index): ProbedArm => ({
      ...arm,
      slice: index,
      arm: `arm ${index}`,
      postgresPid: on.server.postgres.pid ?? 0,
      underLoad: () => loaded === index,
    }),
  );
  const probe = await on.open(open);
  const cpuMs = (): readonly number[] => clients.map(cpuMsOf);
  const cpuAt = [cpuMs()];
  const marks = [];
  for (const arm of arms) marks.push(await probe.begin(arm));
  cpuAt.push(cpuMs());
  const startedMs = nowMs();
  const turns: Times[][] = [[], []];
  for (const turn of [0, 1, 0, 1]) {
    loaded = turn;
    const client = clients[turn];
    if (client !== undefined) turns[turn]?.push(await takeTurn(client, turn));
    loaded = -1;
    await sleep(20);
  }
  await clients[1]?.query('SELECT no_such_column').catch(() => {});
  const passMs = nowMs() - startedMs;
  cpuAt.push(cpuMs());
  const readings: (readonly [ProbeReading | null, number])[] = [];
  for (const [index, mark] of marks.entries()) {
    const own = turns[index] ?? [];
    const loadMs = own.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    const metered = { walBytes: walBytes?.[index] ?? null, postgresCpuMs: postgresCpuMs?.[index] ?? null };
    readings.push([await mark.end({ loadMs, passMs, turns: own, ...metered }), loadMs]);
  }
  cpuAt.push(cpuMs());
  return readings.map(([reading, loadMs], index) => {
    const [before, begun, ended, after] = cpuAt.map((ms) => ms[index] ?? Number.NaN) as [
      number,
      number,
      number,
      number,
    ];
    return { reading, loadMs, sessionCpuMs: { within: ended - begun, around: after - before } };
  });
}

/** Not a number where there is no /proc. */
function cpuMsOf(client: pg.Client): number {
  const pid = (client as pg.Client & { readonly processID: number }).processID;
  return msOfTicks(readProcessTable()?.find((row) => row.pid === pid)?.ticks ?? Number.NaN);
}

it('wait events: one statement samples for both arms, and each has the samples of its own turns', async () => {
  // The session is at work before its turn begins and until after its end, and idle before the next.
  const url = probed.server.postgres.adminUrl();
  const atWork = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND application_name = 'service'`;
  const takeTurn: TakeTurn = async (client) => {
    const work = client.query('SELECT pg_sleep(600)').catch(() => {});
    await expect.poll(() => query(url, atWork)).toHaveLength(1);
    const fromMs = nowMs();
    await sleep(800);
    const toMs = nowMs();
    await query(url, `SELECT pg_cancel_backend(pid) FROM (${atWork}) AS at_work`);
    await work;
    return { fromMs, toMs };
  };
  const taken = await twoArms(waitEvents.open, { takeTurn });
  for (const { reading } of taken) {
    expect(reading?.values.wait_samples).toBeGreaterThanOrEqual(2);
    expect(reading?.values).toMatchObject({ busy_connections_max: 1, busy_connections_mean: 1, connections_mean: 1 });
  }
  expect(probed.warnings).toEqual([]);
});

it('the log: a line is told of the arm whose database it names, between turns too', async () => {
  const taken = await twoArms(postgresLog.open);
  expect(taken.map(({ reading }) => reading?.values.log_errors)).toEqual([2, 1]);
});

it('the log without names of databases: a line is told of the arm in whose turn it was written, and of nobody between turns', async () => {
  const taken = await twoArms(postgresLog.open, { on: withoutNames });
  expect(taken.map(({ reading }) => reading?.values.log_errors)).toEqual([2, 0]);
});

it('postgres-io: of a shared server the WAL is what the turn meter says, and what sessions did is left out', async () => {
  const [one, other] = await twoArms(postgresIo.open, { walBytes: [1024e3, 2048e3] });
  expect(Object.keys(one?.reading?.values ?? {}).sort()).toEqual([
    'bgwriter_buffers',
    'checkpoint_buffers',
    'checkpoint_sync_ms',
    'checkpoint_write_ms',
    'checkpoints',
    'wal_kb_per_s',
  ]);
  const walKb = (taken: Taken | undefined): number =>
    ((taken?.reading?.values.wal_kb_per_s ?? Number.NaN) * (taken?.loadMs ?? 0)) / 1000;
  expect(walKb(one) / 1000).toBeCloseTo(1, 2);
  expect(walKb(other) / 1000).toBeCloseTo(2, 2);
  const [unmetered] = await twoArms(postgresIo.open);
  expect(unmetered?.reading?.values).not.toHaveProperty('wal_kb_per_s');
});

it.skipIf(readProcessTable() === null)(
  'processes: of a shared server the sessions of the arm’s own database',
  async () => {
    for (const { reading, loadMs, sessionCpuMs } of await twoArms(processes.open)) {
      // A tick of 10 ms may be missing at both ends. The other arm's session used as much again.
      const usedMs = (reading?.values.postgres_cpu_cores ?? Number.NaN) * loadMs;
      expect(sessionCpuMs.within).toBeGreaterThan(50);
      expect(usedMs).toBeGreaterThan(sessionCpuMs.within - 25);
      expect(usedMs).toBeLessThan(sessionCpuMs.around + 25);
      expect(reading?.values).toHaveProperty('generator_cpu_cores');
      expect(reading?.values.postgres_memory_max_bytes).toBeGreaterThan(1e6);
    }
  },
);

it.skipIf(readProcessTable() === null)(
  'processes: of a shared server the CPU that the turn meter saw, which has parallel workers and short sessions',
  async () => {
    const taken = await twoArms(processes.open, { postgresCpuMs: [5000, 0] });
    const usedMs = taken.map(({ reading, loadMs }) => (reading?.values.postgres_cpu_cores ?? Number.NaN) * loadMs);
    expect(usedMs[0]).toBeCloseTo(5000, 0);
    expect(usedMs[1]).toBe(0);
    expect(taken[1]?.reading?.values.postgres_memory_max_bytes).toBeGreaterThan(1e6);
  },
);
