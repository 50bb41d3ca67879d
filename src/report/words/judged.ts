import { type Metric, type MetricName, requestsPerSecond } from '../../analysis/read/metrics/metrics.ts';
import { namedMetrics } from '../../analysis/read/metrics/work-metrics.ts';

/** A run of a summary; absent stands for 2xx/s. */
interface Judged {
  readonly judgedBy?: string | undefined;
}

/** The metric that a report is about, by which its sentences and its order go. */
export function judgedOf({ judgedBy }: Judged): Metric<MetricName> {
  return namedMetrics.find(({ name }) => name === judgedBy) ?? requestsPerSecond;
}

/** The same in a sentence: `2xx/s`, `mean latency`, `time`. */
export function judgedName(run: Judged): string {
  const { name, label } = judgedOf(run);
  if (name === 'latency_mean_ms') return 'mean latency';
  return name === 'duration_ms' ? 'time' : label;
}
