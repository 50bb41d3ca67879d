import { studentTQuantile } from './distributions.ts';
import { ERROR, type Known, type Levels, levelsOf, nonInferiorityLevel, type RunProgress, sameLevel } from './looks.ts';
import type { Agreement, Sample } from './machines.ts';
import { mean, standardDeviation, sum, weightedMean } from './moments.ts';
import type { RobustFit } from './robust-fit.ts';
import { toPercent } from './rounding.ts';
import { reachOf, type Skew, skewnessOfMean } from './skew.ts';
import { addedUp, type Spread } from './variance.ts';

/** Both ends of an interval, in the unit of the values. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Both kinds of bounds of a change. */
export interface Bounds {
  readonly shared: Interval;
  readonly own: Interval;
}

/** The data that a comparison is judged by. */
export interface Evidence {
  /** One a round, what is odd among them pulled in. */
  readonly ratios: readonly number[];
  /** How much each of them counts, 1 on average over the rounds of the run. */
  readonly weights: readonly number[];
  /** The noise of one of them whose weight is 1. */
  readonly spread: Spread;
  /** How skewed that noise is, by the turns of the rounds. Absent where they do not show it. */
  readonly skew?: Skew;
  /** The part that stays with the arms for the whole session, as a variance of ln(variant / control): no round makes it smaller. Absent where nothing does. */
  readonly kept?: Spread;
  /** At how many rounds the run is, and where it ended. */
  readonly course: RunProgress;
  /** How many comparisons share the error of `higher` and `lower`. */
  readonly comparisons: number;
  /** Where rounds are from several machines. Where these disagree, a ratio is a machine's and not a round's. */
  readonly machines?: Agreement;
  /** Where values of either side were pulled in. */
  readonly inFull?: InFull;
}

/** The data of a comparison some of whose values were pulled in, with each value in full. */
export interface InFull extends Sample {
  /** The fit of all arms of the block, and which of them are compared. */
  readonly fit: RobustFit;
  readonly variant: number;
  readonly control: readonly number[];
}

/** By tail and degrees of freedom: the comparisons of a metric have them in common. */
const quantiles = new Map<number, Map<number, number>>();

/** t(1 - tail, df), remembered. */
export function upperT(tail: number, df: number): number {
  const byDf = quantiles.get(tail) ?? new Map<number, number>();
  quantiles.set(tail, byDf);
  const known = byDf.get(df);
  if (known !== undefined) return known;
  const quantile = -studentTQuantile(tail, df);
  byDf.set(df, quantile);
  return quantile;
}

/** Student's interval for the mean of values: mean +- t(1 - alpha / 2, n - 1) sd / sqrt(n). Null for fewer than two. */
export function tInterval(values: readonly number[], alpha: number): Interval | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  const half = (upperT(alpha / 2, values.length - 1) * standardDeviation(values)) / Math.sqrt(values.length);
  return { low: centre - half, high: centre + half };
}

/** The estimate of ln(variant / control): the weighted mean over the rounds. NaN of none. */
export function estimateOf({ ratios, weights }: Pick<Evidence, 'ratios' | 'weights'>): number {
  return weightedMean(ratios, weights);
}

/** The comparison judged by its plain mean: each round counts alike and in full, and their scatter is the noise. */
export function plainly(evidence: Evidence, { ratios, weights, spread }: InFull): Evidence {
  return { ...evidence, ratios, weights, spread };
}

/** The interval that excludes 0 where a comparison is `higher` or `lower`, by default after the rounds so far. Null under 4 rounds. */
export function differenceInterval(evidence: Evidence, course: RunProgress = evidence.course): Interval | null {
  return sharedAndOwnBounds(evidence, course)?.shared ?? null;
}

/**
 * Comparisons whose interval excludes 0 where `comparisons` of them share one error, across families. Holm's step-down
 * (1979): each that is found leaves its share to the others. With levels that are spent by looks it holds at each look
 * (Maurer & Bretz, Multiple testing in group sequential trials, 2013).
 */
export function differTogether(candidates: readonly Evidence[], comparisons: number): ReadonlySet<Evidence> {
  const found = new Set<Evidence>();
  for (;;) {
    const sharing = { comparisons: Math.max(1, comparisons - found.size) };
    const more = candidates.filter(
      (one) => !found.has(one) && excludesZero(differenceInterval({ ...one, ...sharing })),
    );
    if (more.length === 0) return found;
    for (const one of more) found.add(one);
  }
}

/** True where all of the interval lies on one side of 0; false where there is none. */
export function excludesZero(interval: Interval | null): boolean {
  return interval !== null && (interval.low > 0 || interval.high < 0);
}

/**
 * The interval that lies within the margin where a comparison is `same`: the one-sided bounds of the two tests, and 0
 * (Berger & Hsu, Bioequivalence trials, intersection-union tests and equivalence confidence sets, 1996). Each of the
 * two tests may spend the whole error, since a change cannot be too large both ways. Comparisons of a family need no
 * smaller shares, since each false `same` counts by itself. Null under 4 rounds.
 */
export function sameInterval(
  evidence: Evidence,
  marginLog: number,
  course: RunProgress = evidence.course,
): Interval | null {
  const ends = endsByInformation(evidence, marginLog, course, (known) =>
    sameLevel(course, evidence.comparisons, known),
  );
  return ends && withZero(ends);
}

/** Rules of the non-inferiority test: a rival is not better by the margin. */
export interface NonInferiority {
  readonly marginLog: number;
  /** How many rivals are tested together. */
  readonly comparisons: number;
  /** The share of the error that it may spend. */
  readonly share: number;
  /** 1 where a log ratio above 0 is an advantage of the rival, else -1. */
  readonly sign: 1 | -1;
}

