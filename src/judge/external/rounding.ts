import type { JudgementNote } from '../notes.ts';
import { type Interval, inPercent, isWithin } from '../stats/interval.ts';
import { mean } from '../stats/moments.ts';
import { significantRange } from '../stats/rounding.ts';
import { fewestForSame, type Judgement, type Rules, type Verdict } from '../verdicts/judge.ts';
import type { Rounding } from './types.ts';

/** By how much rounding of the numbers alone may change a comparison, in percent. */
export interface RoundedNumbers {
  readonly kind: 'rounded';
  readonly range: readonly [low: number, high: number];
  /** No number of rounds would decide it. */
  readonly isLimit?: true;
}

/** A round of a comparison, as its numbers stand there. */
interface RoundedPair {
  readonly control: number;
  readonly value: number;
}

/**
 * How far rounding alone may move the mean of ln(value / control) down and up. It may move all rounds the same way, so more
 * rounds do not help. No number is 0.
 */
export function shiftOf(pairs: readonly RoundedPair[], { below, above }: Rounding): Interval {
  const most = (pick: (pair: RoundedPair) => number, by: number): number =>
    mean(pairs.map((pair) => Math.log(Math.max(0, pick(pair) + by) / pick(pair))));
  const value = (pair: RoundedPair): number => pair.value;
  const control = (pair: RoundedPair): number => pair.control;
  return { low: most(value, -below) - most(control, above), high: most(value, above) - most(control, -below) };
}

/** An interval of a log ratio that is as wide as rounding allows, too. */
export function widened({ low, high }: Interval, shift: Interval): Interval {
  return { low: low + shift.low, high: high + shift.high };
}

/** A judgement of numbers from elsewhere, with what rounding leaves of it. */
type Rounded = Omit<Judgement, 'notes'> & { readonly notes: readonly (JudgementNote | RoundedNumbers)[] };

/** A shift that no table shows is not worth a word. */
const LEAST_SHIFT = 0.005;

/**
 * The interval and the verdict that remain when rounding is allowed for. Numbers that are identical in every round show no
 * other noise than rounding: they are `same` where that lies within the margin. Rounds are asked for only where they help.
 */
export function afterRounding(
  judgement: Judgement,
  shift: Interval,
  rules: Pick<Rules, 'marginPercent' | 'sameFirst'>,
): Rounded {
  const { interval, verdict, notes, logRatios } = judgement;
  if (interval === null) return judgement;
  const marginLog = Math.log1p(rules.marginPercent / 100);
  const isIdentical = logRatios.length >= fewestForSame(rules) && logRatios.every((ratio) => ratio === 0);
  const [low, high] = isIdentical ? [0, 0] : [Math.log1p(interval[0] / 100), Math.log1p(interval[1] / 100)];
  const wide = widened({ low, high }, shift);
  const asWritten = isIdentical ? 'same' : verdict;
  const settled: Verdict = stands(asWritten, wide, marginLog) ? asWritten : 'noise';
  const estimate = Math.log1p((judgement.deltaPercent ?? 0) / 100);
  const isLimit = settled === 'noise' && !isSettled(widened({ low: estimate, high: estimate }, shift), marginLog);
  const rounded: RoundedNumbers = {
    kind: 'rounded',
    range: significantRange(inPercent(shift)),
    ...(isLimit && { isLimit }),
  };
  const isSeen = shift.high - shift.low >= 2 * LEAST_SHIFT;
  const more = notes.filter(({ kind }) => kind !== 'rounds-needed' || (settled === 'noise' && !isLimit));
  return { ...judgement, interval: inPercent(wide), verdict: settled, notes: [...more, ...(isSeen ? [rounded] : [])] };
}

function stands(verdict: Verdict, { low, high }: Interval, marginLog: number): boolean {
  if (verdict === 'higher') return low > 0;
  if (verdict === 'lower') return high < 0;
  return verdict !== 'same' || isWithin({ low, high }, marginLog);
}

function isSettled(interval: Interval, marginLog: number): boolean {
  return interval.low > 0 || interval.high < 0 || isWithin(interval, marginLog);
}
