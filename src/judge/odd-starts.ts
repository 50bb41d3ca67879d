import {
  type Bounds,
  differenceInterval,
  type Evidence,
  estimateOf,
  type InFull,
  inPercent,
  isWithin,
  plainly,
  sameInterval,
  sharedAndOwnBounds,
} from './stats/interval.ts';
import { ERROR } from './stats/looks.ts';
import { type OddValues, oddValuesOf, pullOf } from './stats/odd-values.ts';
import { significant, significantRange, toPercent } from './stats/rounding.ts';

/** One side had odd starts in one direction more often than by chance. `same` is withheld; other verdicts hold for its typical start. */
export interface Flaky extends PlainMean {
  readonly kind: 'flaky';
  readonly odd: OddStarts;
  /** The chance of this many where odd starts strike all arms alike. */
  readonly p: number;
}

/** `same` holds for the typical start alone: with odd values in full, the mean may lie outside the margin. */
export interface MeanDiffers extends PlainMean {
  readonly kind: 'mean-differs';
  /** Null where no value is far off by itself. */
  readonly odd: OddStarts | null;
}

/** Noise is skewed, as by stalls at random times: no value is odd, all count in full, and the interval reaches further at this end. */
export interface Skewed {
  readonly kind: 'skewed';
  readonly end: 'low' | 'high';
}

/** A note that a comparison stands with, whatever its verdict. */
export type OddNote = Flaky | MeanDiffers | Skewed;

/** The note of a comparison whose noise is skewed; none otherwise. */
export function skewedIn({ skew }: Evidence): Skewed[] {
  return skew === undefined ? [] : [{ kind: 'skewed', end: skew.third < 0 ? 'low' : 'high' }];
}

/** The change by the plain mean: odd rounds count in full, and are not pulled in towards the others as in `Evidence`. */
interface PlainMean {
  readonly meanPercent: number;
  /** In percent: low, high; at the levels of the comparison's own interval. */
  readonly meanInterval: readonly [number, number] | null;
}

/** Values of one side that are far from what is typical of it, all in one direction. */
export interface OddStarts {
  readonly side: 'variant' | 'control';
  /** The unit that is fresh for each value: a start of the service, or a round. */
  readonly of: 'starts' | 'rounds';
  /** True for a rate, which is slower or faster and not lower or higher. */
  readonly rate: boolean;
  readonly count: number;
  readonly among: number;
  /** How far each of them is off, in percent: from, to, the smaller change first. */
  readonly offPercent: readonly [number, number];
}

/** The unit and kind of a value, for words about an odd one. */
export type OddSubject = Pick<OddStarts, 'of' | 'rate'>;

const aStart: OddSubject = { of: 'starts', rate: false };

/** The consequence of odd values for a comparison. */
interface OddFinding {
  readonly note: Flaky | MeanDiffers;
  readonly withholdsSame: boolean;
  /** The comparison judged by its plain mean. */
  readonly plain: Evidence;
}

interface OddRules {
  readonly marginLog: number;
  readonly subject?: OddSubject;
}

/** Values that were pulled in and move the mean by less than this share of the margin leave `same` as it is. */
const LEAST_PULL = 1 / 3;

/**
 * The consequence of pulled-in values for a comparison with this verdict; null where there is none. Where all arms
 * share them, they are noise. If one side has more of them in one direction than chance explains, its mean is not
 * typical of it. If they move the mean, `same` must hold for the plain mean, too: after four rounds one odd value
 * proves nothing, and may be one in five.
 */
