import { underLoad } from '../../journal/load-level.ts';
import type { Course } from '../stats/looks.ts';
import type { ArmCell, RunData } from './run-data.ts';

/** The round that a comparison of these arms ends with: the last one of the arm that left first. Infinite where all stay. */
export function lastRoundOf(data: Pick<RunData, 'left'>, arms: readonly ArmCell[]): number {
  if (data.left.length === 0) return Number.POSITIVE_INFINITY;
  const own = arms.flatMap(({ variant, load }) =>
    underLoad(data.left, load).filter((cell) => cell.variant === variant),
  );
  return Math.min(...own.map(({ after }) => after));
}

/** How far the run had come when that round ended. */
export function courseUntil({ rounds, course }: Pick<RunData, 'rounds' | 'course'>, lastRound: number): Course {
  const done = rounds.filter((round) => round <= lastRound).length;
  return done === course.rounds ? course : { ...course, rounds: done, ends: course.ends.filter((end) => end <= done) };
}
