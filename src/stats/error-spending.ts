import { gammaTails } from './special-functions.ts';

/** A look at the data: after so many rounds, and what of the error it spends, in addition to the looks before. */
export interface Spending {
  readonly rounds: number;
  readonly spent: number;
}

/** On which sides a look may go beyond its boundary. */
export type Sides = 'both' | 'upper';

/** Points at which the density between two boundaries is known. More change a level by less than a thousandth of it. */
const POINTS = 81;
/** Beyond so many standard deviations there is nothing to be integrated. */
const FAR = 7;

/**
 * The level of each look at which a test by itself must be made so that all looks together spend just what they shall:
 * the boundaries of a sum of normal deviates (Lan & DeMets, Discrete sequential boundaries, 1983), by the recursion of
 * Armitage, McPherson & Rowe (1969). Two-sided levels for `both` sides. A level is used with Student's t (Jennison &
 * Turnbull, Group Sequential Methods, 2000, section 11.4: accurate for few degrees of freedom). Each takes some
 * milliseconds, when it is asked for.
 */
export function* nominalLevels(looks: readonly Spending[], sides: Sides): Generator<number, void> {
  let before: Density | null = null;
  for (const { rounds, spent } of looks) {
    const density = before;
    const z = boundary((at) => crossing(density, rounds, at, sides), spent);
    before = densityWithin(before, rounds, z, sides);
    yield (sides === 'both' ? 2 : 1) * normalTail(z);
  }
}

/** The density of a sum that has crossed no boundary so far. */
interface Density {
  readonly rounds: number;
  readonly at: Float64Array;
  /** The probability of being near `at`. */
  readonly weight: Float64Array;
}

function crossing(before: Density | null, rounds: number, z: number, sides: Sides): number {
  const edge = z * Math.sqrt(rounds);
  if (before === null) return (sides === 'both' ? 2 : 1) * normalTail(z);
  const step = Math.sqrt(rounds - before.rounds);
  return before.weight.reduce((sum, weight, i) => {
    const at = before.at[i] ?? 0;
    const above = normalTail((edge - at) / step);
    return sum + weight * (sides === 'both' ? above + normalTail((edge + at) / step) : above);
  }, 0);
}

/** The z whose crossing is as likely as it shall be; where nothing is to be spent one that is never reached. */
function boundary(beyond: (z: number) => number, spent: number): number {
  let [low, high] = [0, FAR];
  if (beyond(high) >= spent) return high;
  while (high - low > 1e-6) {
    const middle = (low + high) / 2;
    if (beyond(middle) > spent) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** By Simpson's rule, between the boundaries. */
function densityWithin(before: Density | null, rounds: number, z: number, sides: Sides): Density {
  const root = Math.sqrt(rounds);
  const [low, high] = [(sides === 'both' ? -z : -FAR) * root, z * root];
  const width = (high - low) / (POINTS - 1);
  const at = Float64Array.from({ length: POINTS }, (_, i) => low + i * width);
  const weight = at.map((x, i) => {
    const simpson = i === 0 || i === POINTS - 1 ? 1 : i % 2 === 1 ? 4 : 2;
    return ((simpson * width) / 3) * densityAt(before, rounds, x);
  });
  return { rounds, at, weight };
}

function densityAt(before: Density | null, rounds: number, x: number): number {
  if (before === null) return bell(x / Math.sqrt(rounds)) / Math.sqrt(rounds);
  const step = Math.sqrt(rounds - before.rounds);
  let sum = 0;
  for (let i = 0; i < POINTS; i++) sum += (before.weight[i] ?? 0) * bell((x - (before.at[i] ?? 0)) / step);
  return sum / step;
}

function bell(z: number): number {
  return Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI);
}

/** P(Z > z) of a normal deviate, by the gamma distribution of its square. */
function normalTail(z: number): number {
  const { below, above } = gammaTails(0.5, (z * z) / 2);
  return z >= 0 ? above / 2 : (1 + below) / 2;
}
