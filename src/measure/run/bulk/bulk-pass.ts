import { join } from 'node:path';
import { seedOf } from '../../../base/random.ts';
import type { PassRecord } from '../../../journal/pass-records.ts';
import { dropFailures } from '../../load/bulk/failures.ts';
import type { BulkResult, BulkStream } from '../../load/load-generator.ts';
import { turnCycles } from '../../plan/turn-order.ts';
import { addressOf } from '../../target/target.ts';
import { countSlices, tellWait } from '../round/attribute-counters.ts';
import { watchCold } from '../round/idle-stretch.ts';
import { type LaterWorker, shownToWorkLater, workWhenIdle } from '../round/idle-work.ts';
import { type ObservedPass, observePass, type PassObservation } from '../round/observe-pass.ts';
import { type LiveArm, type PassToMake, type RoundContext, type RoundProgress, timed } from '../round/round-context.ts';
import { endLoad } from '../round/run-pass.ts';
import { type ArmLoad, writeSlices } from '../round/slice-of.ts';
import { loadInTurns, loadMsOf, takeTurns } from '../round/take-turns.ts';
import { uncounted } from '../round/uncounted.ts';
import { type BulkTurns, createBulkTurns } from './bulk-turns.ts';

type LoadedArm = ArmLoad<BulkResult>;

/** Why loads in turns are not what each of them would be alone. The arm that works in the turns of others is named. */
export type NotAlone = { readonly reason: 'idle work'; readonly by: LaterWorker } | { readonly reason: 'turn ends' };

/**
 * Makes the pass of a bulk load: every arm posts the data set in turns with the others, until each is done. A load's
 * time is that of its own turns. It begins on cold processes, as it does for everybody. Returns the reason where turns
 * were no way to measure these loads: then the pass does not count, and is to be made again on fresh arms, each load in one stretch.
 */
export async function runBulkPass(
  context: RoundContext,
  wanted: PassToMake,
  progress: RoundProgress,
): Promise<LoadedArm[] | NotAlone> {
  const { counters } = context.watch;
  const { journal, clock, emit, signal } = context.io;
  const { round, pass, load, arms } = wanted;
  const { turn } = context.scenario.load;
  const whole = turn === 'off' ? 'turned off' : context.load.schedule.of(load)?.wholeSlices;
  const turns = createBulkTurns(whole === undefined ? turn : 'off', arms.length);
  if (whole === undefined) await watchCold(context, arms, progress);
  emit({ kind: 'pass-started', pass, load, arms: arms.length, turnMs: null, turnsPerArm: null });
  // What the passes before have written must not be written to disk during this one.
  await timed(clock, progress.phases, 'bootMs', async () => context.stack.databases?.checkpoint());
  const observation = await observePass(context, wanted, progress);
  for (const { database } of arms) await counters?.beforeLoad(database, tellWait(emit), signal);
  const startMs = clock.nowMs();
  const { loads, order } = await postInTurns(context, wanted, turns, observation);
  const seen = await endLoad(context, wanted, progress, { observation, loads, startMs });
  const durationMs = clock.nowMs() - startMs;
  const notAlone = whole === undefined ? reasonOf(context, seen, loads, turns) : null;
  const record: PassRecord = {
    type: 'pass',
    round,
    pass,
    load,
    // JSON knows no infinity: a load in one stretch is as long as it takes.
    turnMs: Number.isFinite(turns.turnMs) ? turns.turnMs : durationMs,
    turnsPerArm: Math.max(...loads.map(({ times }) => times.length)),
    arms: arms.map(({ arm }) => arm.name),
    order,
    durationMs,
    ...(whole !== undefined && { wholeSlices: whole }),
    ...(notAlone !== null && { repeated: true }),
    conditions: seen.conditions,
  };
  journal.append(record);
  if (notAlone !== null) {
    for (const { alive, result, times } of loads)
      journal.append({
        ...uncounted(alive.arm, [], { round, load, purpose: 'repeated pass', durationMs: loadMsOf(times) }),
        outcomes: result.whole ?? result.outcomes,
        ok: result.bulk.loaded,
      });
    return notAlone;
  }
  countSlices(context, arms, writeSlices(context, wanted, loads, { turnMs: record.turnMs, seen }), loads);
  return loads;
}

/** Null where each load was what it would have been alone. */
function reasonOf(
  { watch: { idleCpuShares, coldCpuShares, laterArms } }: RoundContext,
  { work }: ObservedPass,
  loads: readonly LoadedArm[],
  turns: BulkTurns,
): NotAlone | null {
  const found = loads.map(({ alive, times }, index) => {
    const [{ name }, own] = [alive.arm, work[index]];
    const share = idleCpuShares.get(name) ?? coldCpuShares.get(name);
    return [name, own === undefined ? null : workWhenIdle(own, share, loadMsOf(times))] as const;
  });
  const by = shownToWorkLater(new Map(found), laterArms);
  if (by !== null) return { reason: 'idle work', by };
  return turns.lost() === null ? null : { reason: 'turn ends' };
}

async function postInTurns(
  context: RoundContext,
  { round, pass, arms }: PassToMake,
  turns: BulkTurns,
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
  const cycles = Number.isFinite(turns.turnMs)
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
        const result = await streams[arm]?.turn(turns.turnMs, {
          signal,
          onProgress: (progress) => emit({ kind: 'bulk-progress', progress }),
        });
        if (result === undefined) return;
        turns.add(arm, result);
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
