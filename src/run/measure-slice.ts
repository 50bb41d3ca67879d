import { seedOf } from '../base/random.ts';
import type { SliceRecord } from '../journal/records.ts';
import { observeLoad, type RoundProgress, type SliceToMeasure } from './observe-load.ts';
import type { RoundContext } from './round-context.ts';
import { runLoad } from './run-load.ts';
import type { Voided } from './validity.ts';

/** How often one place in the round is measured, at most: what voids three in a row will void a fourth. */
const MOST_ATTEMPTS = 3;

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

async function attemptSlice(context: RoundContext, wanted: SliceToMeasure, progress: RoundProgress): Promise<Attempt> {
  const { round, slice, attempt, planned, live } = wanted;
  const { load } = planned;
  const { sliceMs, dropMs, timeoutMs } = context.scenario.load;
  const job = {
    url: live.target.url,
    load,
    // The same for every attempt: a slice that is measured again is the same slice.
    seed: seedOf(context.seed, round, load.connections, slice - (slice % context.arms.length)),
    durationMs: sliceMs,
    dropMs,
    timeoutMs,
  };
  const { result, conditions, cell } = await observeLoad(context, wanted, progress, () => runLoad(context, live, job));
  const measured = { type: 'slice', ...cell, ...result, attempt, conditions } as const;
  const voided = context.judge.judge(measured, conditions);
  return { record: { ...measured, voided: voided.map(({ reason }) => reason) }, voided };
}
