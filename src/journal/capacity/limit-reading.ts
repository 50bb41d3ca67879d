import { percentileUs } from '../histogram.ts';
import { countAll, countOk } from '../outcomes.ts';
import type { ProbeRecord, SliceRecord } from '../records.ts';
import { answersFor, LEAST_BEYOND } from '../run/percentiles.ts';
import type { LoadSpec } from '../scenario-record.ts';
import type { CapacityLimit } from './capacity-spec.ts';

/** Facts of a slice that the reading of a limit needs. */
export interface LimitedSlice {
  readonly slice: Pick<SliceRecord, 'outcomes' | 'ok' | 'latency'>;
  readonly probes: readonly Pick<ProbeRecord, 'values'>[];
  /** After how long a request counts as timed out. */
  readonly timeoutMs: LoadSpec['timeoutMs'];
}

const percentiles = {
  p50_ms: { percent: 50, field: 'p50Us' },
  p95_ms: { percent: 95, field: 'p95Us' },
  p99_ms: { percent: 99, field: 'p99Us' },
} as const;

/** Metrics of a limit besides the values of probes. */
export const limitMetrics: readonly string[] = ['mean_ms', ...Object.keys(percentiles), 'failed', 'service_cpu'];

/** The least of a search's limits that are latencies, in ms; null where none is. */
export function leastLatencyLimitMs({ capacity }: Pick<LoadSpec, 'capacity'>): number | null {
  const most = (capacity?.until ?? []).flatMap((limit) => (isLatency(limit.metric) ? [limit.most] : []));
  return most.length === 0 ? null : Math.min(...most);
}

/** How many answers of a slice the percentile of a limit needs; null where the limit is none. */
export function answersNeeded(metric: string): number | null {
  const percentile = percentileOf(metric);
  return percentile && answersFor(percentile.percent);
}

function isLatency(metric: string): boolean {
  return metric === 'mean_ms' || Object.hasOwn(percentiles, metric);
}

/** Short names of values of probes. */
const probeNames: Readonly<Record<string, string>> = { service_cpu: 'service_cpu_cores' };

/**
 * How much of a metric a slice had, in the unit of its limit; null where it does not say. A request that failed counts as
 * one that took longer than any: where more fail than may lie above a percentile, that is Infinity, and the mean has it at
 * the timeout. `rough` takes a percentile of few answers, too, which is enough to find out where to look.
 */
export function readLimit(metric: string, { slice, probes, timeoutMs }: LimitedSlice, rough = false): number | null {
  const all = countAll(slice.outcomes);
  const failedShare = all === 0 ? 0 : (all - countOk(slice)) / all;
  if (metric === 'failed') return all === 0 ? null : failedShare;
  if (metric === 'mean_ms') {
    // Failing fast is not fast: a service that sheds load would have the mean of what it lets in.
    const failedMs = Math.max(timeoutMs, slice.latency.maxUs / 1000);
    return all === 0 ? null : (1 - failedShare) * (slice.latency.meanUs / 1000) + failedShare * failedMs;
  }
  const percentile = percentileOf(metric);
  if (percentile === null) return probeValue(probeNames[metric] ?? metric, probes);
  const { percent, field } = percentile;
  if (100 * failedShare >= 100 - percent) return Number.POSITIVE_INFINITY;
  const needed = rough ? 1 : answersFor(percent);
  if (slice.latency.count < needed) return null;
  // Of all requests, failed ones above the others. Reading a histogram takes its time, and most slices have no failures.
  const us = failedShare === 0 ? slice.latency[field] : percentileUs(slice.latency, percent / (1 - failedShare));
  return us / 1000;
}

/** A slice is said to break a limit by few answers with this chance at most where it keeps it just so. */
const FALSELY_BROKEN = 0.001;

/**
 * A metric of a slice as `readLimit` has it. Where there are too few answers for a percentile, and they prove nevertheless that
 * it breaks its limit, its lower bound; null where they do not.
 */
export function readAgainstLimit({ metric, most }: CapacityLimit, limited: LimitedSlice): number | null {
  const value = readLimit(metric, limited);
  const percentile = percentileOf(metric);
  const { slice } = limited;
  const { latency } = slice;
  if (value !== null || percentile === null || latency.maxUs / 1000 <= most) return value;
  const all = latency.count + countAll(slice.outcomes) - countOk(slice);
  // As many lie beyond the bound, failed ones first.
  const beyond = Math.max(LEAST_BEYOND, fewestBeyond(all, 1 - percentile.percent / 100));
  if (beyond > all) return null;
  const leastMs = percentileUs(latency, (100 * (all - beyond + 1)) / latency.count) / 1000;
  return leastMs > most ? leastMs : null;
}

/** The fewest of so many requests that lie beyond a percentile only by a chance that is too small: the exact binomial test. */
function fewestBeyond(all: number, share: number): number {
  let [fewest, left, chance] = [0, 1, (1 - share) ** all];
  for (; left > FALSELY_BROKEN; fewest++) {
    left -= chance;
    chance *= (((all - fewest) / (fewest + 1)) * share) / (1 - share);
  }
  return fewest;
}

function percentileOf(metric: string): (typeof percentiles)[keyof typeof percentiles] | null {
  return Object.hasOwn(percentiles, metric) ? percentiles[metric as keyof typeof percentiles] : null;
}

function probeValue(name: string, probes: LimitedSlice['probes']): number | null {
  const found = probes.find(({ values }) => Object.hasOwn(values, name));
  return found?.values[name] ?? null;
}

/** How far a slice is towards the nearest of its limits, roughly: 1 where that is just reached. Null where it tells of none. */
export function roughStress(limits: readonly CapacityLimit[], slice: LimitedSlice): number | null {
  const known = limits.flatMap(({ metric, most }) => {
    const value = readLimit(metric, slice, true);
    return value === null ? [] : [value / most];
  });
  return known.length === 0 ? null : Math.max(...known);
}
