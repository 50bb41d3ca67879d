import { sliceTraitsOf, traitsOf, unitOfWork } from '../../../journal/load-level.ts';
import type { JudgeKey } from '../../../journal/run/judge-keys.ts';
import type { LoadSpec, ResolvedScenario } from '../../../journal/scenario-record.ts';
import {
  durationMetric,
  latencyNames,
  longestWait,
  type Metric,
  type MetricName,
  meanLatency,
  metrics,
  p99Latency,
  requestsPerSecond,
} from './metrics.ts';
import { namedMetrics } from './work-metrics.ts';

type Load = Pick<LoadSpec, 'levels' | 'bounded'>;
type Question = Pick<ResolvedScenario, 'judge'> & { readonly load: Load };

/** The metrics of a kind of load: the usual ones, and its own. */
export function loadMetrics(load: Load): readonly Metric<MetricName>[] {
  if (isBesideJob(load)) return [durationMetric, longestWait, ...metrics.filter(({ group }) => group === 'load')];
  if (unitOfWork(load.levels) === 'run') return [durationMetric, ...metrics.filter(({ group }) => group !== 'load')];
  return judgedBy(load) === durationMetric ? [durationMetric, ...metrics] : metrics;
}

const byKey: Readonly<Record<JudgeKey, MetricName>> = {
  ...latencyNames,
  service_cpu: 'service_cpu_ms_per_request',
  postgres_cpu: 'postgres_cpu_ms_per_request',
  wal_bytes: 'wal_bytes_per_request',
};

/**
 * The judged metric of a run: the headline, the stop rule and the noise floor go by it. The scenario may name it. Else
 * it is 2xx/s in a closed loop. At a rate, or with users at their own pace, it is the mean latency, in which every
 * request counts and every pause shows. Of bounded slices it is their time.
 */
export function judgedMetric({ judge, load }: Question): Metric<MetricName> {
  return namedMetrics.find(({ name }) => judge !== undefined && name === byKey[judge]) ?? judgedBy(load);
}

/**
 * The metrics with a verdict on the first screen, each its own family: the judged metric and, at a rate or with users
 * at their own pace, mean latency and p99. Beside a job what its requests feel of it.
 */
export function judgedMetrics(scenario: Question): readonly [Metric<MetricName>, ...Metric<MetricName>[]] {
  const judged = judgedMetric(scenario);
  const beside = isBesideJob(scenario.load)
    ? [longestWait, requestsPerSecond, p99Latency]
    : judgedBy(scenario.load) === meanLatency
      ? [meanLatency, p99Latency]
      : [];
  return [judged, ...beside.filter(({ name }) => name !== judged.name)];
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

function isBesideJob({ levels }: Load): boolean {
  return levels.some((level) => traitsOf(level).isBesideJob);
}

/** The metric by which a kind of load is judged, where the scenario names none. */
function judgedBy(load: Load): Metric<MetricName> {
  if (sliceTraitsOf(load).countsAll) return durationMetric;
  return load.levels.every((level) => traitsOf(level).judgedBy === 'throughput') ? requestsPerSecond : meanLatency;
}
