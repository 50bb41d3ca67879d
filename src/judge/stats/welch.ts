import { fQuantile } from './distributions.ts';
import { DISAGREE } from './machines.ts';
import { mean, sum } from './moments.ts';
import { type Spread, spreadOf } from './variance.ts';

/** An estimate with its variance: the variance of the estimate, not of one observation. */
export interface Estimate extends Spread {
  readonly value: number;
}

/** From this many sessions a side on, what sessions scatter by is known well enough to be counted. */
const LEAST_FOR_SCATTER = 4;

/**
 * a - b of independent estimates, each with its own variance. Degrees of freedom by Satterthwaite (1946) and Welch
 * (The generalization of Student's problem when several different population variances are involved, 1947).
 */
export function differenceOf(a: Estimate, b: Estimate): Estimate {
  return { value: a.value - b.value, ...summed([a, b]) };
}

/**
 * The mean of `a` less the mean of `b`, each of independent sessions. What they scatter by counts if it exceeds their own
 * noise (Knapp and Hartung 2003, with the larger of both variances: Roever, Knapp and Friede 2015). Sides may scatter
 * unlike each other (Welch 1947). Three sessions or fewer show their scatter badly: while their own noise explains it by an
 * F test, the degrees of freedom of own noise stand. NaN where a side has none.
 */
export function differenceOfMeans(a: readonly Estimate[], b: readonly Estimate[]): Estimate {
  const within = differenceOf(meanOf(a), meanOf(b));
  const scatter = scatterOf(a, b);
  if (scatter === null || !(scatter.variance > within.variance)) return within;
  const isKnown = Math.min(a.length, b.length) >= LEAST_FOR_SCATTER;
  const most = within.variance * fQuantile(1 - DISAGREE, scatter.df, within.df);
  const df = isKnown || scatter.variance > most ? scatter.df : within.df;
  return { value: within.value, variance: scatter.variance, df };
}

/**
 * The variance of the difference of two means by what sessions scatter by. A single session is taken to scatter like the
 * other side's; null where both sides have one.
 */
function scatterOf(a: readonly Estimate[], b: readonly Estimate[]): Spread | null {
  const [ofA, ofB] = [a, b].map((side) => spreadOf(side.map(({ value }) => value)));
  if (ofA && ofB) return summed([over(ofA, a.length), over(ofB, b.length)]);
  const known = ofA ?? ofB ?? null;
  return known && over(known, 1 / (1 / a.length + 1 / b.length));
}

function over({ variance, df }: Spread, count: number): Spread {
  return { variance: variance / count, df };
}

/** Sessions count alike, however long each was: the question is about sessions. */
function meanOf(all: readonly Estimate[]): Estimate {
  const { variance, df } = summed(all);
  return { value: mean(all.map(({ value }) => value)), variance: variance / all.length ** 2, df };
}

function summed(parts: readonly Spread[]): Spread {
  const variance = sum(parts.map((part) => part.variance));
  // Without any noise every number of degrees of freedom is as good.
  if (variance === 0) return { variance, df: sum(parts.map(({ df }) => df)) };
  return { variance, df: variance ** 2 / sum(parts.map((part) => part.variance ** 2 / part.df)) };
}
