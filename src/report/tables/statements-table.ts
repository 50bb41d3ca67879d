import { formatShare } from '../../base/units.ts';
import { underLoad, unitOfWork } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type {
  ResponseTimesSummary,
  StatementFailureSummary,
  StatementSummary,
} from '../../judge/explain/statements.ts';
import { cutTo, formatCount, formatDelta, formatValue } from '../../judge/format.ts';
import { startOf } from '../../judge/read/cells/monitored.ts';
import { sum } from '../../judge/stats/moments.ts';
import type { Summary } from '../../judge/summary.ts';
import { left, right, type Table, textCells } from './table.ts';

/** Statements of each variant; summary.json has more. */
const MOST_STATEMENTS = 5;
const MOST_TEXT = 70;

/** The statements that took most time under a load level, each against the control's; empty where none is known. */
export function statementsTable({ statements, run }: Summary, load: LoadLevel): Table[] {
  const here = underLoad(statements, load);
  if (here.length === 0) return [];
  const rows = run.variants.flatMap((variant) =>
    here
      .filter((one) => one.variant === variant)
      .slice(0, MOST_STATEMENTS)
      .map((one) => [
        { text: variant },
        { text: cutStatement(one.statement) },
        { text: `${(100 * one.timeShare).toFixed(0)} %` },
        ...numbersOf(one).map((value) => ({ text: formatValue(value) })),
        { text: one.deltaPercent === null ? '' : formatDelta(one.deltaPercent) },
      ]),
  );
  const unit = unitOfWork(run.loads);
  const heads = [
    'of time',
    `calls/${unit}`,
    'mean ms',
    `ms/${unit}`,
    'rows/call',
    `blocks/${unit}`,
    `read/${unit}`,
    `WAL B/${unit}`,
    `change of ms/${unit}`,
  ];
  return [
    {
      title: 'Statements, most time first',
      columns: [left('variant'), left('statement'), ...heads.map(right)],
      rows,
      notes: [
        `${unit === 'request' ? 'A request is an answer of any status. ' : ''}A change is against ${run.control}, over all rounds, without an interval.`,
      ],
    },
  ];
}

function numbersOf(one: StatementSummary): (number | null)[] {
  return [
    one.callsPerRequest,
    one.meanMs,
    one.msPerRequest,
    one.rowsPerCall,
    one.blocksPerRequest,
    one.blocksReadPerRequest,
    one.walBytesPerRequest,
  ];
}

/** A statement's beginning, where it is long. */
function cutStatement(statement: string): string {
  return cutTo(MOST_TEXT, statement);
}

/** Response times, plans and failures of statements under a load level, by pg_stat_monitor; none where it is not there. */
export function monitorTables({ monitor }: Summary, load: LoadLevel): Table[] {
  return [...responseTimes(underLoad(monitor.responseTimes, load)), ...failures(underLoad(monitor.failures, load))];
}

function responseTimes(all: readonly ResponseTimesSummary[]): Table[] {
  const variants = [...new Set(all.map(({ variant }) => variant))];
  const shown = variants.flatMap((name) => all.filter(({ variant }) => variant === name).slice(0, MOST_STATEMENTS));
  if (shown.length === 0) return [];
  const classes = [...new Map(shown.flatMap((one) => [...one.responseTimes])).keys()].sort(
    (a, b) => startOf(a) - startOf(b),
  );
  const rows = shown.map(({ variant, statement, responseTimes, plan }) => {
    const counts = new Map(responseTimes);
    const calls = sum(responseTimes.map(([, count]) => count));
    const shares = classes.map((label) => shareOf(counts.get(label) ?? 0, calls));
    return textCells([variant, cutStatement(statement), formatCount(calls), ...shares, cutStatement(plan ?? '')]);
  });
  return [
    {
      title: 'Response times of statements (pg_stat_monitor)',
      columns: [left('variant'), left('statement'), right('calls'), ...classes.map(right), left('plan')],
      rows,
      notes: ['Calls of a statement by their time in Postgres. Plans show nodes, without conditions.'],
    },
  ];
}

function failures(all: readonly StatementFailureSummary[]): Table[] {
  if (all.length === 0) return [];
  const rows = all.map(({ variant, statement, sqlState, message, calls }) =>
    textCells([variant, cutStatement(statement), sqlState, message, calls === null ? '' : formatCount(calls)]),
  );
  return [
    {
      title: 'Statements that failed or warned (pg_stat_monitor)',
      columns: [left('variant'), left('statement'), left('SQLSTATE'), left('message'), right('calls')],
      rows,
      notes: ['The count is missing where its line also counts calls that did not fail.'],
    },
  ];
}

function shareOf(count: number, calls: number): string {
  return count === 0 ? '' : formatShare(count / calls);
}
