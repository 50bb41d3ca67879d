import type { Spread } from './block-noise.ts';
import { alphaFor } from './looks.ts';
import { mean, standardDeviation } from './moments.ts';
import { type Interval, signedRankInterval } from './signed-rank.ts';
import { studentTQuantile } from './student-t.ts';

/**
 * Up to here Student's t with the pooled noise, from the next round on signed-rank. For one comparison signed-rank could
 * begin at 9 rounds, for 20 it first rejects at 15 and only if all rounds agree. By simulation of 20 cells (3 % noise
 * with outliers, never stopping early, 1,000 sessions) a planted 5 % was found after 18.5, 17.0, 16.7, 16.5 rounds at
 * typical noise when the change came at 10, 15, 18, 22 rounds, at about the same rate of false alarms; never changing
 * over misses twice as many, since the mean heeds outliers.
 */
const T_MAX_ROUNDS = 15;

/** The variance of the Hodges-Lehmann estimate over that of the mean, for normal noise (Hodges & Lehmann, 1963). */
const HODGES_LEHMANN_VARIANCE = Math.PI / 3;

/** What an interval knows beyond the rounds of its own comparison. */
export interface Family {
  /** The share of a look's alpha that this comparison may spend: 1 alone, 1 / m among m by Bonferroni. */
  readonly share: number;
  /** The noise of one round's ratio as all arms under the same load show it; null where that is not known. */
  readonly pooled: Spread | null;
}

/** A comparison that stands alone. */
export const ALONE: Family = { share: 1, pooled: null };

const quantiles = new Map<string, number>();

/** t(1 - alpha / 2, df). */
function twoSidedT(alpha: number, df: number): number {
  const key = `${alpha}:${df}`;
  let quantile = quantiles.get(key);
  if (quantile === undefined) {
    quantile = -studentTQuantile(alpha / 2, df);
    quantiles.set(key, quantile);
  }
  return quantile;
}

/**
 * The spread that a t interval is made with: the larger of the comparison's own and of the pooled one, with the pooled
 * one's degrees of freedom. Pooling is what makes verdicts possible after 4 rounds (t(3) at alpha / 20 is 22, t(60) is
 * 4); but a comparison that is noisier than the others, or has an outlier, must not be judged by the others' calm. With
 * the pooled variance alone 5-15 % of 20-cell sweeps with outliers raised a false alarm, with the larger one up to 3 %
 * (5 % without outliers, 6-8 % where every third arm is twice as noisy; never stopping early).
 */
function spreadOf(values: readonly number[], pooled: Spread | null): Spread {
  const own = { variance: standardDeviation(values) ** 2, df: values.length - 1 };
  if (pooled === null || pooled.df <= own.df) return own;
  return { variance: Math.max(own.variance, pooled.variance), df: pooled.df };
}

/** Student's interval for the mean: mean +- t(1 - alpha / 2, df) sd / sqrt(n). Null for fewer than two values. */
export function tInterval(values: readonly number[], alpha: number, pooled: Spread | null = null): Interval | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  const { variance, df } = spreadOf(values, pooled);
  const half = twoSidedT(alpha, df) * Math.sqrt(variance / values.length);
  return { low: centre - half, high: centre + half };
}

/** The interval of a comparison from its rounds, at its share of the alpha of its look. Null under 4 rounds. */
export function interval(values: readonly number[], family: Family = ALONE): Interval | null {
  const lookAlpha = alphaFor(values.length);
  if (lookAlpha === null) return null;
  const alpha = lookAlpha * family.share;
  const ranked = usesRanks(values.length) ? signedRankInterval(values, alpha) : null;
  // Among very many comparisons signed-rank cannot reach its alpha for some rounds more.
  return ranked ?? tInterval(values, alpha, family.pooled);
}

/** Whether the interval of n rounds is the signed-rank one. */
export function usesRanks(n: number): boolean {
  return n > T_MAX_ROUNDS;
}

/**
 * The half-width that `interval` may be expected to have if the rounds so far were n instead, with the noise that they
 * show: the t interval's, widened by what signed-rank loses on normal noise where that is used. Null under 4 rounds,
 * and where two values are not there to show noise.
 */
export function expectedHalfWidth(n: number, values: readonly number[], family: Family = ALONE): number | null {
  const alpha = alphaFor(n);
  if (alpha === null || values.length < 2) return null;
  const { variance, df } = spreadOf(values, family.pooled);
  const dfThen = usesRanks(n) ? n - 1 : (df / (values.length - 1)) * (n - 1);
  const half = twoSidedT(alpha * family.share, dfThen) * Math.sqrt(variance / n);
  return half * (usesRanks(n) ? Math.sqrt(HODGES_LEHMANN_VARIANCE) : 1);
}
