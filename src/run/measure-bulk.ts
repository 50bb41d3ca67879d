import { join } from 'node:path';
import { seedOf } from '../base/random.ts';
import type { BulkRecord } from '../journal/bulk-records.ts';
import type { SliceRecord } from '../journal/records.ts';
import { observeLoad, type RoundProgress, type SliceToMeasure } from './observe-load.ts';
import { type LiveArm, type Phases, type RoundContext, timed } from './round-context.ts';
import { runBulkLoad } from './run-load.ts';

/** An arm whose bulk load has ended. */
export interface LoadedArm {
  readonly live: LiveArm;
  readonly bulk: BulkRecord;
}

/**
 * Measures an arm's bulk load. One that is void is not measured again: its database is full by then, and the round has
 * one for each arm.
 */
export async function measureBulk(
  context: RoundContext,
  wanted: SliceToMeasure,
  progress: RoundProgress,
): Promise<LoadedArm> {
  const { scenario, counters, journal, emit, seed } = context;
  const { round, slice, live } = wanted;
  const { bulk, timeoutMs } = scenario.load;
  if (bulk === undefined) throw new Error('a bulk level in a scenario without load.bulk');
  // What the arms before have written must not be written to disk during this one.
  await timed(context.clock, progress.phases, 'bootMs', async () => context.databases?.checkpoint());
  const job = {
    url: live.target.url,
    spec: bulk,
    seed: seedOf(seed, round, 'bulk'),
    timeoutMs,
    failuresFile: join(context.folder, 'failures.jsonl'),
    labels: { round, arm: live.arm.name },
  };
  const { result, conditions, cell } = await observeLoad(context, wanted, progress, () =>
    runBulkLoad(context, live, job),
  );
  const measured = { type: 'slice', ...cell, ...result, attempt: 0, conditions } as const;
  const voided = context.judge.judge(measured, conditions);
  const record: SliceRecord = { ...measured, voided: voided.map(({ reason }) => reason) };
  journal.append(record);
  counters?.afterSlice(live.database, record);
  const { arm, load } = record;
  if (voided.length > 0) emit({ kind: 'slice-void', slice, arm, load, voided, again: false });
  emit({ kind: 'slice-ended', slice, arm, requestsPerSecond: (record.latency.count * 1000) / record.windowMs });
  return { live, bulk: result.bulk };
}

/**
 * Between the bulk loads and the reads: takes the loads' counters, compares what is there with what was sent, and
 * leaves every database vacuumed and analyzed, as a copy of a loaded template is.
 */
export async function settleBulk(
  context: RoundContext,
  round: number,
  loaded: readonly LoadedArm[],
  phases: Phases,
): Promise<void> {
  const { databases, counters, journal, clock, emit, signal } = context;
  if (databases === null) return;
  for (const { live, bulk } of loaded) {
    const { arm, database } = live;
    const onWait = (forMs: number): void =>
      emit({ kind: 'waiting', forMs, reason: "until the arm's database counters are complete" });
    phases.waitMs += (await counters?.beforeLoad(database, onWait, signal)) ?? 0;
    await timed(clock, phases, 'bootMs', async () => {
      const check = await databases.check(database, bulk);
      if (check !== null) journal.append({ type: 'bulk-check', round, arm: arm.name, check });
      await databases.tidy(database);
    });
    counters?.afterUncounted(database);
  }
}
