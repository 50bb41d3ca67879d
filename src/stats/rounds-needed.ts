import { hodgesLehmann } from './hodges-lehmann.ts';
import { expectedHalfWidth } from './interval.ts';
import { looks } from './looks.ts';
import { standardDeviation } from './moments.ts';

/**
 * The first later look at which a comparison would be settled (the interval excludes 0, or lies within +-marginLog)
 * if its estimate and standard deviation stayed as they are. A guess for planning, not a promise. Null where 40
 * rounds would not do it, and for fewer than two values, which show no spread.
 */
export function roundsNeeded(values: readonly number[], marginLog: number): number | null {
  if (values.length < 2) return null;
  const estimate = Math.abs(hodgesLehmann(values));
  const sd = standardDeviation(values);
  const settled = looks.find((n) => {
    if (n <= values.length) return false;
    const half = expectedHalfWidth(n, sd);
    return half !== null && (estimate > half || estimate + half <= marginLog);
  });
  return settled ?? null;
}
