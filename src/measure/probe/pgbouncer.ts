import { readProc } from '../../base/process/read-proc.ts';
import { addedUp, type Counter, type Counts, eachRow, tableOf, valuesIn, valuesOf } from './counters.ts';
import { msOfTicks, threadTicks } from './machine/process-files.ts';
import type { AbsentProbe, LoadTimes, Probe, ProbeContext, ProbedArm, ProbeKind, ProbeReading } from './probe.ts';
import { type Samples, sampledProbe } from './sampled-probe.ts';

const NAME = 'pgbouncer';

/** PgBouncer answers both commands in well under a millisecond. */
const EVERY_MS = 500;

/** A counter of PgBouncer, and the columns of SHOW STATS (counts since it started) or SHOW POOLS (now) that it is the sum of. */
interface PoolerCounter extends Counter {
  readonly stats?: string;
  readonly pools?: readonly string[];
}

/**
 * Means follow from the counters by Little's law: microseconds that all clients waited together, by the time that passed, are
 * how many waited at once. PgBouncer's clocks of a transaction and of a query begin when a client sends it, so they include
 * its wait for a connection, in every mode.
 */
const counters = tableOf<PoolerCounter>()({
  transactions: { value: 'pgbouncer_transactions_per_s', per: 'seconds', stats: 'total_xact_count' },
  queries: { value: 'pgbouncer_queries_per_s', per: 'seconds', stats: 'total_query_count' },
  pgbouncer_wait_per_transaction_ms: { per: 'transactions', times: 1 / 1000, stats: 'total_wait_time' },
  wait_us: { value: 'pgbouncer_clients_waiting_mean', per: 'loadUs', stats: 'total_wait_time' },
  pgbouncer_in_transaction_mean: { per: 'loadUs', stats: 'total_xact_time' },
  pgbouncer_querying_mean: { per: 'loadUs', stats: 'total_query_time' },
  clients: { value: 'pgbouncer_clients_mean', adds: 'mean', pools: ['cl_active', 'cl_waiting'] },
  clients_waiting: { value: 'pgbouncer_clients_waiting_max', adds: 'most', pools: ['cl_waiting'] },
  servers: {
    value: 'pgbouncer_servers_mean',
    adds: 'mean',
    pools: ['sv_active', 'sv_idle', 'sv_used', 'sv_tested', 'sv_login'],
  },
  servers_in_use: { value: 'pgbouncer_servers_in_use_mean', adds: 'mean', pools: ['sv_active'] },
  longest_wait_ms: { value: 'pgbouncer_longest_wait_ms', adds: 'most' },
  /** CPU since it started; null where it cannot be read. */
  cpu_ms: { value: 'pgbouncer_cpu_cores', per: 'loadMs' },
});

/** At one moment. */
export type Reading = Counts<keyof typeof counters>;

/** Columns of the samples. */
const columns = [
  ...(['clients', 'clients_waiting', 'servers', 'servers_in_use', 'longest_wait_ms'] as const),
  ...(['transactions', 'queries', 'wait_us'] as const),
];

/**
 * Waits and connections of an arm's PgBouncer: how many clients waited for a connection of the database, how long, and how
 * many connections were in use. Counters are of the arm's own database and complete (SHOW STATS); numbers of connections are
 * sampled in its turns (SHOW POOLS). CPU is one thread's: PgBouncer has no other.
 */
export const pgBouncer: ProbeKind = { name: NAME, of: 'machine', values: valuesIn(counters), open };

async function open(context: ProbeContext): Promise<Probe | AbsentProbe> {
  if (context.hasPooler !== true) return { name: NAME, absent: 'no variant has a PgBouncer before its database' };
  const probe = sampledProbe<Shown, Reading>({
    name: NAME,
    context,
    columns,
    everyMs: EVERY_MS,
    reader: readerOf,
    digest: readingOf,
    rows: (reading) => [columns.map((name) => reading[name])],
    values: pgBouncerValues,
  });
  return {
    ...probe,
    // Another arm may have none.
    begin: async (arm) => (arm.pooler === undefined ? { end: async () => null } : probe.begin(arm)),
  };
}

type Row = Readonly<Record<string, unknown>>;

/** PgBouncer's console, and its CPU, at one moment. */
interface Shown {
  readonly stats: readonly Row[];
  readonly pools: readonly Row[];
  readonly cpuMs: number | null;
}

