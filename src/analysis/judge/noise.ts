import { expectedHalfWidths } from '../../stats/interval.ts';
import { mean, median } from '../../stats/moments.ts';
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
 * The smallest change of 2xx/s, in percent, whose interval would have excluded 0 after the rounds so far:
 * 100 (e^h - 1), with h the half-width to be expected of the intervals (the root of the mean square over the
 * comparisons). An effect just so large would be seen in half of such runs. Null where there are no verdicts.
 */
export function minimumDetectablePercent(comparisons: readonly Finding[]): number | null {
  const halves = comparisons.flatMap(({ evidence }) => (evidence && expectedHalfWidths(evidence)?.difference) ?? []);
  return halves.length === 0 ? null : toPercent(Math.sqrt(mean(halves.map((half) => half ** 2))));
}
