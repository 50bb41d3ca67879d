import type { ConditionsRecord, ProbeRecord, SliceRecord } from '../journal/records.ts';
import type { LoadResult } from '../load/load-generator.ts';
import type { PlannedSlice } from '../plan/order.ts';
import { type LiveArm, type Phases, type RoundContext, timed } from './round-context.ts';

export interface SliceToMeasure {
  readonly round: number;
  readonly slice: number;
  /** 0 for the first. */
  readonly attempt: number;
  readonly planned: PlannedSlice;
  readonly live: LiveArm;
}

/** What is shared by the slices of a round. */
export interface RoundProgress {
  readonly phases: Phases;
  /** All live arms: their processes are the run's own. */
  readonly arms: readonly LiveArm[];
  /** How many slices of this round may still be measured again. */
  repeatsLeft: number;
}

export interface ObservedLoad<Result> {
  readonly result: Omit<Result, 'perSecond' | 'connectionsOpened' | 'closingAnswers'>;
  readonly conditions: ConditionsRecord;
  /** What a slice's record says of where it belongs. */
  readonly cell: Pick<SliceRecord, 'round' | 'slice' | 'arm' | 'variant' | 'repeat' | 'load'>;
}

/** Runs load on an arm and observes what goes on beside it: counters, samples, the machine. */
export async function observeLoad<Result extends LoadResult>(
  context: RoundContext,
  { round, slice, planned, live }: SliceToMeasure,
  { phases, arms }: RoundProgress,
  run: () => Promise<Result>,
): Promise<ObservedLoad<Result>> {
  const { counters, sampler, clock, emit, signal } = context;
  const { arm, load } = planned;
  const onWait = (forMs: number): void =>
    emit({ kind: 'waiting', forMs, reason: "until the arm's database counters are complete" });
  phases.waitMs += (await counters?.beforeLoad(live.database, onWait, signal)) ?? 0;
  const endProbes = await timed(clock, phases, 'waitMs', () => beginProbes(context, round, slice, live));
  // Once more, and at once: what the probes have read is not the load's.
  await counters?.beforeLoad(live.database, onWait, signal);
  emit({ kind: 'slice-started', slice, arm: arm.name, load });
  sampler?.mark({ slice, arm: arm.name });
  const observed = await timed(clock, phases, 'sliceMs', async () => {
    const mark = await context.conditions.begin(arms.flatMap(({ target }) => target.pid ?? []));
    const { perSecond: _, connectionsOpened, closingAnswers, ...result } = await run();
    const conditions: ConditionsRecord = {
      ...(await mark.end()),
      connectionsOpened,
      ...(closingAnswers !== undefined && { closingAnswers }),
    };
    return { result, conditions };
  });
  sampler?.mark(null);
  for (const record of await timed(clock, phases, 'waitMs', endProbes)) context.journal.append(record);
  const cell = { round, slice, arm: arm.name, variant: arm.variant.name, repeat: arm.repeat, load };
  return { ...observed, cell };
}

async function beginProbes(
  { probes, databases }: RoundContext,
  round: number,
  slice: number,
  { arm, database, target }: LiveArm,
): Promise<() => Promise<ProbeRecord[]>> {
  if (probes === null) return async () => [];
  const probed = {
    round,
    slice,
    arm: arm.name,
    database: databases === null ? null : database,
    url: target.url,
    pid: target.pid,
  };
  return probes.begin(probed, arm.variant);
}
