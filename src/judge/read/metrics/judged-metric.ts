import { traitsOf } from '../../../journal/load-level.ts';
import type { JudgeKey } from '../../../journal/run/judge-keys.ts';
import type { LoadSpec, ResolvedScenario } from '../../../journal/scenario-record.ts';
import {
  durationMetric,
  type Metric,
  type MetricName,
  meanLatency,
  metrics,
  p99Latency,
  requestsPerSecond,
} from './metrics.ts';
import { namedMetrics } from './work-metrics.ts';

/** The metrics of a kind of load: those of every load, and what only it has. */
export function loadMetrics({ bounded }: Pick<LoadSpec, 'bounded'>): readonly Metric<MetricName>[] {
  return bounded === undefined ? metrics : [durationMetric, ...metrics];
}

type Question = Pick<ResolvedScenario, 'judge'> & { readonly load: Pick<LoadSpec, 'levels' | 'bounded'> };

const byKey: Readonly<Record<JudgeKey, MetricName>> = {
  mean_ms: 'latency_mean_ms',
  p50_ms: 'latency_p50_ms',
  p95_ms: 'latency_p95_ms',
  p99_ms: 'latency_p99_ms',
  'p99.9_ms': 'latency_p99_9_ms',
  service_cpu: 'service_cpu_ms_per_request',
  postgres_cpu: 'postgres_cpu_ms_per_request',
  wal_bytes: 'wal_bytes_per_request',
};

/**
 * The metric that a run is about, which the headline, the stop rule and the noise floor go by: what the scenario names. Else in
 * a closed loop 2xx/s; where the rate is given, or users have their own pace, the mean latency, in which every request counts
 * and every pause shows; of so many requests and no more, their time.
 */
export function judgedMetric({ judge, load }: Question): Metric<MetricName> {
  const named = judge && namedMetrics.find(({ name }) => name === byKey[judge]);
  if (named !== undefined) return named;
  if (load.bounded !== undefined) return durationMetric;
  return judgesThroughput(load) ? requestsPerSecond : meanLatency;
}

/**
 * The metrics that the first screen has a verdict of, each a family of its own: the one that the run is about, and where
 * the rate is given, or users have their own pace, mean latency and p99.
 */
export function judgedMetrics(scenario: Question): readonly [Metric<MetricName>, ...Metric<MetricName>[]] {
  const judged = judgedMetric(scenario);
  const { load } = scenario;
  if (load.bounded !== undefined || judgesThroughput(load)) return [judged];
  return [judged, ...[meanLatency, p99Latency].filter(({ name }) => name !== judged.name)];
}

/** Their names; absent is what stands for 2xx/s, and for none. */
export function judgedNames(scenario: Question): {
  readonly judgedBy?: MetricName;
  readonly judgedBeside?: readonly MetricName[];
} {
  const [{ name }, ...beside] = judgedMetrics(scenario);
  return {
    ...(name !== requestsPerSecond.name && { judgedBy: name }),
    ...(beside.length > 0 && { judgedBeside: beside.map((metric) => metric.name) }),
  };
}

function judgesThroughput({ levels }: Pick<LoadSpec, 'levels'>): boolean {
  return levels.every((level) => traitsOf(level).judgedBy === 'throughput');
}
