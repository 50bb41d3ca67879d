/** Lanczos' approximation (g = 7, 9 terms; Godfrey's coefficients), good to 15 digits for x > 0. */
const lanczos: readonly number[] = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** ln of the gamma function, for x > 0. */
export function logGamma(x: number): number {
  const z = x - 1;
  const t = z + 7.5;
  let sum = 0.99999999999980993;
  for (let i = 0; i < lanczos.length; i++) sum += (lanczos[i] ?? 0) / (x + i);
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(sum);
}

const TINY = 1e-300;
const MAX_TERMS = 1000;

function awayFromZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}

/** The continued fraction of the incomplete beta function (Abramowitz & Stegun 26.5.8), by Lentz' method. */
function betaFraction(x: number, a: number, b: number): number {
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
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const logFront = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  // The fraction converges fast only below the mean of the distribution; above it, the mirror image is used.
  if (x < (a + 1) / (a + b + 2)) return (Math.exp(logFront) * betaFraction(x, a, b)) / a;
  return 1 - (Math.exp(logFront) * betaFraction(1 - x, b, a)) / b;
}

/** P(a, x), the regularised lower incomplete gamma function, by its series: for x < a + 1. */
function gammaSeries(a: number, x: number, logGammaOfA: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; n <= 100_000; n++) {
    term *= x / (a + n);
    sum += term;
    if (term < sum * 1e-17) break;
  }
  return sum * Math.exp(a * Math.log(x) - x - logGammaOfA);
}

/** Q(a, x) = 1 - P(a, x) by its continued fraction (Abramowitz & Stegun 6.5.31), with Lentz' method: for x >= a + 1. */
function gammaFraction(a: number, x: number, logGammaOfA: number): number {
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n <= 100_000; n++) {
    const numerator = -n * (n - a);
    b += 2;
    d = 1 / awayFromZero(b + numerator * d);
    c = awayFromZero(b + numerator / c);
    fraction *= c * d;
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return fraction * Math.exp(a * Math.log(x) - x - logGammaOfA);
}

/**
 * Both tails of the gamma distribution of shape a > 0 at x: below is P(a, x), above Q(a, x), each to full precision. Who asks
 * often for the same shape works out ln gamma(a) once.
 */
export function gammaTails(
  a: number,
  x: number,
  logGammaOfA = logGamma(a),
): { readonly below: number; readonly above: number } {
  if (x <= 0) return { below: 0, above: 1 };
  if (x < a + 1) {
    const below = gammaSeries(a, x, logGammaOfA);
    return { below, above: 1 - below };
  }
  const above = gammaFraction(a, x, logGammaOfA);
  return { below: 1 - above, above };
}

/** The second derivative of ln gamma(x), for x > 0: by its asymptotic series, from 10 on (Abramowitz & Stegun 6.4.12). */
export function trigamma(x: number): number {
  if (x < 10) return trigamma(x + 1) + 1 / (x * x);
  const y = 1 / (x * x);
  return 1 / x + y / 2 + (y / x) * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30)));
}

/** The x > 0 whose trigamma is y > 0: Newton's steps on 1 / trigamma, which is nearly straight (Smyth 2004, appendix). */
export function inverseTrigamma(y: number): number {
  let x = 0.5 + 1 / y;
  for (let step = 0; step < 50; step++) {
    const value = trigamma(x);
    const slope = (trigamma(x * (1 + 1e-5)) - trigamma(x * (1 - 1e-5))) / (2e-5 * x);
    const change = (value * (1 - value / y)) / slope;
    x += change;
    if (Math.abs(change) < 1e-9 * x) break;
  }
  return x;
}

/** P(T <= t) for Student's t with `df` > 0 degrees of freedom (Abramowitz & Stegun 26.7.1 by the beta function). */
export function studentTCdf(t: number, df: number): number {
  const tail = incompleteBeta(df / (df + t * t), df / 2, 0.5) / 2;
  return t < 0 ? tail : 1 - tail;
}

/**
 * The t with P(T <= t) = p, for p in (0, 1) and `df` > 0, to about 12 digits. Looks in the lower tail, where the distribution
 * function keeps its relative precision, by Newton's method for its logarithm by ln(-t), which is nearly straight there, and by
 * bisection where that leaves the bracket.
 */
export function studentTQuantile(p: number, df: number): number {
  if (!(p > 0 && p < 1 && df > 0)) return Number.NaN;
  const tail = Math.min(p, 1 - p);
  if (tail === 0.5) return 0;
  const logFront = logGamma((df + 1) / 2) - logGamma(df / 2) - Math.log(df * Math.PI) / 2;
  let low = -1;
  while (studentTCdf(low, df) > tail) low *= 2;
  let high = low === -1 ? 0 : low / 2;
  let t = low;
  for (let step = 0; step < 200; step++) {
    const below = studentTCdf(t, df);
    if (below > tail) high = t;
    else low = t;
    const density = Math.exp(logFront - ((df + 1) / 2) * Math.log1p((t * t) / df));
    const newton = t * Math.exp((Math.log(below / tail) * below) / (density * -t));
    const next = newton >= low && newton <= high ? newton : (low + high) / 2;
    if (Math.abs(next - t) <= CLOSE * Math.abs(t)) return p < 0.5 ? next : -next;
    t = next;
  }
  return p < 0.5 ? t : -t;
}

/** Newton's last step doubles the digits: what is left after one of this size is rounding. */
const CLOSE = 1e-9;

/** The f with P(F <= f) = p for the ratio of two variances of `df` and `otherDf` degrees of freedom, for p in (0, 1) (Abramowitz & Stegun 26.6.2). */
export function fQuantile(p: number, df: number, otherDf: number): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (incompleteBeta(middle, df / 2, otherDf / 2) < p) low = middle;
    else high = middle;
  }
  return (low * otherDf) / ((1 - low) * df);
}
