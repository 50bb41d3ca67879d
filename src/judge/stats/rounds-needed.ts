import {
  type Evidence,
  estimateOf,
  expectedHalfWidths,
  isBeyondReach,
  type NonInferiority,
  nonInferiorityHalfWidth,
  sameHalfWidth,
} from './interval.ts';
import { looks, type RunProgress } from './looks.ts';

/**
 * The first later look that would settle a comparison (`higher` or `lower`, or `same` within +-marginLog), if its
 * estimate and its noise stay as they are. A guess for planning, not a promise. Null where the last look would not
 * settle it, and for fewer than two values.
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
 * The first later look at which a change is shown to be beyond a limit, or within it. Beyond it goes by the family's
 * interval, within it by the comparison's own.
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

/** The first later look at which a rival with this estimated advantage is shown not to be better by the margin. */
export function roundsToNonInferiority(evidence: Evidence, advantage: number, rules: NonInferiority): number | null {
  return laterLook(evidence, (course) => {
    if (isBeyondReach(evidence, rules.marginLog - advantage, course)) return false;
    const half = nonInferiorityHalfWidth(evidence, rules, course);
    return half !== null && advantage + half < rules.marginLog;
  });
}

/** The first later look at which there is a difference, either way. */
export function roundsToDifference(evidence: Evidence): number | null {
  const estimate = Math.abs(estimateOf(evidence));
  return laterLook(evidence, (course) => estimate > (expectedHalfWidths(evidence, course)?.difference ?? Infinity));
}

/**
 * The first later look that settles: what settles at one does at those after it, since intervals get narrower. Found by halving,
 * the last look first: most of what is open stays so.
 */
function laterLook(evidence: Evidence, isSettled: (course: RunProgress) => boolean): number | null {
  const { rounds, ends, once } = evidence.course;
  // Its rounds were fixed: there is no later look.
  if (once) return null;
  const later = looks.filter((look) => look > rounds);
  const settles = (place: number): boolean => isSettled({ rounds: later[place] ?? 0, ends });
  let [low, high] = [0, later.length - 1];
  if (high < 0 || !settles(high)) return null;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (settles(middle)) high = middle;
    else low = middle + 1;
  }
  return later[high] ?? null;
}
