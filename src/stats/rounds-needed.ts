import { type Evidence, estimateOf, expectedHalfWidths } from './interval.ts';
import { looks } from './looks.ts';

/**
 * The first later look at which a comparison would be settled (`higher` or `lower`, or `same` within +-marginLog) if its
 * estimate and its noise stayed as they are. A guess for planning, not a promise. Null where the last look would not do
 * it, and for fewer than two values, which show no noise.
 */
export function roundsNeeded(evidence: Evidence, marginLog: number): number | null {
  const estimate = Math.abs(estimateOf(evidence));
  const { rounds, ends } = evidence.course;
  const settled = looks.find((look) => {
    if (look <= rounds) return false;
    const half = expectedHalfWidths(evidence, { rounds: look, ends });
    return half !== null && (estimate > half.difference || estimate + half.same <= marginLog);
  });
  return settled ?? null;
}
