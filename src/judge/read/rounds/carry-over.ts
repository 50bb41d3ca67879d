import { tInterval } from '../../stats/interval.ts';
import { mean } from '../../stats/moments.ts';
import { significant } from '../../stats/rounding.ts';
import type { CompleteRound } from './complete-rounds.ts';
import { turnRate } from './turn-counts.ts';

/**
 * What a variant's turns that came directly after another setting differ in, in percent of answers, from those that came
 * after itself (A/A switches: one in every block, at its turn). There the other's work still goes on, or its own has not begun
 * in full: where `load.settle` is too short. Most turns come after another setting, so the change that is measured is off by
 * about as much of the one that a lasting setting makes. The interval is null with fewer than two blocks.
 */
export interface CarryOver {
  readonly variant: string;
  readonly percent: number;
  readonly interval: readonly [low: number, high: number] | null;
}

/** The chance that any variant of a run falsely seems to have some, under any load level. */
const ERROR = 0.05;

/**
 * By variant, a log ratio for each block that has turns of it after both. Where nothing carries over the blocks of a start
 * have no more in common than those of two, so that each of them counts.
 */
export type CarriedOver = Map<string, number[]>;

/** Adds what the blocks of a pass tell. */
export function addCarryOver(
  carried: CarriedOver,
  { slices }: Pick<CompleteRound, 'slices'>,
  { arms, order, live, pass }: CompleteRound['passes'][number],
): void {
  const own = arms.map((name) => slices.find(({ slice }) => slice.arm === name && slice.pass === pass)?.slice);
  const taken = arms.map(() => 0);
  const perBlock = 2 * arms.length;
  for (let block = 0; block < (live?.blocks ?? 0); block++) {
    const after = { itself: new Map<string, number[]>(), another: new Map<string, number[]>() };
    for (let at = block * perBlock; at < (block + 1) * perBlock; at++) {
      const arm = order[at] ?? 0;
      const turn = taken[arm] ?? 0;
      taken[arm] = turn + 1;
      const variant = own[arm]?.variant;
      const before = own[order[at - 1] ?? -1]?.variant;
      const log = Math.log(own[arm] === undefined ? 0 : turnRate(own[arm], { from: turn, to: turn + 1 }));
      if (variant === undefined || before === undefined || !Number.isFinite(log)) continue;
      const logs = before === variant ? after.itself : after.another;
      logs.set(variant, [...(logs.get(variant) ?? []), log]);
    }
    for (const [variant, itself] of after.itself) {
      const another = after.another.get(variant);
      if (another === undefined) continue;
      carried.set(variant, [...(carried.get(variant) ?? []), mean(another) - mean(itself)]);
    }
  }
}

/** Over all blocks of a load level. `tests`: of the run, by which the error is shared. */
export function carryOvers(carried: CarriedOver, tests: number): CarryOver[] {
  return [...carried].map(([variant, values]) => {
    const range = tInterval(values, ERROR / tests);
    const percent = (log: number): number => significant(100 * Math.expm1(log));
    return {
      variant,
      percent: percent(mean(values)),
      interval: range === null ? null : [percent(range.low), percent(range.high)],
    };
  });
}

/** True where it is beyond doubt that there is some. */
export function isCertain({ interval }: CarryOver): boolean {
  return interval !== null && (interval[0] > 0 || interval[1] < 0);
}
