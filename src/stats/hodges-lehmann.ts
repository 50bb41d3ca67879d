/** How many pairs i <= j of ascending values have a mean of at most `limit`: two pointers, one from either end. */
function countUpTo(sorted: Float64Array, limit: number): number {
  let count = 0;
  let end = sorted.length;
  for (let i = 0; i < end; i++) {
    while (end > i && ((sorted[i] ?? 0) + (sorted[end - 1] ?? 0)) / 2 > limit) end--;
    count += end - i;
  }
  return count;
}

/** The largest mean of a pair that is at most `limit`; -Infinity where there is none. */
function largestUpTo(sorted: Float64Array, limit: number): number {
  let largest = Number.NEGATIVE_INFINITY;
  let end = sorted.length;
  for (let i = 0; i < end; i++) {
    while (end > i && ((sorted[i] ?? 0) + (sorted[end - 1] ?? 0)) / 2 > limit) end--;
    if (end > i) largest = Math.max(largest, ((sorted[i] ?? 0) + (sorted[end - 1] ?? 0)) / 2);
  }
  return largest;
}

/**
 * The Walsh averages of some values: the n (n + 1) / 2 means of all pairs, each value also paired with itself. Any of
 * them can be asked for by its place in ascending order, from 0. They are never made all at once: with 500 rounds there
 * are 125,000 for each comparison; halving the range between the least and the largest finds one in 60 passes.
 */
export class WalshAverages {
  readonly length: number;
  readonly #sorted: Float64Array;

  constructor(values: readonly number[]) {
    this.#sorted = Float64Array.from(values).sort();
    this.length = (values.length * (values.length + 1)) / 2;
  }

  /** NaN beyond either end. */
  at(place: number): number {
    if (!(place >= 0 && place < this.length)) return Number.NaN;
    let low = this.#sorted[0] ?? 0;
    let high = this.#sorted.at(-1) ?? 0;
    if (countUpTo(this.#sorted, low) > place) return low;
    // More than `place` averages are at most `high`, not so many at most `low`.
    for (let step = 0; step < 64; step++) {
      const middle = (low + high) / 2;
      if (middle <= low || middle >= high) break;
      if (countUpTo(this.#sorted, middle) > place) high = middle;
      else low = middle;
    }
    return largestUpTo(this.#sorted, high);
  }
}

/**
 * The one-sample Hodges-Lehmann estimate of the centre: the median of the Walsh averages (Hodges & Lehmann, 1963).
 * One far-off round hardly moves it, and no round has to be dropped for that. NaN of nothing.
 */
export function hodgesLehmann(values: readonly number[]): number {
  const averages = new WalshAverages(values);
  return (averages.at(Math.floor((averages.length - 1) / 2)) + averages.at(Math.floor(averages.length / 2))) / 2;
}
