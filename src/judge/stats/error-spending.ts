import { gaussLegendre } from './numerics/gauss-legendre.ts';
import { gammaTails, logGamma } from './numerics/special-functions.ts';

/** A look at the data: after so many rounds, and what of the error it spends, in addition to the looks before. */
export interface Spending {
  readonly rounds: number;
  readonly spent: number;
}

/** On which sides a look may go beyond its boundary. */
export type Sides = 'both' | 'upper';

/**
 * At how many points the density between two boundaries is known: so many, and one more for each standard deviation of what
 * comes until the next look, which it is folded with. Twice as many change no level by a millionth of it.
 */
const LEAST_POINTS = 12;
/** A boundary is never further out, in standard deviations. */
const FAR = 7;
/** Below so many standard deviations there is nothing from which a sum could come back up to a boundary. */
const FAR_BELOW = 5;
const CLOSE = 1e-8;
/** What is folded from so many standard deviations away adds less than rounding does. */
const OUT_OF_REACH = 10;

/**
 * The level of each look at which a test by itself must be made so that all looks together spend just what they shall:
 * the boundaries of a sum of normal deviates (Lan & DeMets, Discrete sequential boundaries, 1983), by the recursion of
 * Armitage, McPherson & Rowe (1969). Two-sided levels for `both` sides. A level is used with Student's t (Jennison &
 * Turnbull, Group Sequential Methods, 2000, section 11.4: accurate for few degrees of freedom). Each is worked out when it
 * is asked for.
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
 * The z above which it is as likely to be as it shall be; where next to nothing is to be spent one that is never reached. By
 * Newton's method for the logarithm from a guess, and by halves where that leads out of what is left.
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
