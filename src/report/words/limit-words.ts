import { formatShare } from '../../base/units.ts';
import type { CapacityLimit } from '../../journal/capacity/capacity-spec.ts';
import type { NotKept } from '../../judge/caveat.ts';
import { short } from '../../judge/format.ts';

const names: Readonly<Record<string, string>> = {
  mean_ms: 'mean latency',
  failed: 'failed requests',
  service_cpu: "the service's CPU",
};

/** The metric of a limit in a sentence: `p99`, `failed requests`; of a probe its name. */
function limitName(metric: string): string {
  return names[metric] ?? /^p[\d.]+(?=_ms$)/.exec(metric)?.[0] ?? metric;
}

/** `168 ms`, `1 %`, `0.85 cores` */
function amountOf(metric: string, value: number): string {
  if (metric === 'failed' || metric.endsWith('_share')) return formatShare(value);
  const unit = metric.endsWith('_ms') ? ' ms' : metric === 'service_cpu' ? ' cores' : '';
  return `${short(value)}${unit}`;
}

/** `p99 at most 168 ms (limit 200 ms)` */
export function keptWords({ metric, most, bound }: CapacityLimit & { readonly bound: number }): string {
  return `${limitName(metric)} at most ${amountOf(metric, bound)} (limit ${amountOf(metric, most)})`;
}

/** `p99 210 ms to 250 ms (limit 200 ms)`; of a metric whose bounds are not known that alone. */
export function missedWords({ metric, most, range }: NotKept): string {
  const found = range?.map((end) => amountOf(metric, end)).join(' to ') ?? 'not known';
  return `${limitName(metric)} ${found} (limit ${amountOf(metric, most)})`;
}
