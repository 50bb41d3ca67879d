import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { PgsweepError } from '../base/errors.ts';
import { seedOf } from '../base/random.ts';
import type { Reaper } from '../base/reaper.ts';
import type { JournalWriter } from '../journal/journal.ts';
import type { RoundRecord, SliceRecord } from '../journal/records.ts';
import type { ResolvedScenario } from '../journal/scenario-record.ts';
import type { LoadGenerator } from '../load/load-generator.ts';
import type { Arm } from '../plan/arms.ts';
import { countersGap } from '../plan/counter-waits.ts';
import { orderSlices, type PlannedSlice } from '../plan/order.ts';
import type { DatabaseSampler } from '../probe/pg-stat-database.ts';
import type { SliceCounters } from '../probe/slice-counters.ts';
import type { StartedTarget, StartTarget } from '../target/target.ts';
import type { ArmDatabases } from './arm-databases.ts';
import type { EmitEvent } from './events.ts';

/** Everything that a round touches. */
export interface RoundContext {
  readonly scenario: ResolvedScenario;
  readonly arms: readonly Arm[];
  readonly seed: number;
  readonly folder: string;
  readonly reaper: Reaper;
  readonly clock: Clock;
  readonly startTarget: StartTarget;
  readonly load: LoadGenerator;
  readonly journal: JournalWriter;
  readonly emit: EmitEvent;
  readonly signal: AbortSignal;
  /** Null for a `url` target: its database is not ours. */
  readonly databases: ArmDatabases | null;
  readonly counters: SliceCounters | null;
  readonly sampler: DatabaseSampler | null;
}

/** An arm that is alive. */
interface LiveArm {
  readonly arm: Arm;
  readonly database: string;
  readonly target: StartedTarget;
}

type Phases = { -readonly [Phase in keyof RoundRecord['phases']]: number };

/**
 * Runs one round: brings every arm to life, warms each, measures every cell in shuffled slices, stops every arm. The
 * round's record is written last, so a round that fails or is interrupted has none and is not judged.
 */
export async function runRound(context: RoundContext, round: number): Promise<RoundRecord> {
  const { clock, journal, scenario } = context;
  const startedAt = clock.isoNow();
  const start = clock.nowMs();
  const phases: Phases = { bootMs: 0, warmupMs: 0, sliceMs: 0, waitMs: 0, stopMs: 0 };
  const order = orderSlices({
    arms: context.arms,
    levels: scenario.load.levels,
    slicesPerRound: scenario.load.slicesPerRound,
    seed: context.seed,
    round,
    // So many slices of others between two of one arm that its counters need no waiting for.
    gap: context.counters === null ? 0 : countersGap(scenario),
  });
  const live: LiveArm[] = [];
  try {
    await timed(clock, phases, 'bootMs', () => startArms(context, round, live));
    const warmupOrder = [...new Set(order.map(({ arm }) => arm))];
    for (const arm of warmupOrder) await warmUp(context, round, liveArm(live, arm), phases);
    for (const [slice, planned] of order.entries()) {
      await measureSlice(context, { round, slice, planned, live: liveArm(live, planned.arm) }, phases);
    }
    await timed(clock, phases, 'stopMs', () => closeArms(context, live));
  } finally {
    // After a failure; a round that went well has already done this.
    await abandonArms(context, live);
  }
  const record: RoundRecord = { type: 'round', round, startedAt, durationMs: clock.nowMs() - start, phases };
  journal.append(record);
  return record;
}

async function timed(clock: Clock, phases: Phases, phase: keyof Phases, work: () => Promise<void>): Promise<void> {
  const start = clock.nowMs();
  await work();
  phases[phase] += clock.nowMs() - start;
}

function liveArm(live: readonly LiveArm[], arm: Arm): LiveArm {
  const found = live.find((candidate) => candidate.arm === arm);
  if (found === undefined) throw new Error(`arm ${arm.name} is not alive`);
  return found;
}

