import { underLoad } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { StatementSummary } from '../../judge/explain/statements.ts';
import { cutTo, formatDelta, formatValue } from '../../judge/format.ts';
import type { Summary } from '../../judge/summary.ts';
import { left, right, type Table } from './table.ts';

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
  const heads = [
    'of time',
    'calls/request',
    'mean ms',
    'ms/request',
    'rows/call',
    'blocks/request',
    'read/request',
    'WAL B/request',
    'change of ms/request',
  ];
  return [
    {
      title: 'Statements, most time first',
      columns: [left('variant'), left('statement'), ...heads.map(right)],
      rows,
      notes: [
        `A request is an answer of any status. A change is against ${run.control}, over all rounds, without an interval.`,
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
export function cutStatement(statement: string): string {
  return cutTo(MOST_TEXT, statement);
}
