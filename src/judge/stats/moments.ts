/** The arithmetic mean; NaN of nothing. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** The median; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** The sample standard deviation, with n - 1 below; NaN for fewer than two values. */
export function standardDeviation(values: readonly number[]): number {
  return values.length < 2 ? Number.NaN : Math.sqrt(squares(values) / (values.length - 1));
}

/** The sum of the squares around the mean; 0 of nothing. */
export function squares(values: readonly number[]): number {
  const centre = mean(values);
  return sum(values.map((value) => (value - centre) ** 2));
}

/** The sum; 0 of nothing. A loop, since judging a long run asks for some million sums. */
export function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** The weighted mean; NaN of nothing. */
export function weightedMean(values: readonly number[], weights: readonly number[]): number {
  return sum(values.map((value, i) => (weights[i] ?? 0) * value)) / sum(weights);
}
