import { formatDelta, formatValue } from '../../../judge/format.ts';
import { type Cell, left, right, type Table } from '../table.ts';

/** A cell of a two-way table: its row and its column, from 0. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** Numbers in which two things vary, such as release x Postgres version, pool x connections or variant x run. */
export interface TwoWay {
  readonly title: string;
  /** What the rows are: the head of the first column. */
  readonly corner: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** The row and the column that the others are compared with; null where rows, or columns, are not compared. */
  readonly base: { readonly row: number | null; readonly column: number | null };
  /** A number, a text in place of one (`timeout`), or null for what was not measured. */
  value(place: Place): number | string | null;
  /**
   * The change from one cell to another of the same row or column, as it was judged. Null where nobody judged it: it is
   * shown as a percentage that says so.
   */
  judged(from: Place, to: Place): Cell | null;
  /** How its numbers are written, in place of how the style writes them. */
  write?(value: number): string;
  readonly notes: readonly string[];
}

/** How numbers are written. */
export interface TwoWayStyle {
  value(value: number): string;
  /** A change that nobody judged. */
  delta(percent: number): string;
}

const withVerdicts: TwoWayStyle = {
  value: formatValue,
  delta: (percent) => `${formatDelta(percent)} no verdict`,
};

/**
 * The table of two things that vary: a Delta column for every column but the base, a Delta row for every row but the
 * base. `Delta` where there is one, else `Delta 25 vs 10`.
 */
export function twoWayTable(two: TwoWay, style: TwoWayStyle = withVerdicts): Table {
  const { rows, columns, base } = two;
  const otherRows = others(rows, base.row);
  const otherColumns = others(columns, base.column);
  const write = two.write ?? style.value;
  const value = (place: Place): Cell => {
    const found = two.value(place);
    return { text: typeof found === 'string' ? found : found === null ? 'n/a' : write(found) };
  };
  const delta = (from: Place, to: Place): Cell => two.judged(from, to) ?? unjudged(two, from, to, style);
  const all = rows.map((name, row): Cell[] => [
    { text: name },
    ...columns.map((_, column) => value({ row, column })),
    ...otherColumns.map((column) => delta({ row, column: base.column ?? 0 }, { row, column })),
  ]);
  const below = otherRows.map((row): Cell[] => [
    { text: deltaHead(rows, row, base.row, otherRows) },
    ...columns.map((_, column) => delta({ row: base.row ?? 0, column }, { row, column })),
    ...otherColumns.map(() => ({ text: '' })),
  ]);

  const heads = [...columns, ...otherColumns.map((column) => deltaHead(columns, column, base.column, otherColumns))];
  const columnHeads = [left(two.corner), ...heads.map(right)];
  return { title: two.title, columns: columnHeads, rows: [...all, ...below], notes: two.notes };
}

function others(names: readonly string[], base: number | null): number[] {
  return base === null ? [] : [...names.keys()].filter((index) => index !== base);
}

function deltaHead(names: readonly string[], index: number, base: number | null, all: readonly number[]): string {
  return all.length === 1 ? 'Delta' : `Delta ${names[index] ?? ''} vs ${names[base ?? 0] ?? ''}`;
}

function unjudged(two: TwoWay, from: Place, to: Place, style: TwoWayStyle): Cell {
  const [before, after] = [two.value(from), two.value(to)];
  if (typeof before !== 'number' || typeof after !== 'number' || before <= 0 || after < 0) return { text: 'n/a' };
  return { text: style.delta(100 * (after / before - 1)), tone: 'dim' };
}
