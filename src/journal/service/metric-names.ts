/** Labels of a series of a metric, by name. */
export type Labels = Readonly<Record<string, string>>;

/** A metric that a scenario names: `name`, or `name{label="value"}` for the series with that label. */
export interface Selector {
  readonly name: string;
  readonly labels: Labels;
}

/** Reads a selector, which is written as a series without its value; null where it is not. */
export function parseSelector(text: string): Selector | null {
  const head = parseHead(text);
  return head === null || head.rest !== '' ? null : { name: head.name, labels: head.labels };
}

const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const LABEL = /[ \t]*([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*/y;

/** Reads the name and the labels that a series begins with; null where it does not. */
export function parseHead(line: string): (Selector & { readonly rest: string }) | null {
  NAME.lastIndex = 0;
  const name = NAME.exec(line)?.[0];
  if (name === undefined) return null;
  const after = line.slice(name.length);
  const open = /^[ \t]*\{/.exec(after);
  if (open === null) return { name, labels: {}, rest: after };
  const labels: Record<string, string> = {};
  let at = open[0].length;
  for (;;) {
    LABEL.lastIndex = at;
    const label = LABEL.exec(after);
    if (label === null) break;
    labels[label[1] ?? ''] = unescaped(label[2] ?? '');
    at = LABEL.lastIndex;
    // A comma may stand after the last label, too.
    if (after[at] !== ',') break;
    at++;
  }
  const close = /^[ \t]*\}/.exec(after.slice(at));
  return close === null ? null : { name, labels, rest: after.slice(at + close[0].length) };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}

/** True if a name stands for several: `store_*`. */
export function isPattern(text: string): boolean {
  return text.includes('*');
}

/** The end of a value's name, after that of its metric. */
const STATISTIC = /^(?:per_s|(?:mean|max|p[\d.]+)(?:_(?:ms|bytes|ratio))?)$/;

/** True if a value may come from this metric, or from one that its pattern matches, of any kind: `hits_per_s` comes from `hits_total`. */
export function isValueOf(metric: string, value: string): boolean {
  if (isPattern(metric)) return value.startsWith(metric.slice(0, metric.indexOf('*')));
  const selector = parseSelector(metric);
  if (selector === null) return false;
  const name = namer(selector);
  const base = name.events().replace(/per_s$/, '');
  return value === name.rate() || (value.startsWith(base) && STATISTIC.test(value.slice(base.length)));
}

/** The usual values of a metric by its name: the rate of a counter, of a time as a histogram, of others as a gauge. */
export function usualValues(metric: string): string[] {
  const selector = parseSelector(metric);
  if (selector === null) return [];
  const name = namer(selector);
  if (selector.name.endsWith('_total')) return [name.rate()];
  return [name.statistic('mean'), name.statistic(/_(milli)?seconds$/.test(selector.name) ? 'p99' : 'max')];
}

/** Makes the names of a metric's values. */
interface Namer {
  /** Converts the service's unit to the unit in the name. */
  readonly factor: number;
  rate(): string;
  events(): string;
  statistic(name: string): string;
}

/** Names of the values of a metric, whose unit stands last: `go_memstats_heap_inuse_bytes` has a `go_memstats_heap_inuse_mean_bytes`. */
export function namer({ name, labels }: Selector): Namer {
  const [, stem = name, unit] = /^(.+)_(seconds|milliseconds|bytes|ratio)$/.exec(name) ?? [];
  const qualifiers = Object.values(labels).map((value) => `_${value.replace(/[^a-zA-Z0-9]+/g, '_')}`);
  const base = stem + qualifiers.join('');
  const shown =
    unit === undefined ? '' : `_${{ seconds: 'ms', milliseconds: 'ms', bytes: 'bytes', ratio: 'ratio' }[unit]}`;
  return {
    factor: unit === 'seconds' ? 1000 : 1,
    rate: () => `${name.replace(/_total$/, '')}${qualifiers.join('')}_per_s`,
    events: () => `${base}_per_s`,
    statistic: (statistic) => `${base}_${statistic}${shown}`,
  };
}
