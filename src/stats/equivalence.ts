import type { Interval } from './signed-rank.ts';

/**
 * Whether an interval shows a difference to be smaller than the margin, either way. That is two one-sided tests at
 * half the interval's alpha each (Schuirmann, 1987): stricter than the usual equivalence test, which takes a 90 %
 * interval; so that one and the same interval carries every verdict.
 */
export function isEquivalent({ low, high }: Interval, margin: number): boolean {
  return low >= -margin && high <= margin;
}
