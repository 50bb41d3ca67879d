import type { Spread } from './block-noise.ts';
import { mean, squares } from './moments.ts';
import { inverseTrigamma, trigamma } from './numerics/special-functions.ts';

/** However alike the arms seem, a comparison's own rounds weigh at least a sixth: few arms cannot show more. */
const MOST_PRIOR = 5;
/** An arm without any noise is taken for one with this share of what the others have: its logarithm must be finite. */
const LEAST_SHARE = 1e-6;

/**
 * How many degrees of freedom the variance that all arms show together is worth beside a comparison's own, from how
 * unlike the arms' variances are: the empirical Bayes estimate of Smyth (Linear models and empirical Bayes methods,
 * 2004, section 6.2), over groups of arms (load levels) whose level of noise differs. The more alike the arms, the more;
 * at most five times what an arm has itself. 0 where there is nothing to see that by.
 */
export function priorDf(groups: readonly (readonly (Spread | null)[])[]): number {
  const known = groups.map((group) => group.flatMap((spread) => spread ?? [])).filter(({ length }) => length > 1);
  const dfs = known.flat().map(({ df }) => df);
  if (dfs.length === 0) return 0;
  const own = mean(dfs);
  const unlike = known.reduce((sum, group) => sum + logSquares(group.map(({ variance }) => variance)), 0);
  const excess = unlike / (dfs.length - known.length) - trigamma(own / 2);
  const most = MOST_PRIOR * own;
  return excess <= 0 ? most : Math.min(most, 2 * inverseTrigamma(excess));
}

/** The sum of squares of the logarithms around their mean. */
function logSquares(variances: readonly number[]): number {
  const floor = LEAST_SHARE * mean(variances);
  if (floor === 0) return 0;
  return squares(variances.map((variance) => Math.log(Math.max(floor, variance))));
}

/** A comparison's own variance, moderated by the pooled one; as sure as both together, and no surer than the pooled. */
export function moderated(own: Spread, pooled: Spread, prior: number): Spread {
  const df = prior + own.df;
  const variance = (prior * pooled.variance + own.df * own.variance) / df;
  return { variance, df: Math.min(df, pooled.df) };
}