export function judgeOddStarts(evidence: Evidence, rules: OddRules, verdict: string): OddFinding | null {
  const { inFull } = evidence;
  if (inFull === undefined) return null;
  const { marginLog, subject = aStart } = rules;
  const plain = plainly(evidence, inFull);
  const [flaky] = sidesOf(inFull, marginLog)
    .filter(({ p, level }) => p <= level)
    .sort((a, b) => a.p - b.p);
  if (flaky !== undefined) {
    const note = { kind: 'flaky', odd: oddStarts(flaky, subject), p: significant(flaky.p), ...meanOf(plain) } as const;
    return { note, withholdsSame: true, plain };
  }
  if (verdict !== 'same' || holdsForMean(evidence, plain, marginLog)) return null;
  const pull = pullOfChange(inFull);
  const [most] = sidesOf(inFull, marginLog)
    .filter(({ offs, side }) => Math.sign(offs[0] ?? 0) === (side === 'variant' ? 1 : -1) * Math.sign(pull))
    .sort((a, b) => b.offs.length - a.offs.length);
  const odd = most === undefined ? null : oddStarts(most, subject);
  return { note: { kind: 'mean-differs', odd, ...meanOf(plain) }, withholdsSame: true, plain };
}

/** Bounds of a change; where values that were pulled in move the mean, `own` holds for the plain mean as well. Null under 4 rounds. */
export function boundsWithMean(evidence: Evidence, marginPercent: number): Bounds | null {
  const typical = sharedAndOwnBounds(evidence);
  const plain = plainIfMoved(evidence, Math.log1p(marginPercent / 100));
  if (typical === null || plain === null) return typical;
  const { own } = sharedAndOwnBounds(plain) ?? typical;
  const { low, high } = typical.own;
  return { ...typical, own: { low: Math.min(low, own.low), high: Math.max(high, own.high) } };
}

/** The comparison judged by its plain mean, where values that were pulled in move that; else null. */
export function plainIfMoved(evidence: Evidence, marginLog: number): Evidence | null {
  const { inFull } = evidence;
  return inFull !== undefined && movesMean(inFull, marginLog) ? plainly(evidence, inFull) : null;
}

/** True where values that were pulled in cannot make `same` false: they hardly move the mean, or it holds for the plain mean. */
function holdsForMean({ inFull }: Evidence, plain: Evidence, marginLog: number): boolean {
  if (inFull === undefined || !movesMean(inFull, marginLog)) return true;
  const same = sameInterval(plain, marginLog);
  return same !== null && isWithin(same, marginLog);
}

function movesMean(inFull: InFull, marginLog: number): boolean {
  return Math.abs(pullOfChange(inFull)) > LEAST_PULL * marginLog;
}

/** How much larger the change would be if values that were pulled in counted in full. */
function pullOfChange({ fit, variant, control, ratios }: InFull): number {
  return pullOf(fit.pulledIn, [variant], ratios.length) - pullOf(fit.pulledIn, control, ratios.length);
}

interface OddSide extends OddValues {
  readonly side: OddStarts['side'];
  /** The level of its test: the arms of a block that are compared with its control share the error. */
  readonly level: number;
}

function sidesOf({ fit, variant, control }: InFull, marginLog: number): OddSide[] {
  const arms = Math.max(...fit.values.map((row) => row.length)) - control.length;
  const level = 1 - (1 - ERROR) ** (1 / arms);
  return [
    ...oddValuesOf(fit, [variant], marginLog).map((odd) => ({ ...odd, side: 'variant', level }) as const),
    ...oddValuesOf(fit, control, marginLog).map((odd) => ({ ...odd, side: 'control', level: ERROR }) as const),
  ];
}

function oddStarts({ side, offs, of }: OddSide, subject: OddSubject): OddStarts {
  const percents = offs.map((off) => significant(toPercent(off))).sort((a, b) => Math.abs(a) - Math.abs(b));
  return {
    side,
    ...subject,
    count: offs.length,
    among: of,
    offPercent: [percents[0] ?? 0, percents.at(-1) ?? 0],
  };
}

function meanOf(plain: Evidence): Pick<Flaky, 'meanPercent' | 'meanInterval'> {
  const interval = differenceInterval(plain);
  return {
    meanPercent: significant(toPercent(estimateOf(plain))),
    meanInterval: interval && significantRange(inPercent(interval)),
  };
}
