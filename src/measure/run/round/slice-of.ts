import { countsRequests, traitsOf } from '../../../journal/load-level.ts';
import type { HousekeepingRecord } from '../../../journal/postgres/housekeeping.ts';
import type { SliceRecord } from '../../../journal/records.ts';
import type { TurnWorkRecord } from '../../../journal/slice-record.ts';
import type { LoadResult, TurnResult } from '../../load/load-generator.ts';
import { judgeSlice, loadGoesOverNetwork } from '../validity/validity.ts';
import type { LiveArm, PassToMake, RoundContext } from './round-context.ts';
import { longestGapMs, type TurnTimes } from './take-turns.ts';

/** Results of an arm's load in a pass. */
export interface ArmSlice {
  readonly alive: LiveArm;
  /** Its place among the arms of the pass. */
  readonly index: number;
  readonly result: LoadResult;
  readonly turnMs: number;
  /** Result of each turn; empty for a bulk load, all of which counts. */
  readonly turns: readonly TurnResult[];
  readonly times: readonly TurnTimes[];
  readonly work: TurnWorkRecord | undefined;
  readonly housekeeping: HousekeepingRecord | undefined;
}

/** The record of an arm's slice, with the reasons for which it does not count, which are reported as well. */
export function sliceOf(
  { scenario, io: { emit } }: Pick<RoundContext, 'scenario' | 'io'>,
  { round, pass, load, group, firstSlice }: PassToMake,
  { alive, index, result: all, turnMs, turns, times, work, housekeeping }: ArmSlice,
): SliceRecord {
  const { connectionsOpened, reopened, closingAnswers = 0, probe: _, ownResults: __, ...result } = all;
  const { name: arm, variant, repeat } = alive.arm;
  const measured = {
    type: 'slice',
    round,
    slice: firstSlice + index,
    pass,
    ...(group !== undefined && { group }),
    arm,
    variant: variant.name,
    repeat,
    load,
    ...result,
    connections: { opened: connectionsOpened, reopened, closingAnswers },
    turns: {
      turnMs,
      ok: turns.map(({ ok }) => ok),
      okByTime: turns.map(({ okByTime }) => okByTime),
      ...(turns.every(({ busyMs }) => busyMs !== undefined) && { busyMs: turns.map(({ busyMs = 0 }) => busyMs) }),
      gapMaxMs: Math.round(longestGapMs(times)),
    },
    ...(work !== undefined && { work }),
    ...(housekeeping !== undefined && { housekeeping }),
  } as const;
  const { timeouts } = measured.whole;
  const { timeoutMs } = scenario.load;
  // In an open loop each is waited for as long as it may take.
  const sliceMs = turnMs * turns.length + (traitsOf(load).isOpenLoop ? timeoutMs : 0);
  // A bulk load sends what timed out again.
  if (timeouts > 0 && countsRequests(load)) emit({ kind: 'timeouts', arm, load, timeouts, sliceMs, timeoutMs });
  const voided = judgeSlice({ slice: measured, load: scenario.load, overNetwork: loadGoesOverNetwork(scenario) });
  if (voided.length > 0) emit({ kind: 'slice-void', arm, load, voided });
  return { ...measured, voided: voided.map(({ reason }) => reason) };
}
