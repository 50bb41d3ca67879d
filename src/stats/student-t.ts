/** Lanczos' approximation (g = 7, 9 terms; Godfrey's coefficients), good to 15 digits for x > 0. */
const lanczos: readonly number[] = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function logGamma(x: number): number {
  const z = x - 1;
  const t = z + 7.5;
  const sum = lanczos.reduce((total, coefficient, i) => total + (i === 0 ? coefficient : coefficient / (z + i)), 0);
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(sum);
}

const TINY = 1e-300;
const MAX_TERMS = 1000;

/** The continued fraction of the incomplete beta function (Abramowitz & Stegun 26.5.8), by Lentz' method. */
function betaFraction(x: number, a: number, b: number): number {
  const awayFromZero = (value: number): number => (Math.abs(value) < TINY ? TINY : value);
  let c = 1;
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= MAX_TERMS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let factor = 1;
    for (const numerator of [even, odd]) {
      d = 1 / awayFromZero(1 + numerator * d);
      c = awayFromZero(1 + numerator / c);
      factor = c * d;
      fraction *= factor;
    }
    if (Math.abs(factor - 1) < 1e-16) break;
  }
  return fraction;
}

/** The regularised incomplete beta function I_x(a, b), for x in [0, 1]. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const logFront = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  // The fraction converges fast only below the mean of the distribution; above it, the mirror image is used.
  if (x < (a + 1) / (a + b + 2)) return (Math.exp(logFront) * betaFraction(x, a, b)) / a;
  return 1 - (Math.exp(logFront) * betaFraction(1 - x, b, a)) / b;
}

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
