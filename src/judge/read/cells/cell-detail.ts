import { addTo } from '../../../base/group-by.ts';
import type { ProbeRecord } from '../../../journal/records.ts';
import { poolUseOf } from '../metrics/probe-values.ts';
import type { JudgedSlice } from '../rounds/complete-rounds.ts';
import type { ArmCores } from '../rounds/core-shares.ts';
import { addAllLogged, addLogged, type Logged, newLogged } from './logged.ts';
import { addAllMonitored, addMonitored, type Monitored, newMonitored, numberOf } from './monitored.ts';

/** The totals of a statement over slices. Null where the extension has none. */
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
  /** Cores that the arm had (core-shares.ts), summed over slices in which the CPU of the machine was seen. */
  readonly cores: { slices: number; own: number; mean: number; machineShare: number; othersShare: number };
  /** OpenSearch's cores for it, summed over slices in which it worked for the arm. */
  readonly openSearch: { slices: number; cores: number };
  /** Requests that waited for a connection at once in the first and in the last slice of rounds that have several, added up. */
  readonly waiting: { rounds: number; first: number; last: number };
}

/** A journal of many nights must not fill the memory: rows beyond these are left out. The top statements come first. */
const MOST_STATEMENTS = 60;
const MOST_SHAPES = 4;
const MOST_EVENTS = 40;

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
    cores: { slices: 0, own: 0, mean: 0, machineShare: 0, othersShare: 0 },
    openSearch: { slices: 0, cores: 0 },
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
  const waitingIn = ({ values }: ProbeRecord): number | undefined => poolUseOf(values)?.pool_waiting_mean;
  const first = records.find((record) => waitingIn(record) !== undefined);
  const last = records.findLast((record) => waitingIn(record) !== undefined);
  if (first === undefined || last === undefined || first === last) return;
  detail.waiting.rounds++;
  detail.waiting.first += waitingIn(first) ?? 0;
  detail.waiting.last += waitingIn(last) ?? 0;
}

function addSlice(detail: CellDetail, { slice, probes, conditions, cores }: JudgedSlice): void {
  addHousekeeping(detail, conditions);
  if (cores !== null) addCores(detail, cores);
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

function addCores(detail: CellDetail, { own, mean, openSearch, machineShare, othersShare }: ArmCores): void {
  if (machineShare !== null)
    addCounts(detail.cores, { slices: 1, own, mean, machineShare, othersShare: othersShare ?? 0 });
  if (openSearch !== null) addCounts(detail.openSearch, { slices: 1, cores: openSearch });
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
  // Failed statements have their own line, with their state.
  if (typeof statement !== 'string' || row.sqlstate !== undefined) return;
  const total = statements.get(statement);
  if (total !== undefined) addTotal(total, totalOf(row));
  else if (statements.size < MOST_STATEMENTS) statements.set(statement, totalOf(row));
}

function totalOf(row: Row): StatementTotal {
  return {
    calls: numberOf(row.calls) ?? 0,
    total_ms: numberOf(row.total_ms) ?? 0,
    rows: numberOf(row.rows),
    blocks_hit: numberOf(row.blocks_hit),
    blocks_read: numberOf(row.blocks_read),
    wal_bytes: numberOf(row.wal_bytes),
  };
}

function addTotal(total: StatementTotal, one: Readonly<StatementTotal>): void {
  total.calls += one.calls;
  total.total_ms += one.total_ms;
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
    addCounts(merged.cores, detail.cores);
    addCounts(merged.openSearch, detail.openSearch);
  }
  return merged;
}

function addCounts<Name extends string>(to: Record<Name, number>, from: Readonly<Record<Name, number>>): void {
  for (const name in from) to[name] += from[name];
}
