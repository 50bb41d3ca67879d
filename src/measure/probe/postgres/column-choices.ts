import { type Counter, type CounterTable, type Counts, eachRow } from '../counters.ts';

/**
 * A counter of Postgres, and its sources: SQL expressions over columns; the first whose columns all exist is used. Postgres and
 * its extensions rename and move columns between versions, so the server itself is asked for its columns.
 */
export interface SqlCounter extends Counter {
  readonly from: readonly string[];
}

export type SqlTable<Name extends string = string> = CounterTable<Name, SqlCounter>;

const words = /[a-z_][a-z0-9_]*/g;
/** Words in expressions that are no columns. */
const functions = new Set(['sum', 'coalesce', 'nullif']);

/** The expression that this server can answer; null where it has no such columns. */
export function chooseColumn(choices: readonly string[], available: ReadonlySet<string>): string | null {
  const isThere = (word: string): boolean => available.has(word) || functions.has(word);
  return choices.find((expression) => (expression.match(words) ?? []).every(isThere)) ?? null;
}

/** The select list that reads every counter as a float8, in the order of the table. */
export function selectList(table: SqlTable, available: ReadonlySet<string>): string {
  return Object.entries(table)
    .map(([name, { from }]) => `(${chooseColumn(from, available) ?? 'NULL'})::float8 AS ${name}`)
    .join(', ');
}

/** Counts between two readings; after a reset, counts since then. */
export function countsBetween<Name extends string>(from: Counts<Name>, to: Counts<Name>): Counts<Name> {
  return eachRow(to, (after, name) => {
    const before = from[name];
    if (before === null || after === null) return null;
    return after >= before ? after - before : after;
  });
}

/** Values without those that are not known, rounded to four digits behind the point, which keeps the journal small. */
export function known(values: Readonly<Record<string, number | null | undefined>>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === 'number' && Number.isFinite(value) ? [[name, rounded(value)]] : [],
    ),
  );
}

export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
