import { isModest } from '../../../base/modest.ts';
import { namer, type Selector } from '../../../journal/service/metric-names.ts';
import type { Family } from './metric-families.ts';

type Histogram = Extract<Family, { kind: 'histogram' }>;
type Summary = Extract<Family, { kind: 'summary' }>;

/**
 * A slice's values of one metric, by name: a counter's rate, a gauge's mean and maximum over its readings under load
 * (those before and after it count where there is no other), of a histogram mean, p99 and how often, of a summary the
 * same with its own quantiles. Seconds become milliseconds. What counts has no values where it fell: the service has
 * started again, or another of its workers has answered. A number too large for a journal is left out, such as the 2^64 by
 * which a process says that it has no limit.
 */
export function metricValues(
  selector: Selector,
  readings: readonly (Family | null)[],
  seconds: number,
): Record<string, number> {
  const last = readings.at(-1);
  if (last === null || last === undefined || seconds <= 0) return {};
  const first = readings[0] ?? null;
  const values = new Map<string, number>();
  const name = namer(selector);
  if (last.kind === 'counter') {
    const before = first?.kind === 'counter' ? first.total : 0;
    if (last.total >= before) values.set(name.rate(), (last.total - before) / seconds);
  } else if (last.kind === 'gauge') {
    const gauges = (of: typeof readings) => of.flatMap((one) => (one?.kind === 'gauge' ? [one.value] : []));
    const underLoad = gauges(readings.slice(1, -1));
    const seen = underLoad.length > 0 ? underLoad : gauges(readings);
    values.set(name.statistic('mean'), (name.factor * seen.reduce((sum, value) => sum + value, 0)) / seen.length);
    values.set(name.statistic('max'), name.factor * Math.max(...seen));
  } else {
    const before = first?.kind === last.kind ? first : null;
    const count = last.count - (before?.count ?? 0);
    if (count >= 0) values.set(name.events(), count / seconds);
    if (count > 0) {
      values.set(name.statistic('mean'), (name.factor * (last.sum - (before?.sum ?? 0))) / count);
      for (const [label, value] of quantilesOf(before, last)) values.set(name.statistic(label), name.factor * value);
    }
  }
  return Object.fromEntries([...values].filter(([, value]) => isModest(value)));
}

function quantilesOf(before: Histogram | Summary | null, last: Histogram | Summary): (readonly [string, number])[] {
  if (last.kind === 'summary') {
    return last.quantiles.map(([quantile, value]) => [`p${Number((100 * quantile).toPrecision(6))}`, value] as const);
  }
  const earlier = new Map(before?.kind === 'histogram' ? before.buckets : []);
  const p99 = histogramQuantile(
    0.99,
    last.buckets.map(([upTo, count]) => [upTo, count - (earlier.get(upTo) ?? 0)] as const),
  );
  return p99 === null ? [] : [['p99', p99]];
}

/**
 * The value that a share of the observations does not exceed, by linear interpolation within its bucket, whose lower
 * bound is 0 for the first one; the highest finite bound where it lies beyond all of them. As PromQL's
 * histogram_quantile (https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile). Null
 * without observations, or where the last bucket is not infinite.
 */
export function histogramQuantile(
  quantile: number,
  buckets: readonly (readonly [upTo: number, count: number])[],
): number | null {
  const total = buckets.at(-1);
  if (total === undefined || total[0] !== Number.POSITIVE_INFINITY || total[1] <= 0 || buckets.length < 2) return null;
  const rank = quantile * total[1];
  const index = buckets.findIndex(([, count]) => count >= rank);
  const [upTo, count] = buckets[index] ?? total;
  const [lower, below] = buckets[index - 1] ?? [0, 0];
  if (upTo === Number.POSITIVE_INFINITY) return lower;
  if (index === 0 && upTo <= 0) return upTo;
  return lower + ((upTo - lower) * (rank - below)) / (count - below);
}
