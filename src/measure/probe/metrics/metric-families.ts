import type { Labels, Selector } from '../../../journal/service/metric-names.ts';
import type { Exposition, SeriesValue } from './prometheus-text.ts';

/** One metric of a service at one moment, over all series that a selector matches. */
export type Family =
  | { readonly kind: 'counter'; readonly total: number }
  | { readonly kind: 'gauge'; readonly value: number }
  | {
      readonly kind: 'histogram';
      /** Observations up to a bound, by bound, ascending; the last bound is infinite. */
      readonly buckets: readonly (readonly [upTo: number, count: number])[];
      readonly sum: number;
      readonly count: number;
    }
  | {
      readonly kind: 'summary';
      /** The largest of the series, by quantile (0..1). */
      readonly quantiles: readonly (readonly [quantile: number, value: number])[];
      readonly sum: number;
      readonly count: number;
    };

/** Adds up the series that the selector matches; null where there is none. */
export function familyOf({ types, series }: Exposition, { name, labels }: Selector): Family | null {
  const of = (suffix: string): SeriesValue[] =>
    series.get(name + suffix)?.filter((one) => matches(one.labels, labels)) ?? [];
  // OpenMetrics declares a counter without the `_total` of its series.
  const type = types.get(name) ?? types.get(name.replace(/_total$/, '')) ?? 'untyped';
  const own = of('').filter(({ value }) => !Number.isNaN(value));
  if (type === 'histogram' || type === 'summary') {
    const counts = of('_count');
    if (counts.length === 0 && own.length === 0) return null;
    const totals = { sum: sumOf(of('_sum')), count: sumOf(counts) };
    return type === 'histogram'
      ? { kind: type, buckets: byNumber(of('_bucket'), 'le', (a, b) => a + b), ...totals }
      : { kind: type, quantiles: byNumber(own, 'quantile', Math.max), ...totals };
  }
  if (own.length === 0) return null;
  const isCounter = type === 'counter' || (type === 'untyped' && name.endsWith('_total'));
  return isCounter ? { kind: 'counter', total: sumOf(own) } : { kind: 'gauge', value: sumOf(own) };
}

/** Lags and shares have no sum. */
const WITHOUT_SUM = /_(seconds|milliseconds|ratio|percent|utilization)$/;

/**
 * One metric of several instances of a service at one moment, as of one service: what counts, and what is held, is added
 * up; of lags, shares and quantiles the largest holds. Null where no instance has it.
 */
export function familyOfInstances({ name }: Selector, families: readonly Family[]): Family | null {
  const [first] = families;
  if (first === undefined || families.length === 1) return first ?? null;
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  switch (first.kind) {
    case 'counter':
      return { kind: 'counter', total: sum(families.flatMap((one) => (one.kind === 'counter' ? [one.total] : []))) };
    case 'gauge': {
      const values = families.flatMap((one) => (one.kind === 'gauge' ? [one.value] : []));
      return { kind: 'gauge', value: WITHOUT_SUM.test(name) ? Math.max(...values) : sum(values) };
    }
    case 'histogram': {
      const all = families.flatMap((one) => (one.kind === 'histogram' ? [one] : []));
      const buckets = combined(
        all.flatMap((one) => one.buckets),
        (a, b) => a + b,
      );
      return { kind: 'histogram', buckets, ...totalsOf(all) };
    }
    case 'summary': {
      const all = families.flatMap((one) => (one.kind === 'summary' ? [one] : []));
      return {
        kind: 'summary',
        quantiles: combined(
          all.flatMap((one) => one.quantiles),
          Math.max,
        ),
        ...totalsOf(all),
      };
    }
  }
}

interface Totals {
  readonly sum: number;
  readonly count: number;
}

function totalsOf(all: readonly Totals[]): Totals {
  return all.reduce((a, b) => ({ sum: a.sum + b.sum, count: a.count + b.count }), { sum: 0, count: 0 });
}

function matches(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

function sumOf(series: readonly SeriesValue[]): number {
  return series.reduce((sum, { value }) => sum + value, 0);
}

/** The values by the number that a label holds (`le="+Inf"` is infinite), ascending. */
function byNumber(
  series: readonly SeriesValue[],
  label: string,
  combine: (a: number, b: number) => number,
): (readonly [number, number])[] {
  const pairs = series.flatMap(({ labels, value }): (readonly [number, number])[] => {
    const text = labels[label] ?? '';
    const key = /^\+?inf$/i.test(text) ? Number.POSITIVE_INFINITY : Number(text);
    return text === '' || Number.isNaN(key) ? [] : [[key, value]];
  });
  return combined(pairs, combine);
}

/** Values of the same key as one, ascending by key. */
function combined(
  pairs: readonly (readonly [key: number, value: number])[],
  combine: (a: number, b: number) => number,
): (readonly [number, number])[] {
  const values = new Map<number, number>();
  for (const [key, value] of pairs) {
    const before = values.get(key);
    values.set(key, before === undefined ? value : combine(before, value));
  }
  return [...values].sort(([a], [b]) => a - b);
}
