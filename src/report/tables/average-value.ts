import type { Average } from '../../analysis/judge/averages.ts';
import type { MetricName } from '../../analysis/read/metrics/metrics.ts';

/** The value of a metric in a row of the averages; null where it has none. */
export function averageValue({ metrics, durationMs = null }: Average, name: MetricName): number | null {
  return name === 'duration_ms' ? durationMs : metrics[name];
}
