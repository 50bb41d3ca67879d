import type { JobRecord } from '../../../journal/job-spec.ts';
import { countsRequests, traitsOf } from '../../../journal/load-level.ts';
import type { HousekeepingRecord } from '../../../journal/postgres/housekeeping.ts';
import type { SliceRecord } from '../../../journal/records.ts';
import type { TurnWorkRecord } from '../../../journal/slice-record.ts';
import type { LoadResult, TurnResult } from '../../load/load-generator.ts';
import { judgeSlice, loadGoesOverNetwork } from '../validity/validity.ts';
import type { ObservedPass } from './observe-pass.ts';
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

/** The load of an arm in a pass, when it is over. */
export type ArmLoad<Result extends LoadResult = LoadResult> = Pick<ArmSlice, 'alive' | 'turns' | 'times'> & {
  readonly result: Result;
};

/** Writes a slice for each arm of a pass, and what its probes have seen. Returns the slices. */
export function writeSlices(
  context: Pick<RoundContext, 'scenario' | 'io'>,
  wanted: PassToMake,
  loads: readonly ArmLoad[],
  { turnMs, seen }: Pick<ArmSlice, 'turnMs'> & { readonly seen: ObservedPass },
): SliceRecord[] {
  const slices = loads.map((load, index) =>
    sliceOf(context, wanted, {
      ...load,
      index,
      turnMs,
      work: seen.work[index],
      housekeeping: seen.housekeeping[index],
    }),
  );
  for (const record of [...slices, ...seen.probes]) context.io.journal.append(record);
  return slices;
}

/** A command's processes come and go within a turn, so their CPU is its own report. */
function withJob(work: TurnWorkRecord, job: JobRecord | undefined): TurnWorkRecord {
  if (job?.cpuMs === undefined) return work;
  return { ...work, serviceCpuMs: (work.serviceCpuMs ?? 0) + job.cpuMs };
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
      ...(turns.every(({ okWithin }) => okWithin !== undefined) && {
        okWithin: turns.map(({ okWithin = 0 }) => okWithin),
      }),
      ...(turns.every(({ busyMs }) => busyMs !== undefined) && { busyMs: turns.map(({ busyMs = 0 }) => busyMs) }),
      ...(turns.some(({ outlasted }) => outlasted !== undefined) && {
        outlasted: turns.map(({ outlasted = 0 }) => outlasted),
      }),
      gapMaxMs: Math.round(longestGapMs(times)),
    },
    ...(work !== undefined && !traitsOf(load).isBesideJob && { work: withJob(work, all.job) }),
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
