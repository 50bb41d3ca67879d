import { studentTQuantile } from './distributions.ts';
import type { Interval } from './interval.ts';
import { mean, standardDeviation } from './moments.ts';

/**
 * True where the mean of values is certainly not 0, which of a mean of 0 is said with probability alpha. Half of it has Student's t,
 * and half the t of values whose skewness is taken away (Hall, On the removal of skewness by transformation, Journal of the Royal
 * Statistical Society B 54, 1992): it sees a few large values among many near 0, which Student's takes for noise. False for
 * fewer than two values.
 */
export function differsFromZero(values: readonly number[], alpha: number): boolean {
  const count = values.length;
  if (count < 2) return false;
  const centre = mean(values);
  const scatter = standardDeviation(values);
  if (scatter === 0) return centre !== 0;
  const skewness = skewnessOf(values);
  const ratio = centre / scatter;
  const symmetric = ratio + (skewness * ratio ** 2) / 3 + (skewness ** 2 * ratio ** 3) / 27 + skewness / (6 * count);
  return Math.sqrt(count) * Math.max(Math.abs(ratio), Math.abs(symmetric)) > -studentTQuantile(alpha / 4, count - 1);
}

/**
 * Bounds for the mean of values, each one-sided: the outer of Student's and of Hall's (1992), which is the mean's where
 * the skewness is taken away. Of a few large values among many near 0 the upper one is far above Student's. Null for fewer
 * than two values.
 */
export function skewedMeanBounds(values: readonly number[], alpha: number): Interval | null {
  if (values.length < 2) return null;
  return {
    low: -upperBound(
      values.map((value) => -value),
      alpha,
    ),
    high: upperBound(values, alpha),
  };
}

/** The upper bound of a mean; the value itself where all are alike. */
function upperBound(values: readonly number[], alpha: number): number {
  const count = values.length;
  const scatter = standardDeviation(values);
  if (scatter === 0) return mean(values);
  const reach = -studentTQuantile(alpha, count - 1) / Math.sqrt(count);
  const skewness = skewnessOf(values);
  const symmetric =
    Math.abs(skewness) < HARDLY_SKEWED
      ? reach
      : (3 / skewness) * (1 - Math.cbrt(1 - skewness * (reach + skewness / (6 * count))));
  return mean(values) + scatter * Math.max(reach, symmetric);
}

/** Below it both bounds are alike, and dividing by it would lose digits. */
const HARDLY_SKEWED = 1e-6;

function skewnessOf(values: readonly number[]): number {
  const [centre, scatter] = [mean(values), standardDeviation(values)];
  return mean(values.map((value) => ((value - centre) / scatter) ** 3));
}
