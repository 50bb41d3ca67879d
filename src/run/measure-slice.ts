import { seedOf } from '../base/random.ts';
import type { ConditionsRecord, SliceRecord } from '../journal/records.ts';
import type { PlannedSlice } from '../plan/order.ts';
import { type LiveArm, type Phases, type RoundContext, timed } from './round-context.ts';
import { runLoad } from './run-load.ts';
import type { Voided } from './validity.ts';

/** How often one place in the round is measured, at most: what voids three in a row will void a fourth. */
const MOST_ATTEMPTS = 3;

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

/**
 * Measures one cell, and returns whether it is to be measured again since it is void. Every attempt is recorded; what
 * counts is the judging half's to say.
 */
export async function measureSlice(
  context: RoundContext,
  wanted: SliceToMeasure,
  progress: RoundProgress,
): Promise<boolean> {
  const { counters, journal, clock, emit } = context;
  const { slice, attempt, live } = wanted;
  const { record, voided } = await attemptSlice(context, wanted, progress);
  const again =
    voided.length > 0 &&
    attempt + 1 < MOST_ATTEMPTS &&
    progress.repeatsLeft > 0 &&
    clock.nowMs() < context.repeatUntilMs;
  journal.append(record);
  // Counters of the last attempt alone: they tell why it was void, too, and a place in the round has room for one.
  if (again) counters?.afterUncounted(live.database);
  else counters?.afterSlice(live.database, record);
  if (voided.length > 0) emit({ kind: 'slice-void', slice, arm: record.arm, load: record.load, voided, again });
  if (again) {
    progress.repeatsLeft--;
  } else {
    const requestsPerSecond = (record.latency.count * 1000) / record.windowMs;
    emit({ kind: 'slice-ended', slice, arm: record.arm, requestsPerSecond });
  }
  return again;
}

interface Attempt {
  readonly record: SliceRecord;
  readonly voided: readonly Voided[];
}

async function attemptSlice(
  context: RoundContext,
  { round, slice, attempt, planned, live }: SliceToMeasure,
  { phases, arms }: RoundProgress,
): Promise<Attempt> {
  const { scenario, counters, sampler, clock, emit, seed } = context;
  const { sliceMs, dropMs, timeoutMs } = scenario.load;
  const { arm, load } = planned;
  const counting = counters?.beforeLoad(
    live.database,
    (forMs) => {
      emit({ kind: 'waiting', forMs, reason: "until the arm's database counters are complete" });
    },
    context.signal,
  );
  phases.waitMs += (await counting) ?? 0;
  emit({ kind: 'slice-started', slice, arm: arm.name, load });
  sampler?.mark({ slice, arm: arm.name });
  const job = {
    url: live.target.url,
    load,
    // The same for every attempt: a slice that is measured again is the same slice.
    seed: seedOf(seed, round, load.connections, slice - (slice % context.arms.length)),
    durationMs: sliceMs,
    dropMs,
    timeoutMs,
  };
  const { result, conditions } = await timed(clock, phases, 'sliceMs', async () => {
    const mark = await context.conditions.begin(arms.flatMap(({ target }) => target.pid ?? []));
    const { perSecond: _, connectionsOpened, closingAnswers, ...result } = await runLoad(context, live, job);
    const conditions: ConditionsRecord = { ...(await mark.end()), connectionsOpened, closingAnswers };
    return { result, conditions };
  });
  sampler?.mark(null);
  const cell = { arm: arm.name, variant: arm.variant.name, repeat: arm.repeat, load };
  const measured = { type: 'slice', round, slice, ...cell, ...result, attempt, conditions } as const;
  const voided = context.judge.judge(measured, conditions);
  return { record: { ...measured, voided: voided.map(({ reason }) => reason) }, voided };
}
