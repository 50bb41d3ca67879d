import { type ColumnChoices, type Counts, countsBetween, known, ratio, rounded } from '../column-choices.ts';
import type { ProbeReading } from '../probe.ts';
import type { SqlSession } from '../sql-session.ts';

/** What both extensions count of a statement, by the names that their versions give it; times in ms. */
export const statementColumns = {
  calls: ['calls'],
  total_ms: ['total_exec_time', 'total_time'],
  rows: ['rows', 'rows_retrieved'],
  blocks_hit: ['shared_blks_hit'],
  blocks_read: ['shared_blks_read'],
  temp_blocks: ['temp_blks_read + temp_blks_written'],
  wal_bytes: ['wal_bytes'],
  /** Counted only where the server is told to (track_planning). */
  plans: ['plans', 'plans_calls'],
  plan_ms: ['total_plan_time', 'plan_total_time'],
} as const satisfies ColumnChoices;

export type StatementCounts = Counts<keyof typeof statementColumns>;

/** A line of either extension's view: one statement, of one user, in one of pg_stat_monitor's buckets. */
export interface StatementEntry {
  /** Of the statement; the same for all its entries. */
  readonly id: string;
  readonly counts: StatementCounts;
  /** Of pg_stat_monitor: calls by response time, in the classes of `histogramBounds`. */
  readonly histogram?: readonly number[];
  readonly planId?: string | null;
  /** Of a statement that failed or warned. */
  readonly error?: { readonly sqlState: string; readonly message: string };
}

export interface StatementsSource {
  readonly extension: 'pg_stat_statements' | 'pg_stat_monitor';
  /** `0 - 1 ms`; empty where there are no histograms. */
  readonly histogramBounds: readonly string[];
  /** By a key that tells every line from all others. */
  read(database: string): Promise<ReadonlyMap<string, StatementEntry>>;
  /** The whole texts of statements, constants replaced by $1, $2 where the extension does so. */
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
  /** Those that failed or warned, most frequent first. */
  readonly errors: readonly StatementEntry[];
}

/** What ran between two readings. A line that was not there before has begun since; one that shrank was reset. */
export function statementsBetween(
  before: ReadonlyMap<string, StatementEntry>,
  after: ReadonlyMap<string, StatementEntry>,
): SliceStatements {
  const since = [...after].flatMap(([key, entry]) => {
    const earlier = before.get(key);
    const used = earlier === undefined ? entry : entryBetween(earlier, entry);
    return (used.counts.calls ?? 0) > 0 ? [used] : [];
  });
  const statements = new Map<string, StatementUse>();
  for (const entry of since.filter(({ error }) => error === undefined)) {
    const other = statements.get(entry.id);
    statements.set(entry.id, other === undefined ? { ...entry, planIds: planIdsOf(entry) } : merged(other, entry));
  }
  return {
    statements: [...statements.values()].sort((a, b) => (b.counts.total_ms ?? 0) - (a.counts.total_ms ?? 0)),
    errors: since
      .filter(({ error }) => error !== undefined)
      .sort((a, b) => (b.counts.calls ?? 0) - (a.counts.calls ?? 0)),
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

function merged(one: StatementUse, other: StatementEntry): StatementUse {
  const { histogram } = other;
  return {
    ...one,
    counts: sumOf([one.counts, other.counts]),
    planIds: [...new Set([...one.planIds, ...planIdsOf(other)])],
    ...(histogram && { histogram: histogram.map((calls, index) => calls + (one.histogram?.[index] ?? 0)) }),
  };
}

function sumOf(counts: readonly StatementCounts[]): StatementCounts {
  const metrics = Object.keys(statementColumns) as (keyof StatementCounts)[];
  return Object.fromEntries(
    metrics.map((metric) => {
      const values = counts.map((one) => one[metric]);
      return [metric, values.every((value) => value === null) ? null : values.reduce((a, b) => (a ?? 0) + (b ?? 0), 0)];
    }),
  ) as StatementCounts;
}

/** How many statements a slice's record names. */
export const MOST_STATEMENTS = 20;
const MOST_ERRORS = 10;

/** A slice's record: totals over all statements, and rows for the top ones. Texts by id. */
export function readingOf(
  { statements, errors }: SliceStatements,
  texts: ReadonlyMap<string, string>,
  bounds: readonly string[],
): ProbeReading {
  const total = sumOf(statements.map(({ counts }) => counts));
  const top = statements.slice(0, MOST_STATEMENTS);
  const text = ({ id }: StatementEntry): string => shortText(texts.get(id) ?? `query ${id}`);
  return {
    values: known({
      statements: statements.length,
      statement_calls: total.calls ?? 0,
      statement_total_ms: total.total_ms ?? 0,
      statement_rows: total.rows,
      statement_blocks_hit: total.blocks_hit,
      statement_blocks_read: total.blocks_read,
      statement_temp_blocks: total.temp_blocks,
      statement_wal_kb: total.wal_bytes === null ? null : total.wal_bytes / 1024,
      statement_errors: errors.reduce((sum, { counts }) => sum + (counts.calls ?? 0), 0),
      top_statement_share: ratio(top[0]?.counts.total_ms, total.total_ms),
    }),
    rows: [
      ...top.map((use) => ({ statement: text(use), queryid: use.id, ...numbersOf(use), ...monitored(use, bounds) })),
      ...errors.slice(0, MOST_ERRORS).map((entry) => ({
        statement: text(entry),
        queryid: entry.id,
        calls: entry.counts.calls,
        sqlstate: entry.error?.sqlState ?? null,
        message: entry.error?.message ?? null,
      })),
    ],
  };
}

function numbersOf({ counts }: StatementUse): Readonly<Record<string, number | null>> {
  const mean = ratio(counts.total_ms, counts.calls);
  const all = { ...counts, mean_ms: mean };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value === null ? null : rounded(value)]));
}

/** What pg_stat_monitor alone tells: how many plans a statement had, and `0 - 1 ms: 40, 1 - 3 ms: 2`. */
function monitored(
  { histogram, planIds }: StatementUse,
  bounds: readonly string[],
): Readonly<Record<string, string | number>> {
  if (histogram === undefined) return {};
  const classes = histogram.flatMap((calls, index) =>
    calls > 0 ? [`${bounds[index] ?? `class ${index}`}: ${calls}`] : [],
  );
  return { response_times: classes.join(', '), different_plans: planIds.length };
}

const MOST_TEXT = 300;

/** A statement's text in one line, its comments and surplus blanks left out, cut where it is long. */
export function shortText(text: string): string {
  const line = text
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/--.*$/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= MOST_TEXT ? line : `${line.slice(0, MOST_TEXT - 1)}…`;
}
