import { loadKey, traitsOf } from '../../../journal/load-level.ts';
import { countAll } from '../../../journal/outcomes.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import { sum } from '../../stats/moments.ts';
import { logChange } from '../../stats/slopes.ts';
import type { CompleteRound } from './complete-rounds.ts';
import { turnCounts, turnRate } from './turn-rates.ts';

/** How an arm's rate moved in one slice, and when in the arm's life the slice was. */
export interface SliceTrend {
  readonly round: number;
  readonly load: LoadLevel;
  /** Which of the level's passes; 0 where all arms took turns with each other. */
  readonly group: number;
  readonly variant: string;
  readonly repeat: boolean;
  /** ln(rate at its end / rate at its beginning), by the line through its turns. */
  readonly slope: number;
  readonly logRate: number;
  /**
   * Share (0..1) of the requests of the arm's life in this round that it had answered by the middle of the slice, its
   * warm-up counted.
   */
  readonly progress: number;
}

/**
 * The trends of a round's slices that count. None at a rate or with users, who set the rate themselves. None for bulk
 * loads and bounded slices, nor for slices without turns and without a course.
 */
export function trendsOf({ round, slices, warmups }: CompleteRound): SliceTrend[] {
  const all = new Map<string, number>();
  for (const { arm, outcomes } of warmups) all.set(arm, (all.get(arm) ?? 0) + sum(Object.values(outcomes)));
  const inOrder = [...slices].sort((a, b) => a.slice.pass - b.slice.pass);
  // When half of each slice was over, so many requests had been answered.
  const middles = inOrder.map(({ slice }) => {
    const [before, own] = [all.get(slice.arm) ?? 0, countAll(slice.whole)];
    all.set(slice.arm, before + own);
    return before + own / 2;
  });
  return inOrder.flatMap(({ slice, voided }, i): SliceTrend[] => {
    const { load, group = 0, variant, repeat, arm } = slice;
    if (voided.length > 0 || !traitsOf(load).isClosedLoop || slice.bounded !== undefined) return [];
    // A whole slice is one turn, and has a course.
    const slope = logChange(slice.course?.ok ?? turnCounts(slice));
    const rate = turnRate(slice);
    if (slope === null || !(rate > 0)) return [];
    const progress = (middles[i] ?? 0) / Math.max(1, all.get(arm) ?? 0);
    return [{ round, load, group, variant, repeat, slope, logRate: Math.log(rate), progress }];
  });
}

/** The key of slices that are compared with each other: arms of one pass. */
export function passKey({ round, load, group }: Pick<SliceTrend, 'round' | 'load' | 'group'>): string {
  return `${round} ${group} ${loadKey(load)}`;
}
