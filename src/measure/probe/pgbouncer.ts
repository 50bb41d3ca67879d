import { readProc } from '../../base/process/read-proc.ts';
import { msOfTicks, threadTicks } from './machine/process-files.ts';
import type { AbsentProbe, LoadTimes, Probe, ProbeContext, ProbedArm, ProbeKind, ProbeReading } from './probe.ts';
import { type Samples, sampledProbe } from './sampled-probe.ts';

const NAME = 'pgbouncer';

/** PgBouncer answers both commands in well under a millisecond. */
const EVERY_MS = 500;

/**
 * Waits and connections of an arm's PgBouncer: how many clients waited for a connection of the database, how long, and how
 * many connections were in use. Counters are of the arm's own database and complete (SHOW STATS); numbers of connections are
 * sampled in its turns (SHOW POOLS). CPU is one thread's: PgBouncer has no other.
 */
export const pgBouncer: ProbeKind = { name: NAME, of: 'machine', open };

async function open(context: ProbeContext): Promise<Probe | AbsentProbe> {
  if (context.hasPooler !== true) return { name: NAME, absent: 'no variant has a PgBouncer before its database' };
  const probe = sampledProbe<Raw, Reading>({
    name: NAME,
    context,
    columns: [...gauges, 'transactions', 'queries', 'wait_us'],
    everyMs: EVERY_MS,
    reader: readerOf,
    digest: ({ stats, pools, cpuMs }) => ({ ...countersOf(stats), ...gaugesOf(pools), cpuMs }),
    rows: (reading) => [
      [...gauges.map((name) => reading[name]), reading.transactions, reading.queries, reading.waitUs],
    ],
    values: pgBouncerValues,
  });
  return {
    ...probe,
    // Another arm may have none.
    begin: async (arm) => (arm.pooler === undefined ? { end: async () => null } : probe.begin(arm)),
  };
}

type Row = Readonly<Record<string, unknown>>;

interface Raw {
  readonly stats: readonly Row[];
  readonly pools: readonly Row[];
  /** CPU since it started; null where it cannot be read. */
  readonly cpuMs: number | null;
}

function readerOf({ pooler }: ProbedArm): () => Promise<Raw> {
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

const gauges = ['clients', 'clients_waiting', 'servers', 'servers_in_use', 'longest_wait_ms'] as const;

type Gauges = Readonly<Record<(typeof gauges)[number], number>>;

interface Counters {
  readonly transactions: number;
  readonly queries: number;
  /** How long all clients together have waited. */
  readonly waitUs: number;
  readonly inTransactionUs: number;
  readonly queryUs: number;
}

/** At one moment. */
export type Reading = Counters & Gauges & { readonly cpuMs: number | null };

/** Name of PgBouncer's console database. */
const CONSOLE = 'pgbouncer';

/** Counters of all databases but its console, since it started: numbers that are too large for a double come as text. */
export function countersOf(stats: readonly Row[]): Counters {
  const sum = sumOver(stats);
  return {
    transactions: sum('total_xact_count'),
    queries: sum('total_query_count'),
    waitUs: sum('total_wait_time'),
    inTransactionUs: sum('total_xact_time'),
    queryUs: sum('total_query_time'),
  };
}

export function gaugesOf(pools: readonly Row[]): Gauges {
  const sum = sumOver(pools);
  const own = pools.filter(({ database }) => database !== CONSOLE);
  const waits = own.map(({ maxwait, maxwait_us }) => 1000 * Number(maxwait ?? 0) + Number(maxwait_us ?? 0) / 1000);
  return {
    clients: sum('cl_active') + sum('cl_waiting'),
    clients_waiting: sum('cl_waiting'),
    servers: sum('sv_active') + sum('sv_idle') + sum('sv_used') + sum('sv_tested') + sum('sv_login'),
    servers_in_use: sum('sv_active'),
    longest_wait_ms: Math.max(0, ...waits),
  };
}

function sumOver(rows: readonly Row[]): (column: string) => number {
  const own = rows.filter(({ database }) => database !== CONSOLE);
  return (column) => own.reduce((sum, row) => sum + Number(row[column] ?? 0), 0);
}

/** A wait is counted when it ends. If many more clients are seen waiting than were counted, their waits have not ended. */
const CLEARLY_MORE = 2;

/**
 * Means follow from the counters by Little's law: microseconds that all clients waited together, by the time that passed, are
 * how many waited at once. Empty where PgBouncer restarted in between.
 */
export function pgBouncerValues(
  samples: Samples<Reading>,
  { loadMs }: Pick<LoadTimes, 'loadMs'>,
): ProbeReading['values'] {
  const [first] = samples;
  const last = samples.at(-1) ?? first;
  const between = (name: keyof Counters): number => last.value[name] - first.value[name];
  const transactions = between('transactions');
  if (transactions < 0 || loadMs <= 0) return {};
  const seconds = loadMs / 1000;
  const atOnce = (name: keyof Counters): number => between(name) / 1000 / loadMs;
  const seen = samples.slice(1, -1).map(({ value }) => value);
  const mean = (name: keyof Gauges): number => seen.reduce((sum, one) => sum + one[name], 0) / seen.length;
  const most = (name: keyof Gauges): number => Math.max(...seen.map((one) => one[name]));
  const { cpuMs } = last.value;
  const counted = atOnce('waitUs');
  const queued = seen.length === 0 ? 0 : mean('clients_waiting');
  return {
    pgbouncer_transactions_per_s: transactions / seconds,
    pgbouncer_queries_per_s: between('queries') / seconds,
    ...(transactions > 0 && { pgbouncer_wait_per_transaction_ms: between('waitUs') / 1000 / transactions }),
    pgbouncer_clients_waiting_mean: queued >= CLEARLY_MORE * counted + 1 ? queued : counted,
    pgbouncer_in_transaction_mean: atOnce('inTransactionUs'),
    pgbouncer_querying_mean: atOnce('queryUs'),
    ...(seen.length > 0 && {
      pgbouncer_clients_mean: mean('clients'),
      pgbouncer_clients_waiting_max: most('clients_waiting'),
      pgbouncer_servers_mean: mean('servers'),
      pgbouncer_servers_in_use_mean: mean('servers_in_use'),
      pgbouncer_longest_wait_ms: most('longest_wait_ms'),
    }),
    ...(cpuMs !== null && first.value.cpuMs !== null && { pgbouncer_cpu_cores: (cpuMs - first.value.cpuMs) / loadMs }),
  };
}
