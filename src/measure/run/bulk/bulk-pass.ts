import { join } from 'node:path';
import { seedOf } from '../../../base/random.ts';
import type { PassRecord } from '../../../journal/pass-records.ts';
import { dropFailures } from '../../load/bulk/failures.ts';
import type { BulkResult, BulkStream } from '../../load/load-generator.ts';
import { bulkTurnMs } from '../../plan/turn-length.ts';
import { turnCycles } from '../../plan/turn-order.ts';
import { addressOf } from '../../target/target.ts';
import { countSlices, tellWait } from '../round/attribute-counters.ts';
import { observePass, type PassObservation } from '../round/observe-pass.ts';
import { type LiveArm, type PassToMake, type RoundContext, type RoundProgress, timed } from '../round/round-context.ts';
import { endLoad } from '../round/run-pass.ts';
import { type ArmLoad, writeSlices } from '../round/slice-of.ts';
import { loadInTurns, takeTurns } from '../round/take-turns.ts';

type LoadedArm = ArmLoad<BulkResult>;

/**
 * Makes the pass of a bulk load: every arm posts the data set in turns with the others, until each is done. A load's
 * time is that of its own turns. It begins on cold processes, as it does for everybody.
 */
export async function runBulkPass(
  context: RoundContext,
  wanted: PassToMake,
  progress: RoundProgress,
): Promise<LoadedArm[]> {
  const { counters } = context.watch;
  const { journal, clock, emit, signal } = context.io;
  const { round, pass, load, arms } = wanted;
  const { turn } = context.scenario.load;
  const turnMs = turn === 'off' ? Number.POSITIVE_INFINITY : typeof turn === 'number' ? turn : bulkTurnMs(arms.length);
  emit({ kind: 'pass-started', pass, load, arms: arms.length, turnMs: null, turnsPerArm: null });
  // What the passes before have written must not be written to disk during this one.
  await timed(clock, progress.phases, 'bootMs', async () => context.stack.databases?.checkpoint());
  const observation = await observePass(context, wanted, progress);
  for (const { database } of arms) await counters?.beforeLoad(database, tellWait(emit), signal);
  const startMs = clock.nowMs();
  const { loads, order } = await postInTurns(context, wanted, turnMs, observation);
  const seen = await endLoad(context, wanted, progress, { observation, loads, startMs });
  const durationMs = clock.nowMs() - startMs;
  const record: PassRecord = {
    type: 'pass',
    round,
    pass,
    load,
    // JSON knows no infinity: a load in one stretch is as long as it takes.
    turnMs: Number.isFinite(turnMs) ? turnMs : durationMs,
    turnsPerArm: Math.max(...loads.map(({ times }) => times.length)),
    arms: arms.map(({ arm }) => arm.name),
    order,
    durationMs,
    ...(turn === 'off' && { wholeSlices: 'turned off' }),
    conditions: seen.conditions,
  };
  journal.append(record);
  countSlices(context, arms, writeSlices(context, wanted, loads, { turnMs: record.turnMs, seen }), loads);
  return loads;
}

async function postInTurns(
  context: RoundContext,
  { round, pass, arms }: PassToMake,
  turnMs: number,
  observation: PassObservation,
): Promise<{ loads: LoadedArm[]; order: number[] }> {
  const { scenario, seed } = context;
  const { folder, emit } = context.io;
  const { bulk: spec, timeoutMs } = scenario.load;
  if (spec === undefined) throw new Error('a bulk level in a scenario without load.bulk');
  const failuresFile = join(folder, 'failures.jsonl');
  dropFailures(failuresFile, round);
  const done = new Set<number>();
  const order: number[] = [];
  // In one stretch by their places in the round, which are balanced over rounds.
  const cycles = Number.isFinite(turnMs)
    ? turnCycles(arms.length, seedOf(seed, round, pass, 'order'))
    : [arms.map((_, index) => index)];
  const open = ({ arm, target }: LiveArm): Promise<BulkStream> =>
    context.load.generator.openBulk({
      ...addressOf(target),
      spec,
      seed: seedOf(seed, round, 'bulk'),
      timeoutMs,
      failuresFile,
      labels: { round, arm: arm.name },
    });
  const loads = await loadInTurns(arms, open, (streams) =>
    takeTurns(context.io, {
      arms,
      cycles: untilAllAreDone(cycles, done, arms.length),
      async give(arm, _, signal) {
        order.push(arm);
        const result = await streams[arm]?.turn(turnMs, {
          signal,
          onProgress: (progress) => emit({ kind: 'bulk-progress', progress }),
        });
        if (result === undefined) return;
        if (result.done) done.add(arm);
        observation.addLoad(arm, result.wallMs);
      },
      edge: observation.edge,
      onTurn: observation.onTurn,
    }),
  );
  return { loads: loads.map((load) => ({ ...load, turns: [] })), order };
}

/** Whoever is done has no more turns. */
function* untilAllAreDone(
  cycles: Iterable<readonly number[]>,
  done: ReadonlySet<number>,
  arms: number,
): Generator<readonly number[]> {
  for (const cycle of cycles) {
    if (done.size >= arms) return;
    yield cycle.filter((arm) => !done.has(arm));
  }
}

/**
 * Between the bulk loads and the reads: takes the loads' counters, compares what is there with what was sent, and
 * leaves every database vacuumed and analyzed, as a copy of a loaded template is.
 */
export async function settleBulk(
  context: RoundContext,
  round: number,
  loaded: readonly LoadedArm[],
  progress: RoundProgress,
): Promise<void> {
  const { databases } = context.stack;
  const { counters } = context.watch;
  const { journal, clock, emit, signal } = context.io;
  const { bulk: spec } = context.scenario.load;
  if (databases === null || spec === undefined) return;
  const { phases } = progress;
  for (const { alive, result } of loaded) {
    const { arm, database } = alive;
    phases.waitMs += (await counters?.beforeLoad(database, tellWait(emit), signal)) ?? 0;
    await timed(clock, phases, 'bootMs', async () => {
      const check = await databases.check(database, spec, result.bulk);
      if (check !== null) journal.append({ type: 'bulk-check', round, arm: arm.name, check });
      await databases.tidy(database);
    });
    counters?.afterUncounted(database, clock.nowMs());
  }
  progress.loadEndedAtMs = clock.nowMs();
}
