import { byName } from '../../../base/by-name.ts';
import type { ProbeValues } from './metric-aliases.ts';

/** A value that probes saw, by its name; undefined where they gave none. */
export type ProbeReader = (name: string) => number | undefined;

interface Column {
  /** By row; NaN where it has no such value. */
  readonly values: number[];
  /** How many slices of the row that is being added have the value. */
  count: number;
}

/**
 * Values of probes in the rounds of a cell, a row a round, in columns. A long run has millions of values, and reads
 * them one name after the other.
 */
export class ProbeColumns {
  readonly #columns = new Map<string, Column>();
  #rows = 0;

  /** The names in every row, in the order in which they first occurred. */
  names(): Iterable<string> {
    return this.#columns.keys();
  }

  /** By row; NaN, or nothing at its end, where a row has no such value. */
  column(name: string): readonly number[] {
    return this.#columns.get(name)?.values ?? [];
  }

  /** Adds a row: the mean of each value that occurs. Returns its reader. */
  add(all: readonly ProbeValues[]): ProbeReader {
    const row = this.#rows++;
    const seen: Column[] = [];
    for (const values of all) this.#addValues(values, row, seen);
    for (const column of seen) {
      column.values[row] = (column.values[row] ?? 0) / column.count;
      column.count = 0;
    }
    return (name) => {
      const found = this.#columns.get(name)?.values[row];
      return Number.isNaN(found) ? undefined : found;
    };
  }

  /** Adds a row of other columns, by its place there. */
  addRow(other: ProbeColumns, place: number): void {
    const row = this.#rows++;
    for (const [name, { values }] of other.#columns) {
      const value = values[place] ?? Number.NaN;
      if (!Number.isNaN(value)) extended(this.#columnOf(name).values, row)[row] = value;
    }
  }

  #addValues(values: ProbeValues, row: number, seen: Column[]): void {
    for (const name in values) {
      const column = this.#columnOf(name);
      if (column.count === 0) {
        extended(column.values, row);
        seen.push(column);
      }
      column.values[row] = (column.values[row] ?? 0) + (values[name] ?? 0);
      column.count++;
    }
  }

  #columnOf(name: string): Column {
    const known = this.#columns.get(name);
    if (known !== undefined) return known;
    const column = { values: [], count: 0 };
    this.#columns.set(name, column);
    return column;
  }
}

/** Values with room for a row: 0 there, and NaN in those before it that have none. */
function extended(values: number[], row: number): number[] {
  while (values.length <= row) values.push(values.length < row ? Number.NaN : 0);
  return values;
}

/** The mean over the rows of all these columns of each value that some of them have. */
export function meanOver(all: readonly ProbeColumns[]): ProbeValues {
  const means = byName<number>();
  for (const name of new Set(all.flatMap((columns) => [...columns.names()]))) {
    let [sum, count] = [0, 0];
    for (const columns of all) {
      for (const value of columns.column(name)) {
        if (Number.isNaN(value)) continue;
        sum += value;
        count++;
      }
    }
    means[name] = sum / count;
  }
  return means;
}
