import { addTo } from '../../../base/group-by.ts';
import { countAll } from '../../../journal/outcomes.ts';
import type { ProbeRecord, SliceRecord } from '../../../journal/records.ts';
import { probeValue } from '../metrics/metric-aliases.ts';
import { poolUseOf } from '../metrics/probe-values.ts';
import type { JudgedSlice } from '../rounds/complete-rounds.ts';

/** The totals of a statement over slices. Null where the extension does not tell. */
export interface StatementTotal {
  calls: number;
  total_ms: number;
  rows: number | null;
  blocks_hit: number | null;
  blocks_read: number | null;
  wal_bytes: number | null;
}

/** The rows of probes, and the facts of whole slices beyond their window, added up over the slices of a cell. */
export interface CellDetail {
  /** Slices that have probe records. */
  slices: number;
  /** Answers of any status in those, the uncounted start included: probes see the whole slice. */
  answered: number;
  /** Answers that something was made (201), in those slices and in the warm-ups before them. */
  created: number;
  /** By the statement's text: an id is another one in another database. */
  readonly statements: Map<string, StatementTotal>;
  /** By the statement's text, how often each shape was seen. */
  readonly plans: Map<string, Map<string, number>>;
  /** By wait event (`Lock:transactionid`), the sum of its shares of busy connections in each slice. */
  readonly waits: Map<string, number>;
  readonly monitored: Monitored;
  readonly logged: Logged;
  /** Slices with a checkpoint, or autovacuum, among those whose pass records it. */
  readonly housekeeping: { slices: number; checkpoints: number; autovacuums: number };
  /** Requests that waited for a connection at once in the first and in the last slice of rounds that have several, added up. */
  readonly waiting: { rounds: number; first: number; last: number };
}

/** A journal of many nights must not fill the memory: rows beyond these are left out. The top statements come first. */
const MOST_STATEMENTS = 60;
const MOST_SHAPES = 4;
const MOST_EVENTS = 40;

const summed = ['calls', 'total_ms', 'rows', 'blocks_hit', 'blocks_read', 'wal_bytes'] as const;

/** Nothing seen yet. */
export function newDetail(): CellDetail {
  return {
    slices: 0,
    answered: 0,
    created: 0,
    statements: new Map(),
    plans: new Map(),
    waits: new Map(),
    monitored: newMonitored(),
    logged: newLogged(),
    housekeeping: { slices: 0, checkpoints: 0, autovacuums: 0 },
    waiting: { rounds: 0, first: 0, last: 0 },
  };
}

/**
 * Adds the probe records of a round's slices, in their order, and what was made in the warm-up before them. Slices
 * without probe records add nothing.
 */
export function addRound(detail: CellDetail, slices: readonly JudgedSlice[], createdInWarmup: number): void {
  detail.created += createdInWarmup;
  for (const slice of slices) addSlice(detail, slice);
  const records = slices.flatMap(({ probes }) => probes);
  const [first, ...later] = records.flatMap(({ values }) => poolUseOf(values)?.pool_waiting_mean ?? []);
  const last = later.at(-1);
  if (first === undefined || last === undefined) return;
  detail.waiting.rounds++;
  detail.waiting.first += first;
  detail.waiting.last += last;
}

function addSlice(detail: CellDetail, { slice, probes, conditions }: JudgedSlice): void {
  addHousekeeping(detail, conditions);
  if (probes.length === 0) return;
  detail.slices++;
  detail.answered += Object.values(slice.whole.statuses).reduce((sum, count) => sum + count, 0);
  detail.created += slice.whole.statuses['201'] ?? 0;
  // Both extensions tell the same; the one that everybody has goes first.
  const monitor = probes.findLast(({ probe }) => probe === 'pg-stat-monitor');
  const statements = probes.findLast(({ probe }) => probe === 'pg-stat-statements') ?? monitor;
  for (const row of statements?.rows ?? []) addStatement(detail, row);
  for (const row of monitor?.rows ?? []) addMonitored(detail.monitored, row);
  const log = probes.findLast(({ probe }) => probe === 'postgres-log');
  if (log !== undefined) addLogged(detail.logged, slice, log);
  for (const row of probes.findLast(({ probe }) => probe === 'plans')?.rows ?? []) addPlan(detail, row);
  for (const row of probes.findLast(({ probe }) => probe === 'wait-events')?.rows ?? []) addWait(detail, row);
}

