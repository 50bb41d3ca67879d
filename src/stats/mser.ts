import { batchMeans } from './batch-means.ts';
import { mean } from './moments.ts';

/** The batch size that gives MSER-5 its name. */
const BATCH = 5;

/** Fewer values than this at the end have a small spread by luck. */
const MIN_KEPT = 5;

/**
 * The marginal standard error rule (White, 1997): how many values to cut off at the start, so that the squared
 * standard error of the mean of the rest, sum (x - mean)^2 / k^2 of its k values, is smallest. The first of equals.
 * At least 5 values are kept; null for fewer than 5.
 */
export function mserTruncation(values: readonly number[]): number | null {
  let best: { readonly cut: number; readonly error: number } | null = null;
  for (let cut = 0; cut <= values.length - MIN_KEPT; cut++) {
    const rest = values.slice(cut);
    const centre = mean(rest);
    const error = rest.reduce((sum, value) => sum + (value - centre) ** 2, 0) / rest.length ** 2;
    if (best === null || error < best.error) best = { cut, error };
  }
  return best?.cut ?? null;
}

/** MSER-5 (White, Cobb & Spratt, 2000): the rule on means of 5 values each. In values; null for fewer than 25. */
export function mser5Truncation(values: readonly number[]): number | null {
  const cut = mserTruncation(batchMeans(values, BATCH));
  return cut === null ? null : cut * BATCH;
}
