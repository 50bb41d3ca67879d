import { loadKind } from '../../../journal/load-level.ts';
import type { LoadSpec } from '../../../journal/scenario-record.ts';
import { durationMetric, type Metric, type MetricName, meanLatency, metrics, requestsPerSecond } from './metrics.ts';

/** The metrics of a kind of load: those of every load, and what only it has. */
export function loadMetrics({ bounded }: Pick<LoadSpec, 'bounded'>): readonly Metric<MetricName>[] {
  return bounded === undefined ? metrics : [durationMetric, ...metrics];
}

/**
 * The metric that a run is about, which the headline, the stop rule and the noise floor go by: in a closed loop 2xx/s; where
 * the rate is given, or users have their own pace, the mean latency, in which every request counts and every pause shows; of
 * so many requests and no more, their time.
 */
export function judgedMetric({ levels, bounded }: Pick<LoadSpec, 'levels' | 'bounded'>): Metric<MetricName> {
  if (bounded !== undefined) return durationMetric;
  return levels.every((level) => loadKind(level) === 'connections') ? requestsPerSecond : meanLatency;
}