function addHousekeeping({ housekeeping }: CellDetail, conditions: JudgedSlice['conditions']): void {
  if (conditions === null || (conditions.checkpoints === null && conditions.autovacuums === null)) return;
  housekeeping.slices++;
  if ((conditions.checkpoints ?? 0) > 0) housekeeping.checkpoints++;
  if ((conditions.autovacuums ?? 0) > 0) housekeeping.autovacuums++;
}

type Row = NonNullable<ProbeRecord['rows']>[number];

function addStatement({ statements }: CellDetail, row: Row): void {
  const { statement } = row;
  // Failed statements have a line of their own, with their state.
  if (typeof statement !== 'string' || row.sqlstate !== undefined) return;
  const total = statements.get(statement);
  const one = Object.fromEntries(summed.map((name) => [name, numberOf(row[name])])) as Record<
    (typeof summed)[number],
    number | null
  >;
  if (total === undefined) {
    if (statements.size >= MOST_STATEMENTS) return;
    statements.set(statement, { ...one, calls: one.calls ?? 0, total_ms: one.total_ms ?? 0 });
    return;
  }
  addTotal(total, one);
}

function addTotal(total: StatementTotal, one: Readonly<Record<(typeof summed)[number], number | null>>): void {
  total.calls += one.calls ?? 0;
  total.total_ms += one.total_ms ?? 0;
  for (const name of ['rows', 'blocks_hit', 'blocks_read', 'wal_bytes'] as const) {
    const before = total[name];
    const more = one[name];
    total[name] = before === null || more === null ? null : before + more;
  }
}

function addPlan({ plans }: CellDetail, { statement, shape }: Row, count = 1): void {
  if (typeof statement !== 'string' || typeof shape !== 'string') return;
  const shapes = plans.get(statement) ?? new Map<string, number>();
  if (!plans.has(statement) && plans.size >= MOST_STATEMENTS) return;
  plans.set(statement, shapes);
  if (shapes.has(shape) || shapes.size < MOST_SHAPES) addTo(shapes, shape, count);
}

function addWait({ waits }: CellDetail, { event, share }: Row): void {
  if (typeof event !== 'string' || typeof share !== 'number') return;
  if (waits.has(event) || waits.size < MOST_EVENTS) addTo(waits, event, share);
}

/** Several cells as one: both arms of the control. */
export function mergeDetails(details: readonly CellDetail[]): CellDetail {
  const merged = newDetail();
  for (const detail of details) {
    const { slices, answered, created, statements, plans, waits, monitored, housekeeping, waiting } = detail;
    merged.slices += slices;
    merged.answered += answered;
    merged.created += created;
    for (const [statement, total] of statements) {
      const before = merged.statements.get(statement);
      if (before === undefined) merged.statements.set(statement, { ...total });
      else addTotal(before, total);
    }
    for (const [statement, shapes] of plans) {
      for (const [shape, count] of shapes) addPlan(merged, { statement, shape }, count);
    }
    for (const [event, share] of waits) addWait(merged, { event, share });
    addAllMonitored(merged.monitored, monitored);
    addAllLogged(merged.logged, detail.logged);
    addCounts(merged.housekeeping, housekeeping);
    addCounts(merged.waiting, waiting);
  }
  return merged;
}

function addCounts<Name extends string>(to: Record<Name, number>, from: Readonly<Record<Name, number>>): void {
  for (const name in from) to[name] += from[name];
}

/** Errors that Postgres logged beside the requests of some slices. */
interface Logged {
  /** Requests of the slices whose server's log was read. */
  requests: number;
  /** Requests without a 2xx answer as expected. */
  failed: number;
  /** Errors, but for those that services try again after: locks, deadlocks, serialization, and what follows in their transactions. */
  errors: number;
  /** These by their message, without names and numbers. */
  readonly messages: Map<string, number>;
}

const triedAgain = [
  'loggedDeadlocks',
  'lockTimeouts',
  'lockNotAvailable',
  'serializationFailures',
  'abortedTransactions',
] as const;

/** SQLSTATEs that services try again after; a lock timeout has the one of a lock that is not available. */
const triedAgainStates: ReadonlySet<unknown> = new Set(['40P01', '55P03', '40001', '25P02']);
const errorSeverities: ReadonlySet<unknown> = new Set(['ERROR', 'FATAL', 'PANIC']);

/** A journal of many nights must not fill the memory. */
const MOST_MESSAGES = 40;

/** Nothing logged yet. */
function newLogged(): Logged {
  return { requests: 0, failed: 0, errors: 0, messages: new Map() };
}

