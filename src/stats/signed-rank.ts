import { WalshAverages } from './hodges-lehmann.ts';

/** Both ends of an interval, in the unit of the values. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

const cdfs = new Map<number, Float64Array>();

/**
 * P(W <= w) for w = 0 .. n (n + 1) / 2, of Wilcoxon's signed-rank statistic of n values with no effect: each of the
 * ranks 1 .. n is in the sum or not, like the toss of a coin, so the distribution is made rank by rank.
 */
export function signedRankCdf(n: number): Float64Array {
  let cdf = cdfs.get(n);
  if (cdf === undefined) {
    cdf = makeCdf(n);
    cdfs.set(n, cdf);
  }
  return cdf;
}

function makeCdf(n: number): Float64Array {
  const highest = (n * (n + 1)) / 2;
  const probabilities = new Float64Array(highest + 1);
  probabilities[0] = 1;
  for (let rank = 1; rank <= n; rank++) {
    // Downwards, so that what stands below is still without this rank.
    for (let sum = (rank * (rank + 1)) / 2; sum >= rank; sum--) {
      probabilities[sum] = ((probabilities[sum] ?? 0) + (probabilities[sum - rank] ?? 0)) / 2;
    }
    for (let sum = 0; sum < rank; sum++) probabilities[sum] = (probabilities[sum] ?? 0) / 2;
  }
  let total = 0;
  return probabilities.map((p) => {
    total += p;
    return total;
  });
}

const tails = new Map<number, Float64Array>();

/** The two-sided p, 2 P(W <= w) and at most 1, by the absolute sum of signed ranks, n (n + 1) / 2 - 2 w. */
export function signedRankTails(n: number): Float64Array {
  let byScore = tails.get(n);
  if (byScore === undefined) {
    const cdf = signedRankCdf(n);
    const highest = (n * (n + 1)) / 2;
    // A score of the other parity does not occur without ties; with them it counts as the next lower one.
    byScore = Float64Array.from(cdf, (_, score) => Math.min(1, 2 * (cdf[Math.ceil((highest - score) / 2)] ?? 1)));
    tails.set(n, byScore);
  }
  return byScore;
}

const tailCounts = new Map<string, number | null>();

/** The largest w with 2 P(W <= w) <= alpha, or null where even w = 0 is likelier than that. */
function tailCount(n: number, alpha: number): number | null {
  const key = `${n}:${alpha}`;
  let count = tailCounts.get(key);
  if (count === undefined) {
    const below = signedRankCdf(n).findIndex((p) => 2 * p > alpha);
    count = below === 0 ? null : below - 1;
    tailCounts.set(key, count);
  }
  return count;
}

/**
 * The exact interval for the centre of a symmetric distribution, by turning round the signed-rank test: order
 * statistics of the Walsh averages (Hollander & Wolfe, Nonparametric Statistical Methods, 3.3). It holds with a
 * chance of at least 1 - alpha; ties only make it hold more often. Null where n is too small to reach alpha (n < 8
 * for alpha = 0.01).
 */
export function signedRankInterval(values: readonly number[], alpha: number): Interval | null {
  const count = tailCount(values.length, alpha);
  if (count === null) return null;
  const averages = new WalshAverages(values);
  return { low: averages.at(count), high: averages.at(averages.length - 1 - count) };
}