/** Copies come one after the other, since they would share one disk; the services then start side by side. */
async function startArms(context: RoundContext, round: number, live: LiveArm[]): Promise<void> {
  const { arms, databases, clock, emit, signal } = context;
  emit({ kind: 'arms-starting', arms: arms.length });
  // Before the copies, so that they need not write out what the last round left; after them, so that all start alike.
  await databases?.checkpoint();
  const copies: { arm: Arm; database: string; url: string | null; copyMs: number }[] = [];
  for (const [index, arm] of arms.entries()) {
    signal.throwIfAborted();
    const database = `pgsweep_r${round}_a${index}`;
    const start = clock.nowMs();
    const url = (await databases?.copy(database)) ?? null;
    copies.push({ arm, database, url, copyMs: clock.nowMs() - start });
  }
  await databases?.checkpoint();
  const starts = copies.map(async ({ arm, database, url, copyMs }) => {
    const start = clock.nowMs();
    const target = await context.startTarget({
      target: context.scenario.target,
      variant: arm.variant,
      databaseUrl: url,
      reaper: context.reaper,
      logFile: join(context.folder, 'logs', `${database}.log`),
      signal,
    });
    live.push({ arm, database, target });
    const { name, variant, repeat } = arm;
    const startMs = clock.nowMs() - start;
    context.journal.append({ type: 'arm', round, arm: name, variant: variant.name, repeat, copyMs, startMs });
  });
  // All are waited for, so that none starts behind the back of the clean-up.
  const failed = (await Promise.allSettled(starts)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  context.sampler?.start(
    round,
    live.map(({ arm, database }) => ({ arm: arm.name, database })),
  );
}

async function warmUp(context: RoundContext, round: number, live: LiveArm, phases: Phases): Promise<void> {
  const { scenario, journal, counters, clock, emit, seed } = context;
  const { levels, warmupMs, timeoutMs } = scenario.load;
  // The heaviest level: it fills the pool and compiles what the lighter ones use.
  const load = levels.reduce((most, level) => (level.connections > most.connections ? level : most));
  emit({ kind: 'warmup-started', arm: live.arm.name });
  await timed(clock, phases, 'warmupMs', async () => {
    const job = {
      url: live.target.url,
      load,
      seed: seedOf(seed, round, 'warmup'),
      durationMs: warmupMs,
      dropMs: 0,
      timeoutMs,
    };
    const result = await runLoad(context, live, job);
    const { loadMs, whole, perSecond } = result;
    journal.append({
      type: 'warmup',
      round,
      arm: live.arm.name,
      load,
      durationMs: loadMs,
      outcomes: whole.statuses,
      perSecond,
    });
  });
  counters?.afterWarmup(live.database);
}

interface SliceToMeasure {
  readonly round: number;
  readonly slice: number;
  readonly planned: PlannedSlice;
  readonly live: LiveArm;
}

async function measureSlice(
  context: RoundContext,
  { round, slice, planned, live }: SliceToMeasure,
  phases: Phases,
): Promise<void> {
  const { scenario, counters, sampler, journal, clock, emit, seed } = context;
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
  await timed(clock, phases, 'sliceMs', async () => {
    const job = {
      url: live.target.url,
      load,
      seed: seedOf(seed, round, load.connections, slice - (slice % context.arms.length)),
      durationMs: sliceMs,
      dropMs,
      timeoutMs,
    };
    const { perSecond: _, ...result } = await runLoad(context, live, job);
    const record: SliceRecord = {
      type: 'slice',
      round,
      slice,
      arm: arm.name,
      variant: arm.variant.name,
      repeat: arm.repeat,
      load,
      ...result,
    };
    journal.append(record);
    counters?.afterSlice(live.database, record);
    emit({
      kind: 'slice-ended',
      slice,
      arm: arm.name,
      requestsPerSecond: (record.latency.count * 1000) / record.windowMs,
    });
  });
  sampler?.mark(null);
}

/** Load on an arm, ended at once when the arm's service ends. */
async function runLoad(context: RoundContext, { arm, target }: LiveArm, job: Parameters<LoadGenerator['run']>[0]) {
  const ended = new AbortController();
  const onEnd = target.exited.then((how) => {
    const lines = target.tail().slice(-15).join('\n');
    ended.abort(
      new PgsweepError('target', `the service of "${arm.name}" ended under load (${how}). Its last lines:\n${lines}`, {
        hint: 'The rounds before this one are kept, and can be reported.',
      }),
    );
    return ended.signal.reason;
  });
  const onLive = (requestsPerSecond: number): void => context.emit({ kind: 'live', requestsPerSecond });
  try {
    return await context.load.run(job, { onLive, signal: AbortSignal.any([context.signal, ended.signal]) });
  } catch (error) {
    // A service that dies makes its connections fail first: say what it was that failed.
    const reason = await Promise.race([onEnd, context.clock.sleep(200).then(() => null)]);
    throw reason ?? error;
  }
}

async function closeArms(context: RoundContext, live: LiveArm[]): Promise<void> {
  await context.sampler?.stop();
  await Promise.all(live.map(({ target }) => target.stop()));
  // Only now are the counters of each arm's last slice complete.
  for (const { database } of live) await context.counters?.afterStop(database);
  await Promise.all(live.map(({ database }) => context.databases?.drop(database)));
  live.length = 0;
}

async function abandonArms({ sampler, databases }: RoundContext, live: LiveArm[]): Promise<void> {
  if (live.length === 0) return;
  await sampler?.stop();
  await Promise.allSettled(live.map(({ target }) => target.stop()));
  await Promise.allSettled(live.map(({ database }) => databases?.drop(database)));
  live.length = 0;
}
