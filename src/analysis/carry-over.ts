import { tInterval } from '../stats/interval.ts';
import { mean } from '../stats/moments.ts';
import type { CompleteRound } from './complete-rounds.ts';
import { significant } from './rounding.ts';

/**
 * What a setting leaves behind for the turn after its own: the control's turns that came directly after it, against those
 * that came after the control itself. In percent of answers; the interval (99 %, by Student's t over starts) is null with
 * fewer than two starts.
 */
export interface CarryOver {
  readonly after: string;
  readonly percent: number;
  readonly interval: readonly [low: number, high: number] | null;
}

/** By variant, a log ratio for each start. */
export type CarriedOver = Map<string, number[]>;

/** Adds what a round's pass tells; blocks are compared within themselves. */
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
  const logs = new Map<string, number[]>();
  for (let block = 0; block < (live?.blocks ?? 0); block++) {
    const turns = order.slice(block * perBlock, (block + 1) * perBlock).map((arm, place) => {
      const at = taken[arm] ?? 0;
      taken[arm] = at + 1;
      const before = own[order[block * perBlock + place - 1] ?? -1]?.variant;
      return { variant: own[arm]?.variant, before, log: Math.log(own[arm]?.turns?.ok[at] ?? 0) };
    });
    const counted = turns.filter(({ variant, log }) => variant === control && Number.isFinite(log));
    if (counted.length === 0) continue;
    const usual = mean(counted.map(({ log }) => log));
    for (const { before, log } of counted) {
      if (before !== undefined) logs.set(before, [...(logs.get(before) ?? []), log - usual]);
    }
  }
  const after = logs.get(control);
  if (after === undefined) return;
  for (const [variant, values] of logs) {
    if (variant !== control) carried.set(variant, [...(carried.get(variant) ?? []), mean(values) - mean(after)]);
  }
}

/** Over all starts. */
export function carryOvers(carried: CarriedOver): CarryOver[] {
  return [...carried].map(([after, values]) => {
    const range = tInterval(values, 0.01);
    const percent = (log: number): number => significant(100 * Math.expm1(log));
    return {
      after,
      percent: percent(mean(values)),
      interval: range === null ? null : [percent(range.low), percent(range.high)],
    };
  });
}