function readerOf({ pooler }: ProbedArm): () => Promise<Shown> {
  return async () => {
    if (pooler === undefined) throw new Error('there is no PgBouncer');
    const cpuMs = cpuMsOf(pooler.pid);
    const stats = await pooler.show('STATS');
    return { stats, pools: await pooler.show('POOLS'), cpuMs };
  };
}

/** By nanoseconds where the kernel counts them (schedstat), else by ticks of 10 ms. */
function cpuMsOf(pid: number): number | null {
  const nanoseconds = Number(readProc(`/proc/${pid}/schedstat`)?.split(' ')[0]);
  if (nanoseconds > 0) return nanoseconds / 1e6;
  const ticks = threadTicks(pid, pid);
  return ticks === null ? null : msOfTicks(ticks);
}

/** Name of PgBouncer's console database. */
const CONSOLE = 'pgbouncer';

/** Counters of all databases but its console: numbers that are too large for a double come as text. */
export function readingOf({ stats, pools, cpuMs }: Shown): Reading {
  const own = (rows: readonly Row[]): Row[] => rows.filter(({ database }) => database !== CONSOLE);
  const sum = (rows: readonly Row[], column: string): number =>
    own(rows).reduce((all, row) => all + Number(row[column] ?? 0), 0);
  const waits = own(pools).map(
    ({ maxwait, maxwait_us }) => 1000 * Number(maxwait ?? 0) + Number(maxwait_us ?? 0) / 1000,
  );
  return {
    ...eachRow(counters, ({ stats: counter, pools: gauges = [] }) =>
      counter === undefined ? gauges.reduce((all, column) => all + sum(pools, column), 0) : sum(stats, counter),
    ),
    longest_wait_ms: Math.max(0, ...waits),
    cpu_ms: cpuMs,
  };
}

/** The values of a slice. Empty where PgBouncer restarted in between. */
export function pgBouncerValues(
  samples: Samples<Reading>,
  { loadMs, turns }: Pick<LoadTimes, 'loadMs' | 'turns'>,
): ProbeReading['values'] {
  const readings = samples.map(({ value }) => value);
  const seen = readings.slice(1, -1);
  const counts = addedUp(counters, readings, seen);
  if ((counts.transactions ?? 0) < 0 || loadMs <= 0) return {};
  const used = { ...counts, ...withoutWaits(counts, 1000 * loadMs) };
  const values = valuesOf(counters, used, { seconds: loadMs / 1000, loadMs, loadUs: 1000 * loadMs });
  const counted = values.pgbouncer_clients_waiting_mean ?? 0;
  const waiting = (seen.length === 0 ? readings : seen).map(({ clients_waiting }) => clients_waiting ?? 0);
  const queued = waiting.reduce((sum, one) => sum + one, 0) / waiting.length;
  const isCounted = queued < CLEARLY_MORE * counted + 1 && counted <= (counts.clients ?? counted);
  if (isCounted && !outlastTurns(readings, turns)) return values;
  const { pgbouncer_wait_per_transaction_ms: _, ...others } = values;
  return { ...others, pgbouncer_clients_waiting_mean: queued };
}

/** If many more clients are seen waiting than were counted, their waits have not ended. */
const CLEARLY_MORE = 2;

/**
 * True if waits are longer than the arm's turns, as in session mode. A wait is counted as a whole when it ends, so the
 * slice lacks waits or has parts of them that lie elsewhere: only samples say how many clients wait in it.
 */
function outlastTurns(readings: readonly Reading[], turns: LoadTimes['turns']): boolean {
  const longestMs = Math.max(...turns.map(({ fromMs, toMs }) => toMs - fromMs));
  const isWaitedFor = [readings[0], readings.at(-1)].some((outside) => (outside?.clients_waiting ?? 0) > 0);
  return isWaitedFor || readings.some(({ longest_wait_ms }) => (longest_wait_ms ?? 0) > longestMs);
}

/**
 * Time in transactions and queries without the wait for a connection, in microseconds. No more than all connections could
 * spend: a wait may be counted in one slice, and the transaction that waited in the next.
 */
function withoutWaits(
  counts: Reading,
  loadUs: number,
): Pick<Reading, 'pgbouncer_in_transaction_mean' | 'pgbouncer_querying_mean'> {
  const most = counts.servers === null ? Number.POSITIVE_INFINITY : counts.servers * loadUs;
  const without = (us: number | null): number | null =>
    us === null ? null : Math.min(most, Math.max(0, us - (counts.wait_us ?? 0)));
  return {
    pgbouncer_in_transaction_mean: without(counts.pgbouncer_in_transaction_mean),
    pgbouncer_querying_mean: without(counts.pgbouncer_querying_mean),
  };
}
