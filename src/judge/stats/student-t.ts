import { incompleteBeta } from './numerics/special-functions.ts';

/** P(T <= t) for Student's t with `df` > 0 degrees of freedom (Abramowitz & Stegun 26.7.1 by the beta function). */
export function studentTCdf(t: number, df: number): number {
  const tail = incompleteBeta(df / (df + t * t), df / 2, 0.5) / 2;
  return t < 0 ? tail : 1 - tail;
}

/**
 * The t with P(T <= t) = p, for p in (0, 1) and `df` > 0, to about 12 digits: bisection on the lower tail, where the
 * distribution function keeps its relative precision.
 */
export function studentTQuantile(p: number, df: number): number {
  if (!(p > 0 && p < 1 && df > 0)) return Number.NaN;
  const tail = Math.min(p, 1 - p);
  if (tail === 0.5) return 0;
  let low = -1;
  while (studentTCdf(low, df) > tail) low *= 2;
  let high = 0;
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (studentTCdf(middle, df) > tail) high = middle;
    else low = middle;
  }
  const t = (low + high) / 2;
  return p < 0.5 ? t : -t;
}
