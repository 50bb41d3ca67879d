import { expectedHalfWidth } from '../stats/interval.ts';
import { median, standardDeviation } from '../stats/moments.ts';
import type { Finding } from './compare.ts';
import { toPercent } from './judge.ts';

/**
 * The noise floor in percent: the median of |ln(second arm / first arm)| of 2xx/s over all rounds and load levels, as a
 * percent change. By so much two starts of the same thing typically differ in one round. Null under 2 rounds.
 */
export function noiseFloorPercent(repeats: readonly Finding[], rounds: number): number | null {
  const distances = repeats.flatMap((finding) => finding.logRatios.map(Math.abs));
  return rounds < 2 || distances.length < 2 ? null : toPercent(median(distances));
}

/**
 * The smallest change of 2xx/s, in percent, whose interval would have excluded 0 after this many rounds:
 * 100 (e^h - 1), with h the half-width that the interval has at the standard deviation pooled over the comparisons
 * (the root of the mean variance, each weighted by n - 1). An effect just so large would be seen in half of such runs.
 * Null where there are no verdicts.
 */
export function minimumDetectablePercent(comparisons: readonly Finding[], rounds: number): number | null {
  const usable = comparisons.map((finding) => finding.logRatios).filter((ratios) => ratios.length >= 2);
  if (usable.length === 0) return null;
  const freedom = usable.reduce((sum, ratios) => sum + ratios.length - 1, 0);
  const squares = usable.reduce((sum, ratios) => sum + (ratios.length - 1) * standardDeviation(ratios) ** 2, 0);
  const half = expectedHalfWidth(rounds, Math.sqrt(squares / freedom));
  return half === null ? null : toPercent(half);
}
