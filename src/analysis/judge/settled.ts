import type { Finding } from './compare.ts';

/** How narrow an interval must be before its size is quoted: this many percentage points to either side ... */
const QUOTABLE_POINTS = 2;

/** ... or this share of the change itself: "41 %, give or take 10" says enough. */
const QUOTABLE_SHARE = 0.25;

/** Whether a comparison has the verdict that a run goes on for. */
export function isSettled({ verdict }: Finding): boolean {
  return verdict !== 'noise';
}

/**
 * Whether the size of a change may be quoted: half its interval is no wider than 2 percentage points or a quarter of
 * the change, whichever is more. What can have no percentage (no 2xx at all) never becomes narrower and is not waited
 * for.
 */
export function isQuotable({ interval, deltaPercent }: Finding): boolean {
  if (interval === null || deltaPercent === null) return true;
  const half = (interval[1] - interval[0]) / 2;
  return half <= Math.max(QUOTABLE_POINTS, QUOTABLE_SHARE * Math.abs(deltaPercent));
}
