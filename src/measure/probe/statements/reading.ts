import { ratio, valuesIn, valuesOf } from '../counters.ts';
import { known, rounded } from '../postgres/column-choices.ts';
import type { ProbeReading } from '../probe.ts';
import {
  type SliceStatements,
  type StatementEntry,
  type StatementsSource,
  type StatementUse,
  statementCounters,
  sumOf,
} from './model.ts';

/** Names of the values of a slice. */
export const statementValues: readonly string[] = [
  ...['statements', ...valuesIn(statementCounters), 'statement_errors', 'top_statement_share'],
];

/** How many statements a slice's record names. */
export const MOST_STATEMENTS = 20;
const MOST_ERRORS = 10;

/** A slice's record: totals over all statements, and rows for the top ones. Texts by id. */
export function readingOf(
  { statements, errors }: SliceStatements,
  texts: ReadonlyMap<string, string>,
  { extension, histogramBounds }: Pick<StatementsSource, 'extension' | 'histogramBounds'>,
): ProbeReading {
  const total = sumOf(statements.map(({ counts }) => counts));
  const top = statements.slice(0, MOST_STATEMENTS);
  const text = ({ id }: StatementEntry): string => shortText(texts.get(id) ?? `query ${id}`);
  return {
    values: known({
      statements: statements.length,
      // Where nothing ran.
      statement_calls: 0,
      statement_total_ms: 0,
      ...valuesOf(statementCounters, total),
      // What failed is not in pg_stat_statements.
      statement_errors:
        extension === 'pg_stat_monitor' ? errors.reduce((sum, { counts }) => sum + (counts.calls ?? 0), 0) : null,
      top_statement_share: ratio(top[0]?.counts.total_ms, total.total_ms),
    }),
    rows: [
      ...top.map((use) => ({
        statement: text(use),
        queryid: use.id,
        ...numbersOf(use),
        ...monitored(use, histogramBounds, texts),
      })),
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

/** Values of pg_stat_monitor alone: `0 - 1 ms: 40, 1 - 3 ms: 2`, the number of plans of a statement, and the plans. */
function monitored(
  { histogram, planIds }: StatementUse,
  bounds: readonly string[],
  texts: ReadonlyMap<string, string>,
): Readonly<Record<string, string | number>> {
  if (histogram === undefined) return {};
  const classes = histogram.flatMap((calls, index) =>
    calls > 0 ? [`${bounds[index] ?? `class ${index}`}: ${calls}`] : [],
  );
  const plans = new Set(planIds.map((id) => nodesOf(texts.get(id) ?? `plan ${id}`)));
  return {
    response_times: classes.join(', '),
    different_plans: plans.size,
    ...(plans.size > 0 && { plan: shortText([...plans].join(' / ')) }),
  };
}

/** A plan's nodes, without their conditions: these hold constants, so that each call with another one has another id. */
function nodesOf(plan: string): string {
  const [top = '', ...others] = plan.split('\n').map((line) => line.trim());
  return [top, ...others.filter((line) => line.startsWith('->'))].join(' ');
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
