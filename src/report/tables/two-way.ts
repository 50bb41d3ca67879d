import { ofName } from '../../base/by-name.ts';
import { formatDelta, formatValue } from '../../judge/format.ts';
import type { Summary } from '../../judge/summary.ts';
import { type Cell, left, right, type Table } from './table.ts';

/** A cell of a two-way table: its row and its column, from 0. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** Numbers in which two things vary, such as release x Postgres version, pool x connections or variant x run. */
export interface TwoWay {
  readonly title: string;
  /** The head of the first column, which names the rows. */
  readonly corner: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** The row and the column that the others are compared with; null where rows, or columns, are not compared. */
  readonly base: { readonly row: number | null; readonly column: number | null };
  /** A number, a text instead (`timeout`), or null where nothing was measured. */
  value(place: Place): number | string | null;
  /**
   * The judged change from one cell to another of the same row or column. Null where there is none: the table then
   * shows a percentage without a verdict.
   */
  judged(from: Place, to: Place): Cell | null;
  /** Formats its numbers; absent where the style does. */
  write?(value: number): string;
  readonly notes: readonly string[];
}

/** Formats of numbers and changes. */
interface TwoWayStyle {
  value(value: number, place: Place): string;
  /** A change without a verdict. */
  delta(percent: number): string;
}

const withVerdicts: TwoWayStyle = {
  value: formatValue,
  delta: (percent) => `${formatDelta(percent)} no verdict`,
};

/**
 * The table of two things that vary. Each column but the base gets a Delta column, each row but the base a Delta row. Its
 * head is `Delta` if it is the only one, else `Delta 25 vs 10`.
 */
export function twoWayTable(two: TwoWay, style: TwoWayStyle = withVerdicts): Table {
  const { rows, columns, base } = two;
  const otherRows = others(rows, base.row);
  const otherColumns = others(columns, base.column);
  const write = two.write ?? style.value;
  const value = (place: Place): Cell => {
    const found = two.value(place);
    return { text: typeof found === 'string' ? found : found === null ? 'n/a' : write(found, place) };
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

/** The largest table: with more rows and columns, there are too many Deltas to read. */
export const MOST_ROWS = 12;
export const MOST_COLUMNS = 6;

/** The first two factors of a grid as rows and columns, for one setting of all others. */
export interface GridLayout extends Pick<TwoWay, 'corner' | 'rows' | 'columns' | 'base'> {
  /** `database and release` */
  readonly factors: string;
  /** `log=INFO`; empty where there are two factors. */
  readonly others: string;
  /** Null where the grid has no such variant. */
  variantAt(place: Place): string | null;
}

/** The factors of the grid; empty for named variants. */
export function factorNames({ run }: Pick<Summary, 'run'>): string[] {
  return [...new Set(run.settings.flatMap(({ factors }) => Object.keys(factors)))];
}

/** The levels of a factor, in the order of the scenario. */
export function levelsOf({ variants, settings }: Summary['run'], factor: string): string[] {
  const found = variants.flatMap((name) => settings.find(({ variant }) => variant === name) ?? []);
  return [...new Set(found.map(({ factors }) => String(ofName(factors, factor))))];
}

/**
 * A layout for each setting of the factors after the first two. None if fewer than two vary, or with too many levels.
 */
export function gridLayouts({ run }: Pick<Summary, 'run'>): GridLayout[] {
  const [first = '', second = '', ...rest] = factorNames({ run });
  const { settings } = run;
  const [rows, columns] = [levelsOf(run, first), levelsOf(run, second)];
  if (rows.length > MOST_ROWS || columns.length > MOST_COLUMNS || rows.length < 2 || columns.length < 2) return [];
  const othersOf = (factors: (typeof settings)[number]['factors']): string =>
    rest.map((name) => `${name}=${ofName(factors, name)}`).join(', ');
  const control = settings.find(({ variant }) => variant === run.control)?.factors ?? {};
  const base = {
    row: rows.indexOf(String(ofName(control, first))),
    column: columns.indexOf(String(ofName(control, second))),
  };
  return [...new Set(settings.map(({ factors }) => othersOf(factors)))].map((others) => ({
    factors: `${first} and ${second}`,
    others,
    corner: first,
    rows,
    columns,
    base,
    variantAt: ({ row, column }) =>
      settings.find(
        ({ factors }) =>
          String(ofName(factors, first)) === rows[row] &&
          String(ofName(factors, second)) === columns[column] &&
          othersOf(factors) === others,
      )?.variant ?? null,
  }));
}
