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

/** Adds what a pass tells: the mean over its blocks of what differs within each. */
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
  const differences = new Map<string, number[]>();
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
      differences.set(before, [...(differences.get(before) ?? []), mean(values) - mean(usual ?? [])]);
    }
  }
  for (const [variant, values] of differences) carried.set(variant, [...(carried.get(variant) ?? []), mean(values)]);
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
