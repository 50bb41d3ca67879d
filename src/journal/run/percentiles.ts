/** The percentiles of latencies that are metrics. */
export const namedPercentiles = [50, 95, 99, 99.9] as const;

export type NamedPercentile = (typeof namedPercentiles)[number];

/** With fewer answers beyond it, a percentile is the luck of one request. */
export const LEAST_BEYOND = 10;

/**
 * How many answers a percentile needs, so that ten lie beyond it: p50 20, p95 200, p99 1,000, p99.9 10,000. A sweep needs so
 * many of an arm in all its rounds together; a search for capacities, which looks at slices one by one, in a slice.
 */
export function answersFor(percent: number): number {
  return Math.round((100 * LEAST_BEYOND) / Math.min(percent, 100 - percent));
}
