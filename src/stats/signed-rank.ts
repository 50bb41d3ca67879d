import { walshAverages } from './hodges-lehmann.ts';

/** Both ends of an interval, in the unit of the values. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * P(W <= w) for w = 0 .. n (n + 1) / 2, of Wilcoxon's signed-rank statistic of n values with no effect: each of the
 * ranks 1 .. n is in the sum or not, like the toss of a coin, so the distribution is made rank by rank.
 */
export function signedRankCdf(n: number): number[] {
  const highest = (n * (n + 1)) / 2;
  let probabilities = new Array<number>(highest + 1).fill(0);
  probabilities[0] = 1;
  for (let rank = 1; rank <= n; rank++) {
    const before = probabilities;
    probabilities = before.map((p, sum) => (p + (before[sum - rank] ?? 0)) / 2);
  }
  let total = 0;
  return probabilities.map((p) => {
    total += p;
    return total;
  });
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
  const averages = walshAverages(values);
  const low = averages[count];
  const high = averages[averages.length - 1 - count];
  return low === undefined || high === undefined ? null : { low, high };
}
