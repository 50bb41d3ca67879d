import type { MetricName } from '../../judge/read/metrics/metrics.ts';
import type { Average } from '../../judge/verdicts/averages.ts';

/** The value of a metric in a row of the averages; null where it has none. */
export function averageValue({ metrics, durationMs = null }: Average, name: MetricName): number | null {
  return name === 'duration_ms' ? durationMs : metrics[name];
}
