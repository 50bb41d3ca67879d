import { maskKnown } from '../../../base/secrets.ts';
import { createLatencyHistogram } from '../../../journal/histogram.ts';
import type { ProbeRecord } from '../../../journal/records.ts';
import type { Window } from '../tally.ts';
import type { K6Event } from './k6-lines.ts';
import { createOwnMetrics } from './own-metrics.ts';

/** A script may give each check its own name. */
const MOST_CHECKS = 30;

/** Counts what k6 tells besides requests, in the parts that count. */
export interface K6Counts {
  /** `startMs` is that of the load that the window is a part of, in ms since 1970; null before it has begun. */
  count(event: K6Event, startMs: number | null, window: Window): void;
  /** How many errors k6 told of, such as iterations that threw; and which of the script's thresholds were crossed. */
  turnEnded(errors: number, crossed: readonly string[]): void;
  /** As a probe tells it. */
  result(windowMs: number): Pick<ProbeRecord, 'probe' | 'values'>;
}

/** `thresholds`: those of the script, by their metrics. */
export function createK6Counts(thresholds: readonly string[]): K6Counts {
  const checks = new Map<string, { passed: number; failed: number }>();
  const crossed = new Set<string>();
  const own = createOwnMetrics();
  const iterationTime = createLatencyHistogram();
  let [iterations, dropped, made, failed, exceptions] = [0, 0, 0, 0, 0];
  const countCheck = (name: string, passed: boolean): void => {
    made++;
    if (!passed) failed++;
    const counted = checks.get(name) ?? { passed: 0, failed: 0 };
    counted[passed ? 'passed' : 'failed']++;
    if (checks.has(name) || checks.size < MOST_CHECKS) checks.set(name, counted);
  };
  return {
    count(event, startMs, { fromMs, toMs }) {
      if (event.kind === 'metric') own.describe(event);
      if (startMs === null || !('atMs' in event)) return;
      const atMs = event.atMs - startMs;
      if (atMs < fromMs || atMs >= toMs) return;
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
    result(windowMs) {
      const perS = (count: number): number => (windowMs > 0 ? (1000 * count) / windowMs : 0);
      const { count, meanUs, p95Us } = iterationTime.toRecord();
      return {
        probe: 'k6',
        values: {
          ...own.values(windowMs),
          k6_iterations_per_s: perS(iterations),
          ...(count > 0 && { k6_iteration_mean_ms: meanUs / 1000, k6_iteration_p95_ms: p95Us / 1000 }),
          k6_dropped_iterations_per_s: perS(dropped),
          ...(made > 0 && { k6_checks_failed_percent: (100 * failed) / made }),
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

/** Names that a script gives may hold what its service was given. */
function byKey<T>(items: readonly T[], entryOf: (item: T) => readonly [string, number]): Record<string, number> {
  return Object.fromEntries(
    items.map((item) => {
      const [key, value] = entryOf(item);
      return [maskKnown(key), value];
    }),
  );
}
