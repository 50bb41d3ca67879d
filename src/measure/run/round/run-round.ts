import { createRandom, seedOf } from '../../../base/random.ts';
import { loadLabel, timedLevels, traitsOf } from '../../../journal/load-level.ts';
import type { RoundRecord } from '../../../journal/records.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import type { Arm } from '../../plan/arms.ts';
import { groupsOf } from '../../plan/groups.ts';
import { levelPlan } from '../../plan/level-plan.ts';
import { runBulkPass, settleBulk } from '../bulk/bulk-pass.ts';
import type { LaterWorker } from './idle-work.ts';
import {
  type LiveArm,
  type PassPlaces,
  type RoundContext,
  type RoundProgress,
  type RoundToLoad,
  timed,
} from './round-context.ts';
import { runPass } from './run-pass.ts';
import { abandonArms, closeArms, eachAlone, startArms } from './start-arms.ts';
import type { LevelSchedule, SeenWaits } from './turn-schedule.ts';
import { chooseTurns, warmUp } from './warm-up.ts';

/**
 * Runs one round: brings every arm to life, warms all in turns, makes a pass for each load level, stops every arm. The
 * round's record is written last, so a round that fails or is interrupted has none and is not judged.
 */
export async function runRound(planned: RoundContext, round: number): Promise<RoundRecord> {
  const { scenario } = planned;
  const groups = groupsOf(planned.arms, scenario.control, planned.seed, round);
  const places = planned.places.draw(
    round,
    planned.arms.map(({ name }) => name),
    groups.length,
  );
  const context = { ...planned, arms: inOrder(planned.arms, places.arms) };
  const { clock, journal } = context.io;
  const { levels, schedule } = context.load;
  const { areFixed } = levelPlan(scenario.load);
  const startedAt = clock.isoNow();
  const start = clock.nowMs();
  const alive: LiveArm[] = [];
  let onceMs = 0;
  const phases = { bootMs: 0, warmupMs: 0, sliceMs: 0, waitMs: 0, stopMs: 0 };
  const progress: RoundProgress = { phases, arms: alive, loadEndedAtMs: null, loadEnds: new Map(), countersWaitMs: 0 };
  try {
    const bringUp = async (): Promise<readonly LiveArm[]> => {
      await timed(clock, phases, 'bootMs', () => startArms(context, round, alive));
      await context.watch.reach?.beforeLoad(eachAlone(alive));
      return context.arms.map((arm) => liveArm(alive, arm));
    };
    const passes = passPlaces();
    let arms = await bringUp();
    // A bulk load starts on a cold process, as it does for everybody, and warms it for no other level.
    for (const level of levels.levels) {
      if (traitsOf(level).counts !== 'documents') continue;
      if (await bulkLevel(context, { round, arms, places: passes }, level, progress)) continue;
      // Their databases hold the documents already.
      await abandonArms(context, round, alive);
      phases.sliceMs = 0;
      onceMs = clock.nowMs() - start;
      arms = await bringUp();
      await bulkLevel(context, { round, arms, places: passes }, level, progress);
    }
    const wanted: RoundToLoad = { round, arms, places: passes };
    await warmUp(context, round, arms, progress);
    await context.watch.reach?.underLoad(eachAlone(alive));
    const fromMs = clock.nowMs();
    const loadedMs = phases.sliceMs;
    const chosen = timedLevels(await levels.choose(context, wanted, progress));
    // On the way up through the range: no slices of the round's own levels.
    phases.sliceMs = loadedMs;
    const choiceMs = clock.nowMs() - fromMs;
    const measured = context.lineUp?.inOrder(chosen) ?? chosen;
    // Once a session, or for levels that were just found.
    const unknown = measured.filter((level) => schedule.of(level) === undefined);
    if (unknown.length > 0) {
      await chooseTurns(context, { round, arms, levels: unknown }, progress);
      // Levels that are found are new in each round, and so are their turns.
      onceMs += areFixed ? clock.nowMs() - fromMs : choiceMs;
    }
    await heedSharedBuffers(context);
    const grouped = groups.map((group) => arms.filter(({ arm }) => group.includes(arm)));
    const random = createRandom(seedOf(context.seed, round, 'order'));
    const shuffled = random.shuffle(measured);
    for (const level of context.lineUp?.inOrder(shuffled) ?? shuffled)
      onceMs += await loadLevel(context, { ...wanted, level, groups: grouped, order: places.groups ?? [0] }, progress);
    await timed(clock, phases, 'stopMs', () => closeArms(context, round, alive));
  } finally {
    // After a failure; a round that went well has already done this.
    await abandonArms(context, round, alive);
  }
  const durationMs = clock.nowMs() - start;
  const once = onceMs > 0 && { onceMs };
  const record: RoundRecord = { type: 'round', round, startedAt, durationMs, places, phases, ...once };
  journal.append(record);
  planned.places.take(places);
  return record;
}

