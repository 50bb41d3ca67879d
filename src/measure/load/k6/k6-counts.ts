import { maskKnown } from '../../../base/secrets.ts';
import { createLatencyHistogram, type LatencyHistogram } from '../../../journal/histogram.ts';
import type { ProbeRecord } from '../../../journal/records.ts';
import type { Window } from '../tally.ts';
import type { K6Event } from './k6-lines.ts';

/** Most checks that are counted by name: a script may name each of them differently. */
const MOST_CHECKS = 30;

/** Counts k6's events besides requests: iterations, checks, the script's own metrics. Only a turn's counted part is used. */
export interface K6Counts {
  /** Counts an event within the window. `atMs` is what it counts by, from the beginning of the load; null before that. */
  count(event: K6Event, atMs: number | null, window: Window): void;
  /** Adds the errors that k6 reported in a turn, such as iterations that threw, and the script's thresholds that were crossed. */
  turnEnded(errors: number, crossed: readonly string[]): void;
  /** The counts as a probe's record: those a second are of the time in which what counts came. */
  result(countedMs: number): Pick<ProbeRecord, 'probe' | 'values'>;
}

/** Counts that begin at 0. `thresholds`: the metrics that the script has thresholds for. */
export function createK6Counts(thresholds: readonly string[]): K6Counts {
  const checks = new Map<string, { passed: number; failed: number }>();
  const crossed = new Set<string>();
  const own = createOwnMetrics();
  const iterationTime = createLatencyHistogram();
  let [iterations, dropped, checksMade, checksFailed, exceptions] = [0, 0, 0, 0, 0];
  const countCheck = (name: string, passed: boolean): void => {
    checksMade++;
    if (!passed) checksFailed++;
    const counted = checks.get(name) ?? { passed: 0, failed: 0 };
    counted[passed ? 'passed' : 'failed']++;
    if (checks.has(name) || checks.size < MOST_CHECKS) checks.set(name, counted);
  };
  return {
    count(event, atMs, { fromMs, toMs }) {
      if (event.kind === 'metric') own.describe(event);
      if (atMs === null || atMs < fromMs || atMs >= toMs) return;
      if (event.kind === 'iterations') iterations += event.count;
      if (event.kind === 'iteration-time') iterationTime.record(1000 * event.durationMs);
      if (event.kind === 'dropped') dropped += event.count;
      if (event.kind === 'check') countCheck(event.name, event.passed);
      if (event.kind === 'value') own.add(event.name, event.value);
    },
    turnEnded(errors, metrics) {
      exceptions += errors;
      for (const metric of metrics) crossed.add(metric);
    },
    result(countedMs) {
      // Where no iteration counts there is no rate, not even 0.
      const perS = (name: string, count: number) => countedMs > 0 && { [name]: (1000 * count) / countedMs };
      const { count, meanUs, p95Us } = iterationTime.toRecord();
      return {
        probe: 'k6',
        values: {
          ...own.values(countedMs),
          ...perS('k6_iterations_per_s', iterations),
          ...(count > 0 && { k6_iteration_mean_ms: meanUs / 1000, k6_iteration_p95_ms: p95Us / 1000 }),
          ...perS('k6_dropped_iterations_per_s', dropped),
          ...(checksMade > 0 && { k6_checks_failed_percent: (100 * checksFailed) / checksMade }),
          k6_exceptions: exceptions,
          ...byKey(thresholds, (metric) => [`k6_threshold_crossed{${metric}}`, crossed.has(metric) ? 1 : 0]),
          ...byKey([...checks], ([check, { passed, failed }]) => [
            `k6_check_failed_percent{${check}}`,
            (100 * failed) / (passed + failed),
          ]),
        },
      };
    },
  };
}

/** Values by names that a script gave, with known secrets masked: it may have put one into a name. */
function byKey<T>(items: readonly T[], entryOf: (item: T) => readonly [string, number]): Record<string, number> {
  return Object.fromEntries(
    items.map((item) => {
      const [key, value] = entryOf(item);
      return [maskKnown(key), value];
    }),
  );
}

/** Each may have a histogram of 200 KB. */
const MOST_METRICS = 50;

type Described = Extract<K6Event, { readonly kind: 'metric' }>;

interface Summed extends Pick<Described, 'type' | 'isTime'> {
  values: number;
  sum: number;
  last: number;
  readonly times: LatencyHistogram | null;
}

/** Metrics that the script makes itself, and those of WebSockets and gRPC. */
export interface OwnMetrics {
  describe(metric: Described): void;
  add(name: string, value: number): void;
  /** By name, unit last, as values of a probe are; none of a metric that had no value. */
  values(windowMs: number): Record<string, number>;
}

export function createOwnMetrics(): OwnMetrics {
  const metrics = new Map<string, Summed>();
  return {
    describe({ name, type, isTime }) {
      if (metrics.has(name) || metrics.size === MOST_METRICS) return;
      const times = type === 'trend' && isTime ? createLatencyHistogram() : null;
      metrics.set(name, { type, isTime, values: 0, sum: 0, last: 0, times });
    },
    add(name, value) {
      const metric = metrics.get(name);
      if (metric === undefined) return;
      metric.values++;
      metric.sum += value;
      metric.last = value;
      metric.times?.record(1000 * value);
    },
    values(windowMs) {
      const had = [...metrics].filter(([, { values }]) => values > 0);
      return Object.assign({}, ...had.map(([name, metric]) => valuesOf(`k6_${name}`, metric, windowMs)));
    },
  };
}

function valuesOf(name: string, { type, values, sum, last, times }: Summed, windowMs: number): Record<string, number> {
  switch (type) {
    case 'counter':
      return windowMs > 0 ? { [`${name}_per_s`]: (1000 * sum) / windowMs } : {};
    case 'gauge':
      return { [name]: last };
    case 'rate':
      return { [`${name}_percent`]: (100 * sum) / values };
    case 'trend':
      if (times === null) return { [`${name}_mean`]: sum / values };
      return { [`${name}_mean_ms`]: sum / values, [`${name}_p95_ms`]: times.toRecord().p95Us / 1000 };
  }
}
