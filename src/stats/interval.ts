import { alphaFor } from './looks.ts';
import { mean, standardDeviation } from './moments.ts';
import { type Interval, signedRankInterval } from './signed-rank.ts';
import { studentTQuantile } from './student-t.ts';

/**
 * Up to here Student's t, from the next round on signed-rank: with fewer rounds signed-rank cannot reach the alphas.
 */
const T_MAX_ROUNDS = 8;

/** The variance of the Hodges-Lehmann estimate over that of the mean, for normal noise (Hodges & Lehmann, 1963). */
const HODGES_LEHMANN_VARIANCE = Math.PI / 3;

const multipliers = new Map<string, number>();

/**
 * How many standard deviations the t interval of n values reaches to either side: t(1 - alpha / 2, n - 1) / sqrt(n).
 */
function tMultiplier(n: number, alpha: number): number {
  const key = `${n}:${alpha}`;
  let multiplier = multipliers.get(key);
  if (multiplier === undefined) {
    multiplier = -studentTQuantile(alpha / 2, n - 1) / Math.sqrt(n);
    multipliers.set(key, multiplier);
  }
  return multiplier;
}

/** Student's interval for the mean: mean +- t(1 - alpha / 2, n - 1) sd / sqrt(n). Null for fewer than two values. */
export function tInterval(values: readonly number[], alpha: number): Interval | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  const half = tMultiplier(values.length, alpha) * standardDeviation(values);
  return { low: centre - half, high: centre + half };
}

/** The interval of a comparison from its rounds, at the alpha of its look. Null under 4 rounds. */
export function interval(values: readonly number[]): Interval | null {
  const alpha = alphaFor(values.length);
  if (alpha === null) return null;
  return values.length <= T_MAX_ROUNDS ? tInterval(values, alpha) : signedRankInterval(values, alpha);
}

/**
 * The half-width that `interval` may be expected to have after n rounds of noise with this standard deviation: the t
 * interval's, widened from 9 rounds on by what signed-rank loses on normal noise. Null under 4 rounds.
 */
export function expectedHalfWidth(n: number, sd: number): number | null {
  const alpha = alphaFor(n);
  if (alpha === null) return null;
  return tMultiplier(n, alpha) * sd * (n <= T_MAX_ROUNDS ? 1 : Math.sqrt(HODGES_LEHMANN_VARIANCE));
}
