import { type Interval, inPercent, isWithin } from '../stats/interval.ts';
import { mean } from '../stats/moments.ts';
import type { Verdict } from '../verdicts/judge.ts';
import type { Rounding } from './types.ts';

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

/** The interval in percent and the verdict that are left of those of the numbers as they stand there. */
export function afterRounding(
  { interval, verdict }: { readonly interval: readonly [number, number]; readonly verdict: Verdict },
  shift: Interval,
  marginPercent: number,
): { readonly interval: readonly [number, number]; readonly verdict: Verdict } {
  const [low = 0, high = 0] = interval.map((percent) => Math.log1p(percent / 100));
  const wide = widened({ low, high }, shift);
  const stands =
    verdict === 'higher'
      ? wide.low > 0
      : verdict === 'lower'
        ? wide.high < 0
        : verdict !== 'same' || isWithin(wide, Math.log1p(marginPercent / 100));
  return { interval: inPercent(wide), verdict: stands ? verdict : 'noise' };
}
