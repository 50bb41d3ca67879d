/**
 * Sources of metrics, by metric: SQL expressions over columns; the first whose columns all exist is used. Postgres and its
 * extensions rename and move columns between versions, so the server itself is asked for its columns.
 */
export type ColumnChoices = Readonly<Record<string, readonly string[]>>;

/** Numbers by metric; null where this server does not count it. */
export type Counts<Metric extends string = string> = Readonly<Record<Metric, number | null>>;

const words = /[a-z_][a-z0-9_]*/g;
/** Words in expressions that are no columns. */
const functions = new Set(['sum', 'coalesce', 'nullif']);

/** The expression that this server can answer; null where it has no such columns. */
export function chooseColumn(choices: readonly string[], available: ReadonlySet<string>): string | null {
  const isThere = (word: string): boolean => available.has(word) || functions.has(word);
  return choices.find((expression) => (expression.match(words) ?? []).every(isThere)) ?? null;
}

/** The select list that reads every metric as a float8, in the order of the choices. */
export function selectList(choices: ColumnChoices, available: ReadonlySet<string>): string {
  return Object.entries(choices)
    .map(([metric, expressions]) => `(${chooseColumn(expressions, available) ?? 'NULL'})::float8 AS ${metric}`)
    .join(', ');
}

/** Counts between two readings; after a reset, counts since then. */
export function countsBetween<Metric extends string>(from: Counts<Metric>, to: Counts<Metric>): Counts<Metric> {
  const between = Object.keys(to).map((key) => {
    const metric = key as Metric;
    const [before, after] = [from[metric], to[metric]];
    if (before === null || after === null) return [metric, null];
    return [metric, after >= before ? after - before : after];
  });
  return Object.fromEntries(between) as Counts<Metric>;
}

/** Part of a whole; null where either is not known, or the whole is nothing. */
export function ratio(part: number | null | undefined, whole: number | null | undefined): number | null {
  if (part === null || part === undefined || whole === null || whole === undefined || whole <= 0) return null;
  return part / whole;
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