function inOrder(arms: readonly Arm[], names: readonly string[]): Arm[] {
  return [...arms].sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
}

function passPlaces(): PassPlaces {
  let [pass, slice] = [0, 0];
  return {
    next(arms) {
      const place = { pass: pass++, firstSlice: slice };
      slice += arms;
      return place;
    },
  };
}

interface LevelToMake extends Pick<RoundToLoad, 'round' | 'places'> {
  readonly level: LoadLevel;
  /** Arms that take turns with each other, at all levels of the round. */
  readonly groups: readonly (readonly LiveArm[])[];
  /** The order in which they have their passes. */
  readonly order: readonly number[];
}

/**
 * False where turns were no way to measure these loads. The level then has whole stretches, from here on: what a whole
 * load shows is no moment of the machine.
 */
async function bulkLevel(
  context: RoundContext,
  { round, arms, places }: RoundToLoad,
  load: LoadLevel,
  progress: RoundProgress,
): Promise<boolean> {
  const loaded = await runBulkPass(context, { round, load, arms, ...places.next(arms.length) }, progress);
  if ('reason' in loaded) {
    context.load.schedule.useWholeSlices(load, loaded.reason);
    context.io.emit({ kind: 'whole-slices', load, ...loaded });
    return false;
  }
  await settleBulk(context, round, loaded, progress);
  return true;
}

/** Returns how long passes took that had to be repeated, in ms: no later round has them. */
async function loadLevel(
  context: RoundContext,
  { round, level, groups, order, places }: LevelToMake,
  progress: RoundProgress,
): Promise<number> {
  const { lineUp, io } = context;
  const { phases } = progress;
  const { schedule } = context.load;
  const chosen = schedule.of(level);
  if (chosen === undefined) throw new Error(`no turns were chosen for ${loadLabel(level)}`);
  const seen: SeenWaits[] = [];
  let repeatedMs = 0;
  const measured = [...(lineUp?.under(level, groups) ?? groups.entries())];
  for (const [group, members] of measured.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))) {
    const wanted = { round, load: level, arms: members, ...(groups.length > 1 && { group }) };
    const current = forRound(context, round, schedule.of(level) ?? chosen);
    const pass = (how: LevelSchedule): Promise<SeenWaits | LaterWorker> =>
      runPass(context, { ...wanted, ...places.next(members.length) }, how, progress);
    const [fromMs, loadedMs] = [io.clock.nowMs(), phases.sliceMs];
    let waits = await pass(current);
    if ('arm' in waits) {
      repeatedMs += io.clock.nowMs() - fromMs;
      phases.sliceMs = loadedMs;
      const forGood = schedule.useWholeSlices(level, 'idle work');
      io.emit({
        kind: 'whole-slices',
        load: level,
        reason: 'idle work',
        by: waits,
        ...(!forGood && { inRound: round }),
      });
      waits = await pass(schedule.of(level) ?? current);
    }
    if (!('arm' in waits)) seen.push(waits);
  }
  // Chosen for the next round: the machine may have changed since this round's was chosen.
  if (seen.length === 0) return repeatedMs;
  schedule.choose(level, {
    latencyMs: Math.max(...seen.map(({ latencyMs }) => latencyMs)),
    drainMs: Math.max(...seen.map(({ drainMs }) => drainMs)),
  });
  return repeatedMs;
}

function forRound({ load }: RoundContext, round: number, schedule: LevelSchedule): LevelSchedule {
  if (load.wholeSlicesIn?.(round) !== true) return schedule;
  return {
    turnMs: schedule.turnMs * schedule.turnsPerArm,
    turnsPerArm: 1,
    latencyMs: schedule.latencyMs,
    drainMs: schedule.drainMs,
    wholeSlices: 'turned off',
  };
}

/** Where not all arms can stay cached, each has the machine for a whole slice, and warms its own caches in it. */
async function heedSharedBuffers(context: RoundContext): Promise<void> {
  const { schedule, levels } = context.load;
  const reason = (await context.stack.databases?.crowding()) ?? null;
  if (reason === null) return;
  for (const load of timedLevels(levels.levels)) {
    if (schedule.of(load)?.wholeSlices !== undefined) continue;
    schedule.useWholeSlices(load, reason);
    context.io.emit({ kind: 'whole-slices', load, reason });
  }
}

function liveArm(alive: readonly LiveArm[], arm: LiveArm['arm']): LiveArm {
  const found = alive.find((candidate) => candidate.arm === arm);
  if (found === undefined) throw new Error(`arm ${arm.name} is not alive`);
  return found;
}
