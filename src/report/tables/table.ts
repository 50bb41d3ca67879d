/** Good or bad news about the variant, or not much. Only a view with colour shows it. */
export type Tone = 'good' | 'bad' | 'dim';

export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

export interface Column {
  readonly head: string;
  readonly align: 'left' | 'right';
}

/** A column of numbers. */
export function right(head: string): Column {
  return { head, align: 'right' };
}

/** The one table that every view draws. Each row has as many cells as there are columns. */
export interface Table {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Sentences under the table. */
  readonly notes: readonly string[];
}

/**
 * Rows become columns: the first column's texts become the heads. `corner` names the heads that become the first
 * column.
 */
export function transpose(table: Table, corner: string): Table {
  const [, ...heads] = table.columns;
  const columns = table.rows.map((row): Column => ({ head: row[0]?.text ?? '', align: 'right' }));
  return {
    ...table,
    columns: [{ head: corner, align: 'left' }, ...columns],
    rows: heads.map((column, i) => [{ text: column.head }, ...table.rows.map((row) => row[i + 1] ?? { text: '' })]),
  };
}
