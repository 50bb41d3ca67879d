import { median } from './moments.ts';

/** The n (n + 1) / 2 means of all pairs of values, each value also paired with itself, ascending. */
export function walshAverages(values: readonly number[]): number[] {
  const averages = values.flatMap((value, i) => values.slice(i).map((other) => (value + other) / 2));
  return averages.sort((a, b) => a - b);
}

/**
 * The one-sample Hodges-Lehmann estimate of the centre: the median of the Walsh averages (Hodges & Lehmann, 1963).
 * One far-off round hardly moves it, and no round has to be dropped for that. NaN of nothing.
 */
export function hodgesLehmann(values: readonly number[]): number {
  return median(walshAverages(values));
}
