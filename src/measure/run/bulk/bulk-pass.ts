import { join } from 'node:path';
import { seedOf } from '../../../base/random.ts';
import type { BulkRecord } from '../../../journal/bulk-records.ts';
import type { PassRecord } from '../../../journal/pass-records.ts';
import type { BulkSpec } from '../../../journal/scenario-record.ts';
import type { BulkResult, BulkStream } from '../../load/load-generator.ts';
import { bulkTurnMs } from '../../plan/turn-length.ts';
import { turnCycles } from '../../plan/turn-order.ts';
import { urlsOf } from '../../target/target.ts';
import { tellWait } from '../round/attribute-counters.ts';
import { observePass, type PassObservation } from '../round/observe-pass.ts';
import {
  type LiveArm,
  noteLoadEnd,
  type PassToMake,
  type RoundContext,
  type RoundProgress,
  timed,
} from '../round/round-context.ts';
import { sliceOf } from '../round/slice-of.ts';
import { loadMsOf, type TurnTimes, takeTurns } from '../round/take-turns.ts';

/** An arm whose bulk load has ended. */
export interface LoadedArm {
  readonly alive: LiveArm;
  readonly bulk: BulkRecord;
}

/**
 * Makes the pass of a bulk load: every arm posts the data set in turns with the others, until each is done. A load's
 * time is that of its own turns. It begins on cold processes, as it does for everybody.
 */
export async function runBulkPass(
  context: RoundContext,
  wanted: PassToMake,
  progress: RoundProgress,
): Promise<LoadedArm[]> {
  const { scenario } = context;
  const { counters } = context.watch;
  const { journal, clock, emit, signal } = context.io;
  const { round, pass, load, arms } = wanted;
  const { bulk, turn } = scenario.load;
  if (bulk === undefined) throw new Error('a bulk level in a scenario without load.bulk');
  const turnMs = turn === 'off' ? Number.POSITIVE_INFINITY : typeof turn === 'number' ? turn : bulkTurnMs(arms.length);
  emit({ kind: 'pass-started', pass, load, arms: arms.length, turnMs: null, turnsPerArm: null });
  // What the passes before have written must not be written to disk during this one.
  await timed(clock, progress.phases, 'bootMs', async () => context.stack.databases?.checkpoint());
  const observation = await observePass(context, wanted, progress);
  for (const { database } of arms) await counters?.beforeLoad(database, tellWait(emit), signal);
  const startMs = clock.nowMs();
  const { results, times, order } = await postInTurns(context, wanted, { bulk, turnMs, observation });
  noteLoadEnd(progress, load, clock.nowMs());
  const loadMs = times.reduce((sum, own) => sum + loadMsOf(own), 0);
  progress.phases.sliceMs += loadMs;
  progress.phases.waitMs += clock.nowMs() - startMs - loadMs;
  const seen = await observation.end(times.map((own, index) => ({ times: own, whole: results[index]?.whole })));
  emit({ kind: 'pass-ended', load, conditions: seen.conditions });
  const record: PassRecord = {
    type: 'pass',
    round,
    pass,
    load,
    // JSON knows no infinity: a load in one stretch is as long as it takes.
    turnMs: Number.isFinite(turnMs) ? turnMs : clock.nowMs() - startMs,
    turnsPerArm: Math.max(...times.map(({ length }) => length)),
    arms: arms.map(({ arm }) => arm.name),
    order,
    durationMs: clock.nowMs() - startMs,
    ...(turn === 'off' && { wholeSlices: 'turned off' }),
    conditions: seen.conditions,
  };
  journal.append(record);
  for (const [index, alive] of arms.entries()) {
    const [result, own = [], work] = [results[index], times[index], seen.work[index]];
    if (result === undefined) continue;
    const housekeeping = seen.housekeeping[index];
    const loadOf = { alive, index, result, turnMs: record.turnMs, turns: [], times: own, work, housekeeping };
    const slice = sliceOf(context, wanted, loadOf);
    journal.append(slice);
    counters?.afterSlice(alive.database, slice, own.at(-1)?.toMs ?? clock.nowMs());
  }
  for (const probed of seen.probes) journal.append(probed);
  return results.map((result, index) => ({ alive: arms[index] as LiveArm, bulk: result.bulk }));
}

interface Posting {
  readonly bulk: BulkSpec;
  readonly turnMs: number;
  readonly observation: PassObservation;
}

async function postInTurns(
  context: RoundContext,
  { round, pass, arms }: PassToMake,
  { bulk, turnMs, observation }: Posting,
): Promise<{ results: BulkResult[]; times: readonly (readonly TurnTimes[])[]; order: number[] }> {
  const { scenario, seed } = context;
  const { folder, emit } = context.io;
  const streams: BulkStream[] = [];
  const done = new Set<number>();
  const order: number[] = [];
  // In one stretch by their places in the round, which are balanced over rounds.
  const cycles = Number.isFinite(turnMs)
    ? turnCycles(arms.length, seedOf(seed, round, pass, 'order'))
    : [arms.map((_, index) => index)];
  try {
    for (const { arm, target } of arms) {
      const job = {
        ...urlsOf(target),
        spec: bulk,
        seed: seedOf(seed, round, 'bulk'),
        timeoutMs: scenario.load.timeoutMs,
        failuresFile: join(folder, 'failures.jsonl'),
        labels: { round, arm: arm.name },
      };
      streams.push(await context.load.generator.openBulk(job));
    }
    const times = await takeTurns(context.io, {
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
    });
    return { results: await Promise.all(streams.splice(0).map((stream) => stream.close())), times, order };
  } finally {
    // They are still open where the pass was broken off.
    await Promise.allSettled(streams.map((stream) => stream.close()));
  }
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
  if (databases === null) return;
  const { phases } = progress;
  for (const { alive, bulk } of loaded) {
    const { arm, database } = alive;
    phases.waitMs += (await counters?.beforeLoad(database, tellWait(emit), signal)) ?? 0;
    await timed(clock, phases, 'bootMs', async () => {
      const check = await databases.check(database, bulk);
      if (check !== null) journal.append({ type: 'bulk-check', round, arm: arm.name, check });
      await databases.tidy(database);
    });
    counters?.afterUncounted(database, clock.nowMs());
  }
  progress.loadEndedAtMs = clock.nowMs();
}
