/** The points and weights of a quadrature on [-1, 1]. */
export interface Quadrature {
  readonly at: Float64Array;
  readonly weight: Float64Array;
}

const known = new Map<number, Quadrature>();

/**
 * Gauss's quadrature of so many points: exact for polynomials of degree 2 points - 1. Points are the roots of Legendre's
 * polynomial, by Newton's method from their asymptotic places (Abramowitz & Stegun 1964, 22.16.6 and 25.4.29).
 */
export function gaussLegendre(points: number): Quadrature {
  const before = known.get(points);
  if (before !== undefined) return before;
  const at = new Float64Array(points);
  const weight = new Float64Array(points);
  for (let i = 0; i < points; i++) {
    let x = -Math.cos((Math.PI * (i + 0.75)) / (points + 0.5));
    let slope = 1;
    for (let step = 0; step < 5; step++) {
      let [value, last] = [1, 0];
      for (let n = 1; n <= points; n++) [value, last] = [((2 * n - 1) * x * value - (n - 1) * last) / n, value];
      slope = (points * (x * value - last)) / (x * x - 1);
      x -= value / slope;
    }
    at[i] = x;
    weight[i] = 2 / ((1 - x * x) * slope * slope);
  }
  const quadrature = { at, weight };
  known.set(points, quadrature);
  return quadrature;
}
