import { tInterval } from '../stats/interval.ts';
import { mean } from '../stats/moments.ts';
import type { CompleteRound } from './complete-rounds.ts';
import { significant } from './rounding.ts';

/**
 * What a setting leaves behind for the turn after its own: the control's turns that came directly after it, against those
 * that came after the control itself (A/A), in percent of answers. Every arm comes equally often after every other, so the
 * change that is measured lacks about as much of the one that a lasting setting makes. The interval is null with fewer than two blocks.
 */
export interface CarryOver {
  readonly after: string;
  readonly percent: number;
  readonly interval: readonly [low: number, high: number] | null;
}

/** The chance that any setting of a run is falsely said to leave something behind, under any load level. */
const ERROR = 0.01;

/**
 * By variant, a log ratio for each block. Where nothing is left behind the blocks of a start have no more in common than
 * those of two, so that each of them counts.
 */
export type CarriedOver = Map<string, number[]>;

/** Adds what the blocks of a pass tell in which the control had a turn after itself. */
export function addCarryOver(
  carried: CarriedOver,
  { slices }: Pick<CompleteRound, 'slices'>,
  pass: CompleteRound['passes'][number],
  control: string,
): void {
  const { arms, order, live } = pass;
  const own = arms.map((name) => slices.find(({ slice }) => slice.arm === name && slice.pass === pass.pass)?.slice);
  const taken = arms.map(() => 0);
  const perBlock = 2 * arms.length;
  for (let block = 0; block < (live?.blocks ?? 0); block++) {
    const logs = new Map<string, number[]>();
    for (let at = block * perBlock; at < (block + 1) * perBlock; at++) {
      const arm = order[at] ?? 0;
      const turn = taken[arm] ?? 0;
      taken[arm] = turn + 1;
      const before = own[order[at - 1] ?? -1]?.variant;
      const log = Math.log(own[arm]?.turns?.okByTime[turn] ?? 0);
      if (own[arm]?.variant !== control || before === undefined || !Number.isFinite(log)) continue;
      logs.set(before, [...(logs.get(before) ?? []), log]);
    }
    const usual = logs.get(control);
    for (const [before, values] of usual === undefined ? [] : logs) {
      if (before === control) continue;
      carried.set(before, [...(carried.get(before) ?? []), mean(values) - mean(usual ?? [])]);
    }
  }
}

/** Over all blocks of a load level. `tests`: of the run, by which the error is shared. */
export function carryOvers(carried: CarriedOver, tests: number): CarryOver[] {
  return [...carried].map(([after, values]) => {
    const range = tInterval(values, ERROR / tests);
    const percent = (log: number): number => significant(100 * Math.expm1(log));
    return {
      after,
      percent: percent(mean(values)),
      interval: range === null ? null : [percent(range.low), percent(range.high)],
    };
  });
}

/** Whether it is beyond doubt that something was left behind. */
export function isCertain({ interval }: CarryOver): boolean {
  return interval !== null && (interval[0] > 0 || interval[1] < 0);
}
