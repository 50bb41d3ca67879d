import { formatDurations, wholeSeconds } from '../../base/units.ts';
import { sizeLabel } from '../../journal/load-level.ts';
import type { RunEvent } from '../../measure/run/events.ts';

type LevelsChosen = Extract<RunEvent, { kind: 'levels-chosen' }>;

/** `looking at 80 connections, 100 connections: about 1 min 10 s for the rest of this round, 1 min 20 s to 1 min 50 s for each of the next ones` */
export function levelsLine({ levels, leftMs, nextMs }: LevelsChosen): string | null {
  if (levels.length === 0) return null;
  const looking = `looking at ${levels.map(sizeLabel).join(', ')}`;
  if (leftMs === undefined || nextMs === undefined) return looking;
  return `${looking}: about ${wholeSeconds(leftMs)} for the rest of this round, ${formatDurations(nextMs)} for each of the next ones`;
}

/** `round 1 takes 1 min 20 s to 4 min 20 s, each of the next ones 1 min to 3 min 50 s: the limits are not known yet` */
export function boundsLine({ round, bounds }: Extract<RunEvent, { kind: 'round-started' }>): string | null {
  if (bounds === undefined) return null;
  const [first, later] = [bounds.firstRoundMs, bounds.roundMs].map(formatDurations);
  return `round ${round} takes ${first}, each of the next ones ${later}: the limits are not known yet`;
}

interface Before {
  readonly round: number;
  readonly rounds: number;
  readonly passes: number;
  readonly pass: number;
  readonly endsAtMs: number | null;
  readonly budgetEndsAtMs: number | null;
}

/**
 * How many passes the round has, and when the run ends at the latest, once a search has chosen the levels of its round: no
 * round begins that the budget has no room for.
 */
export function afterChoice(
  { round, rounds, pass, endsAtMs, budgetEndsAtMs }: Before,
  { levels, leftMs, nextMs }: LevelsChosen,
  nowMs: number,
): Pick<Before, 'passes' | 'endsAtMs'> {
  const passes = pass + levels.length;
  if (leftMs === undefined || nextMs === undefined) return { passes, endsAtMs };
  const roundEndsAtMs = nowMs + leftMs;
  const byBudgetMs = Math.max(roundEndsAtMs, budgetEndsAtMs ?? Number.POSITIVE_INFINITY);
  return { passes, endsAtMs: Math.min(byBudgetMs, roundEndsAtMs + (rounds - round) * nextMs[1]) };
}
