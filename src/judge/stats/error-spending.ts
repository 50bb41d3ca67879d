import { gammaTails, logGamma } from './distributions.ts';

/** A look at the data: after this many rounds, and what of the error it spends, in addition to the looks before. */
export interface Spending {
  readonly rounds: number;
  readonly spent: number;
}

/** On which sides a look may go beyond its boundary. */
export type Sides = 'both' | 'upper';

/**
 * Points at which the density between two boundaries is known. There is one more for each standard deviation of the
 * step to the next look, with which it is convolved. Twice as many change no level by a millionth of it.
 */
const LEAST_POINTS = 12;
/** A boundary is never further out, in standard deviations. */
const FAR = 7;
/** Below this many standard deviations there is nothing from which a sum could come back up to a boundary. */
const FAR_BELOW = 5;
const CLOSE = 1e-8;
/** Beyond this many standard deviations, folding adds less than rounding does. */
const OUT_OF_REACH = 10;

/**
 * The nominal level of each look, so that all looks together spend exactly what they should. Boundaries of a sum of
 * normal deviates (Lan & DeMets, Discrete sequential boundaries, 1983), by the recursion of Armitage, McPherson & Rowe
 * (1969). Two-sided levels for `both` sides. A level is used with Student's t (Jennison & Turnbull, Group Sequential
 * Methods, 2000, section 11.4: accurate for few degrees of freedom). Each is computed on demand.
 */
export function* nominalLevels(looks: readonly Spending[], sides: Sides): Generator<number, void> {
  let before: Density | null = null;
  let z = FAR / 2;
  for (const { rounds, spent } of looks) {
    const perSide: number = sides === 'both' ? 2 : 1;
    z = boundary(before, rounds, spent / perSide, z);
    before = densityWithin(before, rounds, z, sides);
    yield perSide * normalTail(z);
  }
}

/** The density of a sum that has crossed no boundary so far. */
interface Density {
  readonly rounds: number;
  readonly at: Float64Array;
  /** The probability of being near `at`. */
  readonly weight: Float64Array;
}

/** The chance to be above z now, and at no look before. */
function crossing(before: Density | null, rounds: number, z: number): number {
  if (before === null) return normalTail(z);
  const step = Math.sqrt(rounds - before.rounds);
  const edge = z * Math.sqrt(rounds);
  let sum = 0;
  for (let i = 0; i < before.at.length; i++) {
    const away = (edge - (before.at[i] ?? 0)) / step;
    if (away < OUT_OF_REACH) sum += (before.weight[i] ?? 0) * normalTail(away);
  }
  return sum;
}

/**
 * The z above which the sum lies with the wanted probability; where next to nothing is spent, one that is never
 * reached. By Newton's method for the logarithm from a guess, and by bisection where that leaves the bracket.
 */
function boundary(before: Density | null, rounds: number, spent: number, guess: number): number {
  if (spent <= NEXT_TO_NOTHING) return FAR;
  let [low, high, z] = [0, FAR, guess];
  while (high - low > CLOSE) {
    const beyond = crossing(before, rounds, z);
    if (beyond > spent) low = z;
    else high = z;
    const density = Math.sqrt(rounds) * densityAt(before, rounds, z * Math.sqrt(rounds));
    const newton = z + (Math.log(beyond / spent) * beyond) / density;
    const next = newton > low && newton < high ? newton : (low + high) / 2;
    if (Math.abs(next - z) < CLOSE) return next;
    z = next;
  }
  return z;
}

/** By Gauss's quadrature, between the boundaries. */
function densityWithin(before: Density | null, rounds: number, z: number, sides: Sides): Density {
  const root = Math.sqrt(rounds);
  const [low, high] = [(sides === 'both' ? -z : -FAR_BELOW) * root, z * root];
  const [middle, half] = [(low + high) / 2, (high - low) / 2];
  const unit = gaussLegendre(LEAST_POINTS + Math.ceil(high - low));
  const at = unit.at.map((x) => middle + half * x);
  const weight = unit.weight.map((share, i) => half * share * densityAt(before, rounds, at[i] ?? 0));
  return { rounds, at, weight };
}

function densityAt(before: Density | null, rounds: number, x: number): number {
  if (before === null) return bell(x / Math.sqrt(rounds)) / Math.sqrt(rounds);
  const step = Math.sqrt(rounds - before.rounds);
  let sum = 0;
  for (let i = 0; i < before.at.length; i++) {
    const away = (x - (before.at[i] ?? 0)) / step;
    if (Math.abs(away) < OUT_OF_REACH) sum += (before.weight[i] ?? 0) * bell(away);
  }
  return sum / step;
}

function bell(z: number): number {
  return Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI);
}

const logGammaOfHalf = logGamma(0.5);

/** P(Z > z) of a normal deviate, by the gamma distribution of its square. */
function normalTail(z: number): number {
  const { below, above } = gammaTails(0.5, (z * z) / 2, logGammaOfHalf);
  return z >= 0 ? above / 2 : (1 + below) / 2;
}

const NEXT_TO_NOTHING = normalTail(FAR);

/** The points and weights of a quadrature on [-1, 1]. */
interface Quadrature {
  readonly at: Float64Array;
  readonly weight: Float64Array;
}

const known = new Map<number, Quadrature>();

/**
 * Gauss's quadrature of this many points: exact for polynomials of degree 2 points - 1. Points are the roots of Legendre's
 * polynomial, by Newton's method from their asymptotic places (Abramowitz & Stegun 1964, 22.16.6 and 25.4.29).
 */
function gaussLegendre(points: number): Quadrature {
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
