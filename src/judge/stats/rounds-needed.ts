import {
  type Enough,
  type Evidence,
  enoughHalfWidth,
  estimateOf,
  expectedHalfWidths,
  isBeyondReach,
  sameHalfWidth,
} from './interval.ts';
import { type Course, looks } from './looks.ts';

/**
 * The first later look at which a comparison would be settled (`higher` or `lower`, or `same` within +-marginLog) if its
 * estimate and its noise stayed as they are. A guess for planning, not a promise. Null where the last look would not do
 * it, and for fewer than two values, which show no noise.
 */
export function roundsNeeded(evidence: Evidence, marginLog: number): number | null {
  const estimate = Math.abs(estimateOf(evidence));
  return laterLook(evidence, (course) => {
    if (estimate > (expectedHalfWidths(evidence, course)?.difference ?? Infinity)) return true;
    if (isBeyondReach(evidence, marginLog - estimate, course)) return false;
    const same = sameHalfWidth(evidence, marginLog, course);
    return same !== null && estimate + same <= marginLog;
  });
}

/**
 * The same for the question whether a change is beyond a limit: until the end of the family's interval is beyond it, or the end of
 * the comparison's own within.
 */
export function roundsToLimit(
  evidence: Evidence,
  { log, isUpper }: { readonly log: number; readonly isUpper: boolean },
): number | null {
  const room = (isUpper ? 1 : -1) * (log - estimateOf(evidence));
  return laterLook(evidence, (course) => {
    const halves = expectedHalfWidths(evidence, course);
    return halves !== null && (-room > halves.difference || room > halves.own);
  });
}

/** The same for the test that a rival, whose advantage is estimated at so much, is not better by the margin. */
export function roundsToEnough(evidence: Evidence, advantage: number, rules: Enough): number | null {
  return laterLook(evidence, (course) => {
    if (isBeyondReach(evidence, rules.marginLog - advantage, course)) return false;
    const half = enoughHalfWidth(evidence, rules, course);
    return half !== null && advantage + half < rules.marginLog;
  });
}

/** The same until a change is shown to be one, either way. */
export function roundsToDifference(evidence: Evidence): number | null {
  const estimate = Math.abs(estimateOf(evidence));
  return laterLook(evidence, (course) => estimate > (expectedHalfWidths(evidence, course)?.difference ?? Infinity));
}

function laterLook(evidence: Evidence, isSettled: (course: Course) => boolean): number | null {
  const { rounds, ends, once } = evidence.course;
  // Its rounds were fixed: there is no later look.
  if (once) return null;
  return looks.find((look) => look > rounds && isSettled({ rounds: look, ends })) ?? null;
}
