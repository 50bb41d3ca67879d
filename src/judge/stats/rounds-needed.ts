import {
  differenceInterval,
  type Evidence,
  estimateOf,
  excludesZero,
  isBeyondReach,
  isWithin,
  type NonInferiority,
  nonInferiorityBound,
  sameInterval,
  sharedAndOwnBounds,
} from './interval.ts';
import { looks, type RunProgress } from './looks.ts';

/**
 * The first later look that would settle a comparison (`higher` or `lower`, or `same` within +-marginLog), if its
 * estimate and its noise stay as they are. A guess for planning, not a promise. Null where the last look would not
 * settle it, and for fewer than two values.
 */
export function roundsNeeded(evidence: Evidence, marginLog: number): number | null {
  const room = marginLog - Math.abs(estimateOf(evidence));
  return laterLook(evidence, (course) => {
    if (excludesZero(differenceInterval(evidence, course))) return true;
    if (isBeyondReach(evidence, room, course)) return false;
    const same = sameInterval(evidence, marginLog, course);
    return same !== null && isWithin(same, marginLog);
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
  return laterLook(evidence, (course) => {
    const bounds = sharedAndOwnBounds(evidence, course);
    if (bounds === null) return false;
    const { shared, own } = bounds;
    return isUpper ? shared.low > log || own.high < log : shared.high < log || own.low > log;
  });
}

/** The first later look at which a rival is shown not to be better by the margin, where its advantage may be larger by `more`. */
export function roundsToNonInferiority(evidence: Evidence, more: number, rules: NonInferiority): number | null {
  const limit = rules.marginLog - more;
  const room = limit - rules.sign * estimateOf(evidence);
  return laterLook(evidence, (course) => {
    if (isBeyondReach(evidence, room, course)) return false;
    const bound = nonInferiorityBound(evidence, rules, course);
    return bound !== null && bound < limit;
  });
}

/** The first later look at which there is a difference, either way. */
export function roundsToDifference(evidence: Evidence): number | null {
  return laterLook(evidence, (course) => excludesZero(differenceInterval(evidence, course)));
}

/**
 * The first later look that settles: what settles at one does at those after it, since intervals get narrower. Found by halving,
 * the last look first: most of what is open stays so. Null where the last look does not settle it.
 */
export function laterLook(evidence: Evidence, isSettled: (course: RunProgress) => boolean): number | null {
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