/**
 * The upper bound of a rival's advantage: one side of `same`, with a share of its error. After some rounds, by default
 * those so far. Null under 4 rounds, and where two values are not there to show noise.
 */
export function nonInferiorityBound(
  evidence: Evidence,
  { marginLog, comparisons, share, sign }: NonInferiority,
  course: RunProgress = evidence.course,
): number | null {
  const ends = endsByInformation(evidence, marginLog, course, (known) =>
    nonInferiorityLevel(course, comparisons, known, share),
  );
  return ends && (sign === 1 ? ends.high : -ends.low);
}

function endsByInformation(
  evidence: Evidence,
  marginLog: number,
  course: RunProgress,
  levelOf: (known: Known) => number | null,
): Interval | null {
  const noise = noiseOfEstimate(evidence, course);
  if (noise === null) return null;
  const error = Math.sqrt(noise.variance);
  const level = levelOf({ margins: error === 0 ? Number.POSITIVE_INFINITY : marginLog / error, df: noise.df });
  return level === null ? null : endsAt(evidence, noise, course, level);
}

/** Both ends of an interval of the change, each that of a one-sided test at this level. */
function endsAt(evidence: Evidence, { variance, df }: Spread, course: RunProgress, level: number): Interval {
  const { skew } = evidence;
  const [centre, error, quantile] = [estimateOf(evidence), Math.sqrt(variance), upperT(level, df)];
  const skewness = skew === undefined ? 0 : skewnessOfMean(skew, roundsAt(evidence, course), variance);
  return {
    low: centre - reachOf(quantile, -skewness) * error,
    high: centre + reachOf(quantile, skewness) * error,
  };
}

/**
 * True where neither test could have so little as `room` for its half-width after these rounds, at whatever level: none spends
 * more than the whole error. It saves working out the levels of looks that settle nothing.
 */
export function isBeyondReach(evidence: Evidence, room: number, course: RunProgress): boolean {
  const noise = noiseOfEstimate(evidence, course);
  return noise !== null && upperT(ERROR, noise.df) * Math.sqrt(noise.variance) > room;
}

/** True where all of an interval of a log ratio lies within the margin. */
export function isWithin({ low, high }: Interval, marginLog: number): boolean {
  return low >= -marginLog && high <= marginLog;
}

/** The interval that holds two others. */
export function hullOf(a: Interval, b: Interval): Interval {
  return { low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) };
}

/** An interval of a log ratio in percent. */
export function inPercent({ low, high }: Interval): readonly [number, number] {
  return [toPercent(low), toPercent(high)];
}

/** The interval of `same` from known bounds. */
export function sameWithin({ own }: Bounds): Interval {
  return withZero(own);
}

function withZero({ low, high }: Interval): Interval {
  return { low: Math.min(0, low), high: Math.max(0, high) };
}

/**
 * Both kinds of bounds of a change after some rounds of the run (by default those so far), with the noise of the rounds so
 * far. All `shared` bounds of a family hold at once. Each end of `own` is the bound of a one-sided test that spends the
 * whole error. Null under 4 rounds, and where two values are not there to show noise.
 */
export function sharedAndOwnBounds(evidence: Evidence, course: RunProgress = evidence.course): Bounds | null {
  const levels = levelsOf(course, evidence.comparisons);
  const noise = noiseOfEstimate(evidence, course);
  if (levels === null || noise === null) return null;
  const at = (level: number): Interval => endsAt(evidence, noise, course, level);
  return { shared: at(levels.difference / 2), own: at(levels.own) };
}

/** Half the width of the interval that excludes 0 where a comparison is `higher` or `lower`. Null under 4 rounds. */
export function halfWidthOf(evidence: Evidence): number | null {
  const interval = differenceInterval(evidence);
  return interval && (interval.high - interval.low) / 2;
}

/** Both kinds of bounds around an estimate that comes from elsewhere. */
export function boundsAround(centre: number, { difference, own }: HalfWidths): Bounds {
  const around = (half: number): Interval => ({ low: centre - half, high: centre + half });
  return { shared: around(difference), own: around(own) };
}

/** Half the widths of both kinds of bounds. */
export interface HalfWidths {
  readonly difference: number;
  readonly own: number;
}

/**
 * Half the widths of both kinds of bounds of a mean: from the noise of a value of weight 1, and the sum of the weights.
 */
export function widthsAt({ difference, own }: Levels, { variance, df }: Spread, weight: number): HalfWidths {
  const error = Math.sqrt(variance / weight);
  return { difference: upperT(difference / 2, df) * error, own: upperT(own, df) * error };
}

/**
 * The noise of the estimate after some rounds of the run (by default those so far), with what no round makes smaller. Null for
 * fewer than two values.
 */
export function noiseOfEstimate(
  evidence: Evidence,
  { rounds }: Pick<RunProgress, 'rounds'> = evidence.course,
): Spread | null {
  const { ratios, spread, kept, course: now } = evidence;
  if (ratios.length < 2) return null;
  const df = spread.df * (1 + (rounds - now.rounds) / (ratios.length - 1));
  const ofRounds = { variance: spread.variance / roundsAt(evidence, { rounds }), df };
  return kept === undefined ? ofRounds : addedUp([ofRounds, kept]);
}

/** How many rounds of weight 1 the estimate is from after some rounds of the run. */
function roundsAt({ weights, course }: Evidence, { rounds }: Pick<RunProgress, 'rounds'>): number {
  return sum(weights) + rounds - course.rounds;
}
