import { studentTQuantile } from './distributions.ts';
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
  const skewness = mean(values.map((value) => ((value - centre) / scatter) ** 3));
  const ratio = centre / scatter;
  const symmetric = ratio + (skewness * ratio ** 2) / 3 + (skewness ** 2 * ratio ** 3) / 27 + skewness / (6 * count);
  return Math.sqrt(count) * Math.max(Math.abs(ratio), Math.abs(symmetric)) > -studentTQuantile(alpha / 4, count - 1);
}
