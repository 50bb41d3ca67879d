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

/** Those means of a pair that are more than `low` and at most `high`, ascending. */
function averagesWithin(sorted: Float64Array, low: number, high: number): Float64Array {
  const found: number[] = [];
  let end = sorted.length;
  for (let i = 0; i < end; i++) {
    while (end > i && ((sorted[i] ?? 0) + (sorted[end - 1] ?? 0)) / 2 > high) end--;
    for (let j = end - 1; j >= i; j--) {
      const average = ((sorted[i] ?? 0) + (sorted[j] ?? 0)) / 2;
      if (average <= low) break;
      found.push(average);
    }
  }
  return Float64Array.from(found).sort();
}

/** So few averages are sorted sooner than found by more passes. */
const FEW = 64;

/**
 * The Walsh averages of some values: the n (n + 1) / 2 means of all pairs, each value also paired with itself. Any of
 * them can be asked for by its place in ascending order, from 0. They are never made all at once: with 500 rounds there
 * are 125,000 for each comparison; halving the range between the least and the largest leaves a few of them after a
 * dozen passes.
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
    let [upToLow, upToHigh] = [countUpTo(this.#sorted, low), this.length];
    if (upToLow > place) return low;
    // More than `place` averages are at most `high`, not so many at most `low`. Many equal ones never become few.
    for (let step = 0; step < 64 && upToHigh - upToLow > FEW; step++) {
      const middle = (low + high) / 2;
      if (middle <= low || middle >= high) break;
      const upToMiddle = countUpTo(this.#sorted, middle);
      if (upToMiddle > place) [high, upToHigh] = [middle, upToMiddle];
      else [low, upToLow] = [middle, upToMiddle];
    }
    if (upToHigh - upToLow > FEW) return largestUpTo(this.#sorted, high);
    return averagesWithin(this.#sorted, low, high)[place - upToLow] ?? Number.NaN;
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
