import type { Metric } from '../../read/metrics/metrics.ts';
import { toPercent } from '../../stats/rounding.ts';

/** An advantage, a log ratio above 0 where a setting is better, in percent of the metric: of a latency by how much it is lower. */
export type PercentOf = (advantage: number) => number;

export function percentIn({ better }: Pick<Metric, 'better'>): PercentOf {
  return (advantage) => (better === 'lower' ? -toPercent(-advantage) : toPercent(advantage));
}
