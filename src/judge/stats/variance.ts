import { inverseTrigamma, trigamma } from './distributions.ts';
import { mean, squares, sum } from './moments.ts';

/** A variance and how well it is known. */
export interface Spread {
  readonly variance: number;
  /** Degrees of freedom. */
  readonly df: number;
}

/** The noise of one of some values, from their scatter; null for fewer than two. */
export function spreadOf(values: readonly number[]): Spread | null {
  const df = values.length - 1;
  return df < 1 ? null : { variance: squares(values) / df, df };
}

/**
 * The noise of one arm in one round, from all arms of a randomised complete block design: the residual variance of the
 * values (one row a round, one column an arm) after rounds and arms are taken out. It has (rounds - 1) (arms - 1)
 * degrees of freedom (Fisher, The Design of Experiments, 1935). Null for fewer than two rounds or arms.
 */
export function blockNoise(rows: readonly (readonly number[])[]): Spread | null {
  const arms = rows[0]?.length ?? 0;
  if (rows.length < 2 || arms < 2) return null;
  const rowMeans = rows.map(mean);
  const armMeans = Array.from({ length: arms }, (_, arm) => mean(rows.map((row) => row[arm] ?? Number.NaN)));
  const centre = mean(rowMeans);
  let squares = 0;
  rows.forEach((row, i) => {
    row.forEach((value, arm) => {
      squares += (value - (rowMeans[i] ?? 0) - (armMeans[arm] ?? 0) + centre) ** 2;
    });
  });
  const df = (rows.length - 1) * (arms - 1);
  return { variance: squares / df, df };
}

/** However alike the arms seem, a comparison's own rounds weigh at least a sixth: few arms cannot show more. */
const MOST_PRIOR = 5;
/** An arm without any noise is taken for one with this share of what the others have: its logarithm must be finite. */
const LEAST_SHARE = 1e-6;

/**
 * The prior degrees of freedom of the pooled variance, beside a comparison's own: the empirical Bayes estimate of Smyth
 * (Linear models and empirical Bayes methods, 2004, section 6.2), from how unlike the arms' variances are. Groups of
 * arms (load levels) may differ in their level of noise. The more alike the arms, the more; at most five times what an
 * arm has itself. 0 without evidence.
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

/** The sum of independent variances, with the degrees of freedom of Satterthwaite (An approximate distribution of estimates of variance components, 1946). */
export function addedUp(spreads: readonly Spread[]): Spread {
  const variance = sum(spreads.map((spread) => spread.variance));
  if (variance === 0) return { variance, df: Math.min(...spreads.map(({ df }) => df)) };
  return { variance, df: variance ** 2 / sum(spreads.map((spread) => spread.variance ** 2 / spread.df)) };
}

/** The two components of variance of values that are nested in starts. */
interface NestedNoise {
  /** Variance of one value within its start. */
  readonly within: number;
  /** Variance between starts; 0 where it is too small to be seen. */
  readonly between: number;
}

/**
 * Estimates both components from the mean squares of a one-way random effects model (Searle, Casella and McCulloch
 * 1992, Variance Components, chapter 3). Starts may have different numbers of values. Null for fewer than two starts,
 * or none with two values. The variance of the mean of all starts' means is between / starts + within / (starts x
 * values). The variance of the starts' means over their number estimates exactly that, with starts - 1 degrees of
 * freedom. So an interval from the starts' means has both components in it (Kalibera and Jones 2013, Rigorous
 * Benchmarking in Reasonable Time).
 */
export function nestedNoise(starts: readonly (readonly number[])[]): NestedNoise | null {
  const used = starts.filter((values) => values.length > 0);
  const total = sum(used.map(({ length }) => length));
  if (used.length < 2 || total === used.length) return null;
  const all = mean(used.flat());
  const within = sum(used.map(squares)) / (total - used.length);
  const around = sum(used.map((values) => values.length * (mean(values) - all) ** 2)) / (used.length - 1);
  const perStart = (total - sum(used.map(({ length }) => length ** 2)) / total) / (used.length - 1);
  return { within, between: Math.max(0, (around - within) / perStart) };
}

/**
 * The best number of values per start: the mean of a given time is then most precise (Kalibera and Jones 2013, section
 * 6: the square root of both ratios). It is larger where starts are alike and expensive. Infinity where starts do not
 * differ.
 */
export function valuesPerStart(
  { within, between }: NestedNoise,
  cost: { readonly startMs: number; readonly valueMs: number },
): number {
  return Math.max(1, Math.sqrt(((cost.startMs / cost.valueMs) * within) / between));
}

/**
 * The variance of ln(rate) of one arm's slice that comes from its turns, given the count of each arm (a row) in each
 * cycle (a column) of a pass: how much an arm's share in a cycle moves about its share in the pass. Effects of a cycle
 * on all arms, and of an arm on the whole pass, are taken out, so neither a disturbed machine nor a faster variant is
 * in it. It is the linearised variance of a ratio of sums (Cochran, Sampling Techniques, 1977, chapter 6), which allows
 * turns without an answer; (arms - 1) (cycles - 1) degrees of freedom. Null for fewer than two arms or cycles, for rows
 * of different lengths, and where an arm counted nothing.
 */
export function turnSpread(arms: readonly (readonly number[])[]): Spread | null {
  const cycles = arms[0]?.length ?? 0;
  if (arms.length < 2 || cycles < 2 || arms.some(({ length }) => length !== cycles)) return null;
  const sums = arms.map(sum);
  if (Math.min(...sums) <= 0) return null;
  // The share of its own pass, so that an arm's rate is not in it.
  const shares = arms.map((own, arm) => own.map((count) => count / (sums[arm] ?? 1)));
  const squares = Array.from({ length: cycles }, (_, cycle) => {
    const usual = mean(shares.map((own) => own[cycle] ?? 0));
    return sum(shares.map((own) => ((own[cycle] ?? 0) - usual) ** 2));
  });
  const df = (arms.length - 1) * (cycles - 1);
  return { variance: (cycles * sum(squares)) / df, df };
}
