import { mean, squares, sum } from './moments.ts';

/** The skewness of the noise of one round, as its turns show it, in the unit of the round's value. */
export interface Skew {
  /** Third cumulant of the round's value. Cumulants of independent parts add up, so what else scatters leaves it as it is. */
  readonly third: number;
  /** The part of the round's variance that comes from its turns. */
  readonly within: number;
}

/**
 * So many standard errors, as normal values have them. Those of a busy machine have heavier tails: of 120 comparisons of identical
 * arms that were recorded beside a neighbour ten exceeded 3, and one 4.
 */
const CERTAIN = 4;

/**
 * The skewness of the mean of a round's turns, from their values in each round. Each round is centred at its own mean. The
 * third cumulant of a mean of n values is theirs over n^2, and n sum(d^3) / ((n - 1) (n - 2)) estimates theirs without bias
 * (Fisher, Moments and product moments of sampling distributions, 1929). Null where no skewness is certain: where the
 * rounds' skewness, each in units of its own scatter, is on average within four of its standard errors. So one disturbed round does not make turns skewed.
 * `isCertain`: something else tells that they are.
 */
export function skewOf(rounds: readonly (readonly number[])[], isCertain = false): Skew | null {
  const known = rounds.flatMap((turns) => skewIn(turns) ?? []);
  if (known.length === 0) return null;
  const ofRound = sum(known.map(({ third, within }) => third / within ** 1.5));
  const error = Math.sqrt(sum(known.map(({ errorSquared }) => errorSquared)));
  if (!isCertain && Math.abs(ofRound) <= CERTAIN * error) return null;
  return { third: mean(known.map(({ third }) => third)), within: mean(known.map(({ within }) => within)) };
}

/** The skewness of one round with the square of its standard error. Null where turns are alike or fewer than three. */
function skewIn(turns: readonly number[]): (Skew & { readonly errorSquared: number }) | null {
  const n = turns.length;
  const within = squares(turns) / (n - 1) / n;
  if (n < 3 || within === 0) return null;
  const centre = mean(turns);
  const third = sum(turns.map((value) => (value - centre) ** 3)) / (n * (n - 1) * (n - 2));
  return { third, within, errorSquared: (6 * (n - 1)) / ((n - 2) * (n + 1) * (n + 3)) };
}

/** Few rounds may show much less noise than there is, and would seem skewed beyond measure: turns show at least this share of it. */
const LEAST_SHARE = 0.5;

/** The skewness of the mean of this many rounds, whose variance is known as well: third cumulant / standard deviation^3. */
export function skewnessOfMean({ third, within }: Skew, rounds: number, variance: number): number {
  return third / rounds ** 2 / Math.max(variance, (LEAST_SHARE * within) / rounds) ** 1.5;
}

/**
 * The distance of the upper end of an interval from a mean, in standard errors, for Student's quantile. Where noise is
 * skewed to the right, means that are too low come with too little scatter. The end is then further off by
 * skewness (2 quantile^2 + 1) / 6 (Hall, Inverting an Edgeworth expansion, Annals of Statistics 11, 1983; Johnson, Modified t
 * tests and confidence intervals for asymmetrical populations, 1978). It is never nearer than Student's: what would be
 * gained on the other side is not certain. The distance of the lower end is that for the opposite skewness.
 */
export function reachOf(quantile: number, skewness: number): number {
  // A test at level 0 has an infinite quantile.
  return skewness > 0 ? quantile + (skewness * (2 * quantile ** 2 + 1)) / 6 : quantile;
}