/** Adds a slice and what the server's log has of it. */
function addLogged(
  logged: Logged,
  { whole, wholeOk }: Pick<SliceRecord, 'whole' | 'wholeOk'>,
  { values, rows = [] }: Pick<ProbeRecord, 'values' | 'rows'>,
): void {
  const requests = countAll(whole) - (whole.unsent ?? 0);
  const answered2xx = Object.entries(whole.statuses).reduce(
    (sum, [status, count]) => sum + (status.startsWith('2') ? count : 0),
    0,
  );
  const again = triedAgain.reduce((sum, name) => sum + (probeValue(values, name) ?? 0), 0);
  logged.requests += requests;
  logged.failed += requests - Math.min(answered2xx, wholeOk ?? answered2xx);
  logged.errors += Math.max(0, (probeValue(values, 'loggedErrors') ?? 0) - again);
  for (const { severity, sqlstate, message, count } of rows) {
    if (!errorSeverities.has(severity) || triedAgainStates.has(sqlstate)) continue;
    if (typeof message === 'string' && typeof count === 'number') addMessage(logged, message, count);
  }
}

/** Adds what another cell logged. */
function addAllLogged(to: Logged, from: Logged): void {
  to.requests += from.requests;
  to.failed += from.failed;
  to.errors += from.errors;
  for (const [message, count] of from.messages) addMessage(to, message, count);
}

function addMessage({ messages }: Logged, message: string, count: number): void {
  if (messages.has(message) || messages.size < MOST_MESSAGES) addTo(messages, message, count);
}

/** Facts about a cell's statements that only pg_stat_monitor has, added up over its slices. */
interface Monitored {
  /** By the statement's text; the top ones come first. */
  readonly statements: Map<string, { readonly responseTimes: Map<string, number>; plan: string | null }>;
  /** By the statement's text and SQLSTATE. */
  readonly failures: Map<string, StatementFailure>;
}

export interface StatementFailure {
  readonly statement: string;
  readonly sqlState: string;
  /** The latest. */
  readonly message: string;
  /** Null where they are counted with the calls that did not fail. */
  readonly calls: number | null;
}

/** A journal of many nights must not fill the memory. */
const MOST_MONITORED = 10;
const MOST_FAILURES = 20;

/** Facts of no statement yet. */
function newMonitored(): Monitored {
  return { statements: new Map(), failures: new Map() };
}

/** Adds a slice's row of the probe: a statement, or one that failed. */
function addMonitored({ statements, failures }: Monitored, row: NonNullable<ProbeRecord['rows']>[number]): void {
  const { statement, response_times, plan, sqlstate, message, calls } = row;
  if (typeof statement !== 'string') return;
  if (typeof sqlstate === 'string') {
    addFailure(failures, { statement, sqlState: sqlstate, message: String(message ?? ''), calls: numberOf(calls) });
  } else if (typeof response_times === 'string') {
    const known = statements.get(statement) ?? { responseTimes: new Map<string, number>(), plan: null };
    if (!statements.has(statement) && statements.size >= MOST_MONITORED) return;
    statements.set(statement, known);
    for (const [label, count] of classesOf(response_times)) addTo(known.responseTimes, label, count);
    if (typeof plan === 'string') known.plan = plan;
  }
}

/** Adds the facts of another cell. */
function addAllMonitored(to: Monitored, from: Monitored): void {
  for (const [statement, { responseTimes, plan }] of from.statements) {
    const known = to.statements.get(statement) ?? { responseTimes: new Map<string, number>(), plan };
    to.statements.set(statement, known);
    for (const [label, count] of responseTimes) addTo(known.responseTimes, label, count);
  }
  for (const failure of from.failures.values()) addFailure(to.failures, failure);
}

function addFailure(failures: Map<string, StatementFailure>, failure: StatementFailure): void {
  const key = `${failure.sqlState} ${failure.statement}`;
  const before = failures.get(key);
  if (before === undefined && failures.size >= MOST_FAILURES) return;
  const calls =
    before === undefined || before.calls === null || failure.calls === null
      ? failure.calls
      : before.calls + failure.calls;
  failures.set(key, { ...failure, calls });
}

/** `0 - 1 ms: 40, 1 - 3 ms: 2` */
function classesOf(text: string): (readonly [string, number])[] {
  return text.split(', ').flatMap((part) => {
    const [, label, count] = /^(.+): (\d+)$/.exec(part) ?? [];
    return label === undefined ? [] : [[label, Number(count)] as const];
  });
}

/** Where a class of response times begins: `10 - 100 ms`, `over 100 ms`. */
export function startOf(label: string): number {
  return Number(/[\d.]+/.exec(label)?.[0] ?? Number.POSITIVE_INFINITY);
}

/** A value of a row as a number; null where it is none. */
function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
