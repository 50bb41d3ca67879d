import { mean, squares, sum } from './moments.ts';
import type { Spread } from './variance.ts';

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
 * The mean of `a` less the mean of `b`, each of independent sessions. From four sessions a side on, their scatter
 * counts if it exceeds their own noise (Knapp and Hartung 2003, with the larger of both variances: Roever, Knapp and
 * Friede 2015). NaN where a side has none.
 */
export function differenceOfMeans(a: readonly Estimate[], b: readonly Estimate[]): Estimate {
  const within = differenceOf(meanOf(a), meanOf(b));
  if (Math.min(a.length, b.length) < LEAST_FOR_SCATTER) return within;
  const df = a.length + b.length - 2;
  const scatter = (squares(a.map(({ value }) => value)) + squares(b.map(({ value }) => value))) / df;
  const variance = scatter * (1 / a.length + 1 / b.length);
  return variance > within.variance ? { value: within.value, variance, df } : within;
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
