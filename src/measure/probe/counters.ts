/** Numbers by counter; null where they are not known. */
export type Counts<Name extends string = string> = Readonly<Record<Name, number | null>>;

/** A counter of a probe: a row of its table, whose key names it where it is read, and in the samples. */
export interface Counter {
  /** The name of its value, whose unit stands last. Default: its key. Null: it has none, others are divided by it. */
  readonly value?: string | null;
  /** How readings make the value: the growth from the first to the last (default), the last, the largest, or the mean. */
  readonly adds?: 'last' | 'most' | 'mean';
  /** Another counter, or a fact of the slice, that the count is divided by. Default: nothing. */
  readonly per?: string;
  /** The value is the count times this: 100 for percent, 1 / 1024 for kB of bytes. */
  readonly times?: number;
}

/** The counters of a probe by key. A new one is a row. */
export type CounterTable<Name extends string = string, Row extends Counter = Counter> = Readonly<Record<Name, Row>>;

/** A table of one kind of rows, whose keys are known by name. */
export function tableOf<Row extends Counter>() {
  return <Name extends string>(rows: Readonly<Record<Name, Row>>): CounterTable<Name, Row> => rows;
}

/** The names of a table's values. */
export function valuesIn(table: CounterTable): string[] {
  return Object.entries(table).flatMap(([name, { value = name }]) => value ?? []);
}

/** One result for each row of a table. */
export function eachRow<Name extends string, Row, Result>(
  table: Readonly<Record<Name, Row>>,
  make: (row: Row, name: Name) => Result,
): Record<Name, Result> {
  const rows = Object.entries(table) as [Name, Row][];
  return Object.fromEntries(rows.map(([name, row]) => [name, make(row, name)])) as Record<Name, Result>;
}

/** A reading as a row of samples, whose columns are the table's keys. */
export function inOrder<Name extends string>(
  table: CounterTable<Name>,
  reading: Counts<NoInfer<Name>>,
): (number | null)[] {
  return (Object.keys(table) as Name[]).map((name) => reading[name]);
}

/** Readings of a slice as one count for each row. `seen` are those of which the largest and the mean are taken: all by default. */
export function addedUp<Name extends string>(
  table: CounterTable<Name>,
  readings: readonly Counts<NoInfer<Name>>[],
  seen = readings,
): Counts<Name> {
  return eachRow(table, ({ adds }, name) => {
    const [from = null, to = null] = [readings[0]?.[name], readings.at(-1)?.[name]];
    if (adds === undefined) return from === null || to === null ? null : to - from;
    if (adds === 'last') return to;
    const known = seen.flatMap((reading) => reading[name] ?? []);
    if (known.length === 0) return null;
    return adds === 'most' ? Math.max(...known) : known.reduce((sum, one) => sum + one, 0) / known.length;
  });
}

/** The values of a slice by name, those that are not known left out. `facts`: what counts are divided by besides counters. */
export function valuesOf<Name extends string>(
  table: CounterTable<Name>,
  counts: Counts<NoInfer<Name>>,
  facts: Counts = {},
): Record<string, number> {
  const all: Counts = { ...counts, ...facts };
  const rows = Object.entries<Counter>(table).flatMap(([name, { value = name, per, times = 1 }]) => {
    const count = all[name] ?? null;
    const found = per === undefined || count === null ? count && times * count : ratio(times * count, all[per]);
    return value === null || found === null ? [] : [[value, found] as const];
  });
  return Object.fromEntries(rows);
}

/** Part of a whole; null where either is not known, or the whole is nothing. */
export function ratio(part: number | null | undefined, whole: number | null | undefined): number | null {
  if (part === null || part === undefined || whole === null || whole === undefined || whole <= 0) return null;
  return part / whole;
}
