import { groupBy } from '../../base/group-by.ts';
import type { ExternalRun, TimeSource } from './types.ts';

/** The order in which runs were taken, by their times. */
export type RunOrder =
  /** No variant has more than one. */
  | { readonly kind: 'single' }
  /** The time of this run is unknown. */
  | { readonly kind: 'no-times'; readonly place: string }
  /** Two at the same time: they disturbed each other, or the files' times are not the times of the runs. */
  | { readonly kind: 'overlapping'; readonly places: readonly [string, string]; readonly source: TimeSource }
  /** Variants did not alternate, as in all runs of A, then all runs of B: too many runs are in no round. */
  | { readonly kind: 'not-in-turn'; readonly runs: number; readonly outside: number }
  | InTurn;

export interface InTurn {
  readonly kind: 'in-turn';
  /** Ascending in time; each has a variant at most once, and the control. */
  readonly rounds: readonly (readonly ExternalRun[])[];
  /** How many runs are in no round. */
  readonly outside: number;
  readonly source: TimeSource;
  /** The control was the first of every round, so that place and variant cannot be distinguished. */
  readonly controlFirst: boolean;
}

/** With more runs than this share outside of rounds, they did not alternate. */
const MOST_OUTSIDE = 0.2;
/** Tools do not count their own start, so that durations may be a little too long or too short. */
const MOST_OVERLAP = 0.1;

/**
 * Divides runs into rounds. A round ends where a variant would come a second time. A stretch without the control, or
 * without any other variant, is no round. So A B B A is two rounds, and A A A B B B is none worth the name.
 */
export function orderOf(runs: readonly ExternalRun[], control: string): RunOrder {
  const most = Math.max(0, ...groupBy(runs, ({ variant }) => variant).map(({ length }) => length));
  if (most <= 1) return { kind: 'single' };
  const timeless = runs.find(({ taken }) => taken === null);
  if (timeless !== undefined) return { kind: 'no-times', place: timeless.place };
  const sorted = [...runs].sort((a, b) => startOf(a) - startOf(b) || endOf(a) - endOf(b));
  const source = sorted[0]?.taken?.source ?? 'file';
  const clash = overlapIn(sorted);
  if (clash !== null) return { kind: 'overlapping', places: clash, source };
  const rounds = stretchesOf(sorted).filter(
    (round) => round.length > 1 && round.some(({ variant }) => variant === control),
  );
  const outside = sorted.length - rounds.reduce((total, round) => total + round.length, 0);
  if (outside > MOST_OUTSIDE * sorted.length) return { kind: 'not-in-turn', runs: sorted.length, outside };
  return {
    kind: 'in-turn',
    rounds,
    outside,
    source,
    controlFirst: rounds.every(([first]) => first?.variant === control),
  };
}

function stretchesOf(sorted: readonly ExternalRun[]): ExternalRun[][] {
  const stretches: ExternalRun[][] = [];
  for (const run of sorted) {
    const last = stretches.at(-1);
    if (last === undefined || last.some(({ variant }) => variant === run.variant)) stretches.push([run]);
    else last.push(run);
  }
  return stretches;
}

function overlapIn(sorted: readonly ExternalRun[]): readonly [string, string] | null {
  for (const [index, next] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before === undefined) continue;
    const shorter = Math.min(endOf(before) - startOf(before), endOf(next) - startOf(next));
    // Runs without a duration that have the same time have no order.
    const same = shorter === 0 && startOf(next) === startOf(before);
    if (same || endOf(before) - startOf(next) > MOST_OVERLAP * shorter) return [before.place, next.place];
  }
  return null;
}

function startOf({ taken }: ExternalRun): number {
  return taken?.startMs ?? 0;
}

function endOf({ taken }: ExternalRun): number {
  return taken?.endMs ?? 0;
}
