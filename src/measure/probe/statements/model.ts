import { type Counts, eachRow, tableOf } from '../counters.ts';
import { countsBetween, type SqlCounter } from '../postgres/column-choices.ts';
import type { SqlSession } from '../postgres/sql-session.ts';

/** Counts of a statement in both extensions, by the names in their versions; times in ms. Values are of all together. */
export const statementCounters = tableOf<SqlCounter>()({
  calls: { value: 'statement_calls', from: ['calls'] },
  total_ms: { value: 'statement_total_ms', from: ['total_exec_time', 'total_time'] },
  rows: { value: 'statement_rows', from: ['rows', 'rows_retrieved'] },
  blocks_hit: { value: 'statement_blocks_hit', from: ['shared_blks_hit'] },
  blocks_read: { value: 'statement_blocks_read', from: ['shared_blks_read'] },
  temp_blocks: { value: 'statement_temp_blocks', from: ['temp_blks_read + temp_blks_written'] },
  wal_bytes: { value: 'statement_wal_kb', from: ['wal_bytes'], times: 1 / 1024 },
  /** Whole pages among them, of each page's first change after a checkpoint. */
  wal_images: { value: 'statement_wal_images', from: ['wal_fpi'] },
  /** Counted only where the server is told to (track_planning). */
  plans: { value: null, from: ['plans', 'plans_calls'] },
  plan_ms: { value: null, from: ['total_plan_time', 'plan_total_time'] },
});

export type StatementCounts = Counts<keyof typeof statementCounters>;

/** A line of either extension's view: one statement, of one user, in one of pg_stat_monitor's buckets. */
export interface StatementEntry {
  /** The statement's id, the same for all its entries. */
  readonly id: string;
  readonly counts: StatementCounts;
  /** Calls by response time, in the classes of `histogramBounds`; pg_stat_monitor alone counts them. */
  readonly histogram?: readonly number[];
  readonly planId?: string | null;
  /** Set in a line whose last call failed or warned. */
  readonly error?: { readonly sqlState: string; readonly message: string };
}

export interface StatementsSource {
  readonly extension: 'pg_stat_statements' | 'pg_stat_monitor';
  /** `0 - 1 ms`; empty where there are no histograms. */
  readonly histogramBounds: readonly string[];
  /** How long nothing of a reading is forgotten: between readings further apart than this, lines have gone. */
  readonly keepsMs: number;
  /** By a key that tells every line from all others. */
  read(database: string): Promise<ReadonlyMap<string, StatementEntry>>;
  /** The whole texts of statements, constants replaced by $1, $2 where the extension does so; and of pg_stat_monitor's plans. */
  texts(database: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Null where the server has no such extension, or the reason why it cannot be read. */
export type OpenStatements = (session: SqlSession) => Promise<StatementsSource | string>;

/** One statement over one slice. */
export interface StatementUse extends StatementEntry {
  readonly planIds: readonly string[];
}

export interface SliceStatements {
  /** Those that ran, most time first. */
  readonly statements: readonly StatementUse[];
  /** Those that failed or warned, most frequent first; calls are null where they are counted with those that did not. */
  readonly errors: readonly StatementEntry[];
}

/** Statements that ran between two readings. A line that is new has begun since; one that shrank was reset. */
export function statementsBetween(
  before: ReadonlyMap<string, StatementEntry>,
  after: ReadonlyMap<string, StatementEntry>,
): SliceStatements {
  const statements = new Map<string, StatementUse>();
  const errors = new Map<string, StatementEntry>();
  for (const [key, entry] of after) {
    const earlier = before.get(key);
    const used = earlier === undefined ? entry : entryBetween(earlier, entry);
    if ((used.counts.calls ?? 0) <= 0) continue;
    // A call that fails takes no time, in pg_stat_monitor's account.
    const onlyFailed = used.error !== undefined && used.counts.total_ms === 0;
    if (!onlyFailed) add(statements, used.id, { ...used, planIds: planIdsOf(used) }, merged);
    if (used.error === undefined || (!onlyFailed && earlier?.error !== undefined)) continue;
    const failed = onlyFailed ? used : { ...used, counts: { ...used.counts, calls: null } };
    add(errors, `${used.id} ${used.error.sqlState}`, failed, entriesTogether);
  }
  return {
    statements: [...statements.values()].sort((a, b) => (b.counts.total_ms ?? 0) - (a.counts.total_ms ?? 0)),
    errors: [...errors.values()].sort((a, b) => (b.counts.calls ?? 0) - (a.counts.calls ?? 0)),
  };
}

/** Adds to what stands there under the same key. */
export function add<Entry>(to: Map<string, Entry>, key: string, entry: Entry, together: (a: Entry, b: Entry) => Entry) {
  const other = to.get(key);
  to.set(key, other === undefined ? entry : together(other, entry));
}

/** Two lines as one. */
export function entriesTogether(one: StatementEntry, other: StatementEntry): StatementEntry {
  const { histogram } = other;
  return {
    ...one,
    ...(one.error === undefined && other.error && { error: other.error }),
    counts: sumOf([one.counts, other.counts]),
    ...(histogram && { histogram: histogram.map((calls, index) => calls + (one.histogram?.[index] ?? 0)) }),
  };
}

function entryBetween(earlier: StatementEntry, later: StatementEntry): StatementEntry {
  const wasReset = (later.counts.calls ?? 0) < (earlier.counts.calls ?? 0);
  if (wasReset) return later;
  return {
    ...later,
    counts: countsBetween(earlier.counts, later.counts),
    ...(later.histogram && {
      histogram: later.histogram.map((calls, index) => Math.max(0, calls - (earlier.histogram?.[index] ?? 0))),
    }),
  };
}

function planIdsOf({ planId }: StatementEntry): readonly string[] {
  return planId === null || planId === undefined ? [] : [planId];
}

function merged(one: StatementUse, other: StatementUse): StatementUse {
  return { ...entriesTogether(one, other), planIds: [...new Set([...one.planIds, ...other.planIds])] };
}

/** The sum of those that are known; null where none is. */
export function sumOf(counts: readonly StatementCounts[]): StatementCounts {
  return eachRow(statementCounters, (_, name) => {
    const known = counts.flatMap((one) => one[name] ?? []);
    return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0);
  });
}
