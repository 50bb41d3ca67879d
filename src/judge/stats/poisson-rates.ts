import { gammaTails, incompleteBeta } from './distributions.ts';
import type { Interval } from './interval.ts';

/** Events that were counted, and for how long. */
export interface CountOverTime {
  readonly count: number;
  readonly seconds: number;
}

/** The x from 0 on at which a rising function reaches a value, by bisection to the last digit. */
function solveRising(reaches: (x: number) => boolean): number {
  let [low, high] = [0, firstPowerOfTwo(reaches)];
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (reaches(middle)) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

function firstPowerOfTwo(reaches: (x: number) => boolean): number {
  let x = 1;
  while (!reaches(x) && x < Number.MAX_VALUE) x *= 2;
  return x;
}

/**
 * The exact interval for the rate of independent events (Garwood, Biometrika 28, 1936). At its ends, this many events or
 * more, and so many or fewer, have a chance of alpha / 2 each.
 */
export function rateInterval({ count, seconds }: CountOverTime, alpha: number): Interval {
  const manyEnough = (events: number): boolean => gammaTails(count, events).below >= alpha / 2;
  const tooMany = (events: number): boolean => gammaTails(count + 1, events).above <= alpha / 2;
  const low = count === 0 ? 0 : solveRising(manyEnough);
  const high = solveRising(tooMany);
  return { low: low / seconds, high: high / seconds };
}

/**
 * An interval for the difference of two rates, a minus b, with a coverage of at least 1 - alpha. Both exact intervals
 * at alpha / 2 hold together (Bonferroni), and so does their difference. It is conservative, even for a count of 0.
 */
export function rateDifferenceInterval(a: CountOverTime, b: CountOverTime, alpha: number): Interval {
  const [ofA, ofB] = [rateInterval(a, alpha / 2), rateInterval(b, alpha / 2)];
  return { low: ofA.low - ofB.high, high: ofA.high - ofB.low };
}

/** Events among this many chances. */
export interface CountAmong {
  readonly count: number;
  readonly among: number;
}

/**
 * Exact bounds for the share of chances at which independent events occur, each one-sided (Clopper & Pearson, Biometrika 26,
 * 1934). At them, this many events or more, and so many or fewer, have a chance of alpha: without an event among n chances
 * the upper one is about -ln(alpha) / n.
 */
export function shareBounds({ count, among }: CountAmong, alpha: number): Interval {
  // P(X >= k) = I_p(k, n - k + 1).
  const manyEnough = (share: number): boolean => incompleteBeta(share, count, among - count + 1) >= alpha;
  const tooMany = (share: number): boolean => incompleteBeta(share, count + 1, among - count) >= 1 - alpha;
  return {
    low: count === 0 ? 0 : solveRising(manyEnough),
    high: count === among ? 1 : solveRising(tooMany),
  };
}

/**
 * The chance that `a` counted this many events or more if they are no more frequent there than in `b`. Given their sum,
 * the count of `a` is binomial with its share of the chances (Przyborowski & Wilenski, Biometrika 31, 1940). Exact
 * where events come independently. 1 where neither counted anything.
 */
export function chanceOfMore(a: CountAmong, b: CountAmong): number {
  if (a.count === 0) return 1;
  // P(X >= k) = I_p(k, n - k + 1).
  return incompleteBeta(a.among / (a.among + b.among), a.count, b.count + 1);
}
