import { excludesZero, type Interval, upperT } from './interval.ts';
import { sum } from './moments.ts';
import type { Spread } from './variance.ts';

/**
 * The part that stays with an arm for a whole session, as the variance of its ln(value): no round tells it from the arm's setting. Since
 * places are drawn in each round, next to nothing is left to stay. research/judging.md has what other numbers cost.
 */
export const USUALLY_KEPT: Spread = { variance: 0.002 ** 2, df: 30 };
/** Where two arms of the same program are apart, what is usual counts for so little beside them. */
const DF_WHERE_APART = 1.5;
/** How often arms may be taken for apart by chance, in all. */
const CHANCE = 0.05;

/** How far two arms of the same program are apart, under one load level, over all rounds. */
export interface Apart {
  readonly difference: number;
  /** The noise of it. */
  readonly noise: Spread;
}

/** The part that stays with an arm, and what it was found by. */
export interface Kept {
  readonly spread: Spread;
  /** By which interval of a log ratio arms are apart, in the order in which they were given; null where noise explains it. */
  readonly apart: readonly (Interval | null)[];
}

/** Points of the variances that are tried, in steps of a tenth of their logarithm, and how far from the usual. */
const STEP = 0.1;
const [LOWEST, HIGHEST] = [-6, 9];

/**
 * The part that stays with an arm, by what is usual and by how far arms of the same program are apart in this session. Where they are apart
 * by no more than noise, it is the usual. Else the usual one is an inverse chi-squared distribution, and differences are
 * Student's: the distribution after both is summed up point by point. What comes back is the inverse chi-squared one with the
 * same mean and variance of 1 / variance, so that an effect that stays is Student's with its degrees of freedom. `repeated`:
 * how far levels say the same again, from 0 to 1.
 */
export function keptBy({ variance: usual, df }: Spread, apart: readonly Apart[], repeated: number): Kept {
  const intervals = apart.map((one) => intervalOf(one, CHANCE / apart.length));
  const found = intervals.map((interval) => (excludesZero(interval) ? interval : null));
  const isUsual = found.every((interval) => interval === null);
  return { spread: isUsual ? { variance: usual, df } : spreadBy(usual, apart, repeated), apart: found };
}

function spreadBy(usual: number, apart: readonly Apart[], repeated: number): Spread {
  const worth = 1 / (1 + (apart.length - 1) * repeated);
  const points = Array.from({ length: Math.round((HIGHEST - LOWEST) / STEP) + 1 }, (_, i) => {
    const variance = usual * Math.exp(LOWEST + STEP * i);
    const share = usual / variance;
    const before = (DF_WHERE_APART / 2) * (Math.log(share) - share);
    return { precision: 1 / variance, log: before + worth * sum(apart.map((one) => logDensity(one, 2 * variance))) };
  });
  const most = Math.max(...points.map(({ log }) => log));
  const weights = points.map(({ log }) => Math.exp(log - most));
  const total = sum(weights);
  const meanOf = (power: number): number =>
    sum(points.map(({ precision }, i) => ((weights[i] ?? 0) * precision ** power) / total));
  const precision = meanOf(1);
  return { variance: 1 / precision, df: 2 / (meanOf(2) / precision ** 2 - 1) };
}

function intervalOf({ difference, noise: { variance, df } }: Apart, chance: number): Interval {
  const half = upperT(chance / 2, df) * Math.sqrt(variance);
  return { low: difference - half, high: difference + half };
}

/** Its density by Student's distribution, but for what does not depend on the variance that is tried. */
function logDensity({ difference, noise: { variance, df } }: Apart, kept: number): number {
  const scale = kept + variance;
  return -0.5 * Math.log(scale) - ((df + 1) / 2) * Math.log1p(difference ** 2 / (scale * df));
}
