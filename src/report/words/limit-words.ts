import { formatShare } from '../../base/units.ts';
import type { CapacityLimit } from '../../journal/capacity/capacity-spec.ts';
import type { NotKept } from '../../judge/caveat.ts';
import { formatCount, short } from '../../judge/format.ts';

/** Metrics of limits in a sentence; a percentile is `p99`, and any other has its name. */
const names: Readonly<Record<string, string>> = {
  mean_ms: 'mean latency',
  failed: 'failed requests',
  service_cpu: 'CPU',
};

/** `168 ms`, `1 %`, `0.85 cores` */
function amountOf(metric: string, value: number): string {
  if (metric === 'failed' || metric.endsWith('_share')) return formatShare(value);
  return `${short(value)}${metric.endsWith('_ms') ? ' ms' : metric === 'service_cpu' ? ' cores' : ''}`;
}

/** `p99 210 ms to 250 ms (limit 200 ms)`, with `found` in the middle. */
function limitWords({ metric, most }: CapacityLimit, found: string): string {
  return `${names[metric] ?? metric.replace(/^(p[\d.]+)_ms$/, '$1')} ${found} (limit ${amountOf(metric, most)})`;
}

/** `p99 at most 168 ms (limit 200 ms)` */
export function keptWords({ bound, ...limit }: CapacityLimit & { readonly bound: number }): string {
  return limitWords(limit, `at most ${amountOf(limit.metric, bound)}`);
}

/** `p99 210 ms to 250 ms (limit 200 ms)`, `p99 not known yet, with 120 of 1,000 answers (limit 200 ms)` */
export function missedWords({ range, few, ...limit }: NotKept): string {
  const unknown = few
    ? `not known yet, with ${formatCount(few.samples)} of ${formatCount(few.needed)} answers`
    : 'not known';
  return limitWords(limit, range?.map((end) => amountOf(limit.metric, end)).join(' to ') ?? unknown);
}
