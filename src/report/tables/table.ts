import { someNames } from '../words/short-name.ts';

/** Good or bad news about the variant, or not much. Only a view with colour shows it. */
export type Tone = 'good' | 'bad' | 'dim';

export interface Cell {
  readonly text: string;
  /** A shorter text, for where the table does not fit otherwise; */
  readonly short?: string;
  /** and one between both. */
  readonly compact?: string;
  readonly tone?: Tone;
  /** Tells nothing: noise, or no number. A row of nothing else is one line where there is little room. */
  readonly quiet?: 'noise' | 'missing';
  /** A command, a path or a value: Markdown shows it as code, so that no sign in it has to be escaped. */
  readonly code?: true;
}

export interface Column {
  readonly head: string;
  /** A shorter head, for where the table does not fit otherwise. */
  readonly short?: string;
  readonly align: 'left' | 'right';
}

/** A column of texts. */
export function left(head: string): Column {
  return { head, align: 'left' };
}

/** A column of numbers. */
export function right(head: string): Column {
  return { head, align: 'right' };
}

/** Cells that are nothing but text. */
export function textCells(texts: readonly string[]): Cell[] {
  return texts.map((text) => ({ text }));
}

/** The one table that every view draws. Each row has as many cells as there are columns. */
export interface Table {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Sentences under the table. */
  readonly notes: readonly string[];
  /** How telling it is, against other tables: a report that is too long leaves out the least telling. Default: `usualWeight`. */
  readonly weight?: number;
  /** This many of its first columns say together what a row is about. Default: 1. */
  readonly keys?: number;
  /** The places of its rows, the most telling first. Default: as they stand. */
  readonly order?: readonly number[];
}

/** How telling tables are. */
export const weights = {
  answer: 5,
  averages: 4,
  work: 3,
  workAverages: 2,
  probes: 1,
  repetition: 0,
  beside: -1,
} as const;
export const usualWeight = weights.averages;

/** This many rows of noise are named. */
const MOST_NAMED = 12;

/** The table without the rows that tell nothing; those that are noise are named in a line. One row always stays. */
export function withoutQuietRows(table: Table): Table {
  const { rows, notes, order } = table;
  const isQuiet = ([, ...cells]: readonly Cell[]): boolean =>
    cells.length > 0 && cells.every(({ quiet }) => quiet !== undefined);
  const spoken = rows.flatMap((row, place) => (isQuiet(row) ? [] : [place]));
  const kept = new Set(spoken.length === 0 ? [0] : spoken);
  if (kept.size >= rows.length) return table;
  const noise = rows.filter((row, place) => !kept.has(place) && row.some(({ quiet }) => quiet === 'noise'));
  const names = someNames(
    noise.map(([name]) => name?.text ?? ''),
    MOST_NAMED,
  );
  const newPlaces = new Map([...kept].map((place, at) => [place, at]));
  return {
    ...table,
    rows: rows.filter((_, place) => kept.has(place)),
    notes: noise.length === 0 ? notes : [`All noise: ${names}.`, ...notes],
    ...(order !== undefined && { order: order.flatMap((place) => newPlaces.get(place) ?? []) }),
  };
}

/** The table with its most telling rows alone, in their order. */
export function cutRows(table: Table, most: number): Table {
  if (table.rows.length <= most) return table;
  const order = table.order ?? table.rows.map((_, place) => place);
  const kept = new Set(order.slice(0, most));
  const { order: _, ...rest } = table;
  return { ...rest, rows: table.rows.filter((__, place) => kept.has(place)) };
}

/**
 * Rows become columns: the first column's texts become the heads. `corner` names the heads that become the first
 * column.
 */
export function transpose(table: Table, corner: string): Table {
  const [, ...heads] = table.columns;
  const columns = table.rows.map(([name]) => right(name?.text ?? ''));
  return {
    ...table,
    columns: [left(corner), ...columns],
    rows: heads.map((column, i) => [{ text: column.head }, ...table.rows.map((row) => row[i + 1] ?? { text: '' })]),
  };
}
