import { mean, squares, sum } from './moments.ts';

/** The two components of variance of values that are nested in starts. */
export interface NestedNoise {
  /** Variance of one value within its start. */
  readonly within: number;
  /** Variance of what a start has of its own; 0 where it is too small to be seen. */
  readonly between: number;
}

/**
 * Estimates both components from the mean squares of a one-way random effects model (Searle, Casella and McCulloch 1992,
 * Variance Components, chapter 3; starts may have different numbers of values); null where there are fewer than two
 * starts, or none with two values. The variance of the mean of all starts' means is between / starts + within / (starts x
 * values). The variance of the starts' means over their number estimates just that, with starts - 1 degrees of freedom,
 * so an interval from the starts' means has both components in it (Kalibera and Jones 2013, Rigorous Benchmarking in
 * Reasonable Time).
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
 * How many values a start deserves: more of them where starts are alike and dear, the fewest that the mean of a given
 * time is closest with (Kalibera and Jones 2013, section 6: the square root of both ratios). Infinity where starts do
 * not differ.
 */
export function valuesPerStart(
  { within, between }: NestedNoise,
  cost: { readonly startMs: number; readonly valueMs: number },
): number {
  return Math.max(1, Math.sqrt(((cost.startMs / cost.valueMs) * within) / between));
}
