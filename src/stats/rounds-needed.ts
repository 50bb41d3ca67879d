import { hodgesLehmann } from './hodges-lehmann.ts';
import { ALONE, expectedHalfWidth, type Family } from './interval.ts';
import { looks } from './looks.ts';

/**
 * The first later look at which a comparison would be settled (the interval excludes 0, or lies within +-marginLog)
 * if its estimate and its noise stayed as they are. A guess for planning, not a promise. Null where 40 rounds would
 * not do it, and for fewer than two values, which show no noise.
 */
export function roundsNeeded(values: readonly number[], marginLog: number, family: Family = ALONE): number | null {
  if (values.length < 2) return null;
  const estimate = Math.abs(hodgesLehmann(values));
  const settled = looks.find((n) => {
    if (n <= values.length) return false;
    const half = expectedHalfWidth(n, values, family);
    return half !== null && (estimate > half || estimate + half <= marginLog);
  });
  return settled ?? null;
}
