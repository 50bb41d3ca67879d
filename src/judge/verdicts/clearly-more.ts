import { type CountsByRound, chanceOverRounds, totalOf } from '../stats/held-over-rounds.ts';
import { levelsOf, MIN_ROUNDS, type RunProgress } from '../stats/looks.ts';
import { type CountAmong, chanceOfMore } from '../stats/poisson-rates.ts';

/** A difference below this share is not worth a mark, however sure it is. */
const MIN_SHARE_DIFFERENCE = 0.001;
/** For a sum of requests. A few hundred of them say little about a service, so the ordinary 5 % would mark too often. */
const MOST_CHANCE = 0.001;

/** Where each round of a side fails so many times as often as any of the others', no bursts explain it. */
const FAR_TIMES = 10;

/** How many marks of a run share the error of 5 %, over all its looks. */
export interface Marks {
  readonly course: RunProgress;
  readonly marks: number;
}

/**
 * True where a side has clearly more failures: by more than 0.1 % of all requests, with a chance below 0.1 % by the exact
 * test, and, from four rounds on, in so many of them that bursts do not explain it. Fewer rounds cannot show that, and
 * nothing is decided by them, so the exact test marks alone. So do rounds that are all far beyond the others': where 12 to
 * 90 % fail, their own scatter would hide it.
 */
export function isClearlyMore(
  own: readonly CountsByRound[],
  others: readonly CountsByRound[],
  { course, marks }: Marks,
): boolean {
  const [a, b] = [totalOf(own), totalOf(others)];
  if (a.among === 0 || b.among === 0) return false;
  if (a.count / a.among - b.count / b.among <= MIN_SHARE_DIFFERENCE || chanceOfMore(a, b) >= MOST_CHANCE) return false;
  const { rounds, chance } = chanceOverRounds(own, others);
  const levels = levelsOf(course, Math.max(1, marks));
  return rounds < MIN_ROUNDS || levels === null || chance < levels.difference || isFarBeyond(own, others);
}

/** True where each round of a side, by itself, has clearly more failures than all of the others' and far more than any of them. */
function isFarBeyond(own: readonly CountsByRound[], others: readonly CountsByRound[]): boolean {
  const together = totalOf(others);
  const most = Math.max(...roundsOf(others).map(({ count, among }) => count / among));
  return roundsOf(own).every(
    (one) => one.count / one.among > FAR_TIMES * most && chanceOfMore(one, together) < MOST_CHANCE,
  );
}

function roundsOf(arms: readonly CountsByRound[]): CountAmong[] {
  return arms.flatMap((arm) => [...arm.values()]).filter(({ among }) => among > 0);
}
