import { judgedOf } from '../../judge/judged-view.ts';
import { namedMetrics } from '../../judge/read/metrics/work-metrics.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Comparison } from '../../judge/verdicts/comparison.ts';

/** A judged metric in a sentence: `2xx/s`, `mean latency`, `p99 latency`, `WAL bytes a request`, `time`, `longest wait`. */
export function judgedName(run: { readonly judgedBy?: string | undefined }): string {
  const { name, label, percentile, group } = judgedOf(run);
  if (percentile !== undefined) return `p${percentile} latency`;
  if (group === 'work') return `${label} a request`;
  if (name === 'latency_mean_ms') return 'mean latency';
  if (name === 'longest_wait_ms') return 'longest wait';
  return name === 'duration_ms' ? 'time' : label;
}

/** The object of a run's comparisons, in a sentence: its judged metric, or `capacities`. */
export function comparedName({ run, capacity }: Pick<Summary, 'run' | 'capacity'>): string {
  return capacity === null ? judgedName(run) : 'capacities';
}

/** The label of a metric, by its name: `2xx/s`. */
export function labelOf(metric: string): string {
  return namedMetrics.find(({ name }) => name === metric)?.label ?? metric;
}

/** Sorts comparisons: effects first, the largest before the others, then `same`, then noise. */
export function rank({ verdict, deltaPercent }: Pick<Comparison, 'verdict' | 'deltaPercent'>): number {
  const order = { higher: 0, lower: 0, same: 1, noise: 2, unfit: 3 }[verdict];
  return order === 0 ? -Math.abs(deltaPercent ?? 0) : order;
}
