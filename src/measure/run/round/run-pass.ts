import { seedOf } from '../../../base/random.ts';
import { closedLoopClients, countsRequests, loadKey, runsJob, sliceTraitsOf } from '../../../journal/load-level.ts';
import type { ConditionsRecord, LivePassRecord, PassRecord } from '../../../journal/pass-records.ts';
import type { SliceRecord } from '../../../journal/records.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import { areOneProcess } from '../../../journal/variant-parts.ts';
import type { LoadStream, Turn, TurnResult } from '../../load/load-generator.ts';
import { blockCycles } from '../../plan/turn-blocks.ts';
import { countedPart } from '../../plan/turn-length.ts';
import { turnOrder } from '../../plan/turn-order.ts';
import { attributeCounters, type CounterAttribution, uncountedArms } from './attribute-counters.ts';
import { warnOfDryPool } from './dry-pool.ts';
import { type LaterWorker, shownToWorkLater, workWhenIdle } from './idle-work.ts';
import { type Jobs, jobsOf } from './jobs-of.ts';
import { type ObservedPass, observePass, type PassObservation } from './observe-pass.ts';
import { keepOwnResults } from './own-results.ts';
import {
  jobOf,
  type LiveArm,
  noteLoadEnd,
  type PassToMake,
  type RoundContext,
  type RoundProgress,
} from './round-context.ts';
import { type ArmLoad, writeSlices } from './slice-of.ts';
import { switchBeforeTurns } from './switch-arm.ts';
import { loadInTurns, loadMsOf, prepareTurns, type TurnTimes, takeTurns } from './take-turns.ts';
import { type LevelSchedule, longestDrainMs, type SeenWaits } from './turn-schedule.ts';
import { uncounted } from './uncounted.ts';

/**
 * Makes a pass: all its arms under load, in turns or in whole slices, each with its slice's record. Returns what the arms
 * need of turns; or the arm that worked on in the turns of others. Then the pass does not count, and is to be made again in whole
 * slices.
 */
export async function runPass(
  context: RoundContext,
  wanted: PassToMake,
  schedule: LevelSchedule,
  progress: RoundProgress,
): Promise<SeenWaits | LaterWorker> {
  const { scenario } = context;
  const { clock, journal, emit } = context.io;
  const { round, pass, load, group, arms } = wanted;
  const { turnMs, turnsPerArm, wholeSlices } = schedule;
  const switches: Switches | null = areOneProcess(scenario)
    ? { blocks: turnsPerArm / 2, switches: 0, switchMs: 0 }
    : null;
  const blocks = switches === null ? {} : { blocks: switches.blocks };
  emit({ kind: 'pass-started', pass, load, arms: arms.length, turnMs, turnsPerArm, ...blocks });
  const seed = seedOf(context.seed, round, pass, 'order');
  const orderOf = (afterPause: readonly number[] = []): number[][] => {
    if (switches !== null) return blockCycles(arms.length, switches.blocks, seed);
    // By their places in the round, so in the same order in every pass: as many slices of others then lie between two of
    // an arm, and its counters are complete without waiting.
    if (wholeSlices !== undefined) return [arms.map((_, index) => index)];
    return turnOrder(arms.length, turnsPerArm, seed, afterPause);
  };
  const jobs = jobsOf(context, round, load, arms);
  const observation = await observePass(context, wanted, progress);
  const attribution = await attributeCounters(context, { load, arms, schedule, progress, order: orderOf()[0] ?? [] });
  const cycles = orderOf(attribution.afterPause);
  const startMs = clock.nowMs();
  const loads = await loadArms(context, wanted, { schedule, cycles, observation, attribution, switches, jobs });
  // Switches come with every turn, so that they belong to what a slice takes.
  const ended = { observation, loads, startMs, switchMs: switches?.switchMs, checkpoints: jobs.checkpoints() };
  const seen = await endLoad(context, wanted, progress, ended);
  const { idleCpuShares, laterArms } = context.watch;
  const later = seen.work.map((work, index) => {
    const name = arms[index]?.arm.name ?? '';
    return [name, workWhenIdle(work, idleCpuShares.get(name), loadMsOf(loads[index]?.times ?? []))] as const;
  });
  const worker = wholeSlices === undefined ? shownToWorkLater(new Map(later), laterArms) : null;
  const record: PassRecord = {
    type: 'pass',
    round,
    pass,
    load,
    ...(group !== undefined && { group }),
    turnMs,
    turnsPerArm,
    leadMs: turnOf(context, load, schedule, switches !== null).fromMs,
    arms: arms.map(({ arm }) => arm.name),
    order: cycles.flat(),
    durationMs: clock.nowMs() - startMs,
    ...(wholeSlices !== undefined && { wholeSlices }),
    ...(worker !== null ? { repeated: true as const } : uncountedArms(attribution, arms, loads)),
    ...(switches !== null && { live: { ...switches, settleMs: scenario.load.settleMs ?? 0 } }),
    conditions: seen.conditions,
  };
  journal.append(record);
  if (worker !== null) {
    attribution.write([], loads);
    for (const { alive, turns, times } of loads)
      journal.append(
        uncounted(alive.arm, turns, { round, load, purpose: 'repeated pass', durationMs: loadMsOf(times) }),
      );
    return worker;
  }
  const slices = writeSlices(context, wanted, loads, { turnMs, seen });
  for (const [index, { result }] of loads.entries()) {
    const [slice, { probe }] = [slices[index], result];
    if (slice === undefined) continue;
    keepOwnResults(context.io.folder, slice, result);
    if (probe !== undefined) journal.append({ type: 'probe', round, slice: slice.slice, arm: slice.arm, ...probe });
  }
  attribution.write(slices, loads);
  return seenWaits(schedule, slices, loads);
}

/** Latency and drain that the next round's turns are chosen by. Arms that were stopped meanwhile show nothing of it. */
function seenWaits(
  { turnMs, turnsPerArm, latencyMs, drainMs }: LevelSchedule,
  slices: readonly SliceRecord[],
  loads: readonly ArmLoad[],
): SeenWaits {
  const seen = slices.flatMap(({ generator, latency }, index) =>
    generator.pausedMs === undefined ? [{ latency, turns: loads[index]?.turns ?? [] }] : [],
  );
  if (seen.length === 0) return { latencyMs, drainMs };
  return {
    latencyMs: Math.max(
      ...seen.map(({ latency, turns }) =>
        latency.count === 0 ? uncountedMs(turns, turnMs * turnsPerArm) : latency.meanUs / 1000,
      ),
    ),
    drainMs: longestDrainMs(seen.map(({ turns }) => turns.map(({ wallMs }) => wallMs - turnMs))),
  };
}

/** Latency where no answer counts: of those that do not. Where nothing was answered as expected, it took longer than there was time. */
function uncountedMs(turns: readonly TurnResult[], sliceMs: number): number {
  const known = turns.flatMap(({ latencyUs }) => (latencyUs === null ? [] : [latencyUs / 1000]));
  return known.length === 0 ? sliceMs : Math.max(...known);
}

interface LoadToEnd {
  readonly observation: PassObservation;
  readonly loads: readonly ArmLoad[];
  /** When the pass began, on the clock. */
  readonly startMs: number;
  readonly switchMs?: number | undefined;
  /** How many checkpoints the run itself has made meanwhile; absent where none. */
  readonly checkpoints?: number;
}

/** Ends the observation of a pass whose load is over. */
export async function endLoad(
  context: RoundContext,
  { load }: PassToMake,
  progress: RoundProgress,
  { observation, loads, startMs, switchMs = 0, checkpoints = 0 }: LoadToEnd,
): Promise<ObservedPass> {
  const { clock, emit } = context.io;
  noteLoadEnd(progress, load, clock.nowMs());
  const slicesMs = loads.reduce((sum, { times }) => sum + loadMsOf(times), switchMs);
  progress.phases.sliceMs += slicesMs;
  progress.phases.waitMs += clock.nowMs() - startMs - slicesMs;
  const seen = await observation.end(loads.map(({ times, result }) => ({ times, whole: result.whole })));
  const conditions = withoutCheckpoints(checkpoints, seen.conditions);
  emit({ kind: 'pass-ended', load, conditions });
  return { ...seen, conditions };
}

/** Conditions without the checkpoints that the run has made itself. */
function withoutCheckpoints(made: number, conditions: ConditionsRecord): ConditionsRecord {
  const { checkpoints } = conditions;
  return checkpoints === null ? conditions : { ...conditions, checkpoints: Math.max(0, checkpoints - made) };
}

interface Turns {
  readonly schedule: LevelSchedule;
  readonly cycles: readonly (readonly number[])[];
  readonly observation: PassObservation;
  readonly attribution: CounterAttribution;
  /** Null where arms are separate processes. */
  readonly switches: Switches | null;
  readonly jobs: Jobs;
}

/** Switches of a pass, counted while it runs. */
type Switches = { -readonly [Name in 'blocks' | 'switches' | 'switchMs']: LivePassRecord[Name] };

/** How long each turn is, and what of it counts. Where it follows a switch, the queue fills while the service settles. */
function turnOf(
  { scenario }: RoundContext,
  load: LoadLevel,
  { turnMs, latencyMs, drainMs }: LevelSchedule,
  isOneProcess: boolean,
): Turn {
  const { dropMs, settleMs = 0 } = scenario.load;
  if (sliceTraitsOf(scenario.load).countsAll) return { durationMs: turnMs, fromMs: 0, toMs: turnMs };
  const clients = closedLoopClients(load);
  if (!isOneProcess) return { durationMs: turnMs, ...countedPart(turnMs, { dropMs, latencyMs, drainMs, clients }) };
  const fillMs = Math.max(0, Math.max(latencyMs, drainMs) - settleMs);
  const { fromMs, toMs } = countedPart(turnMs, { dropMs: 0, latencyMs: fillMs, clients });
  return { durationMs: settleMs + turnMs, fromMs: settleMs + fromMs, toMs: settleMs + toMs };
}

/** When an arm was under load: not while a program was started for it, nor while that program ended. */
function loadWithin(turns: readonly TurnResult[]): (times: TurnTimes, turn: number) => TurnTimes {
  return (times, turn) => {
    const { startupMs, wallMs } = turns[turn] ?? {};
    if (startupMs === undefined || wallMs === undefined) return times;
    const fromMs = times.fromMs + startupMs;
    return { fromMs, toMs: fromMs + wallMs };
  };
}

async function loadArms(
  context: RoundContext,
  { round, load, arms }: PassToMake,
  { schedule, cycles, observation, attribution, switches, jobs }: Turns,
): Promise<ArmLoad[]> {
  const { scenario, seed } = context;
  const { emit } = context.io;
  const { bounded } = scenario.load;
  const turn = turnOf(context, load, schedule, switches !== null);
  const showRate = (requestsPerSecond: number): void => {
    if (countsRequests(load)) emit({ kind: 'rate', requestsPerSecond });
  };
  const switching = switchBeforeTurns(context, arms, (durationMs) => {
    if (switches === null) return;
    switches.switches++;
    switches.switchMs += durationMs;
  });
  const turns = arms.map((): TurnResult[] => []);
  const open = async (alive: LiveArm): Promise<LoadStream> => {
    // The same in every arm: they get the same requests.
    const job = jobOf(scenario, alive, load, seedOf(seed, round, loadKey(load)));
    const requests = (): Promise<LoadStream> => context.load.generator.open({ ...job, bounded });
    return runsJob(load) ? jobs.open(alive, requests) : requests();
  };
  const loads = await loadInTurns(arms, open, (streams) =>
    takeTurns(context.io, {
      arms,
      cycles,
      async give(arm, _, signal) {
        const result = await streams[arm]?.turn(turn, { signal, onLive: showRate });
        if (result === undefined) return;
        turns[arm]?.push(result);
        observation.addLoad(arm, result.wallMs);
        const countedMs = Math.min(turn.toMs, result.wallMs) - turn.fromMs;
        showRate((1000 * (result.okWithin ?? result.okByTime)) / countedMs);
      },
      ...prepareTurns(switching.prepare, jobs.beforeTurn, attribution.beforeTurn),
      async finish(arm) {
        await attribution.afterTurn?.(arm);
        const [alive, last] = [arms[arm], turns[arm]?.at(-1)];
        if (alive !== undefined && last !== undefined) await warnOfDryPool(context, alive, last.whole);
      },
      between: attribution.between,
      edge: observation.edge,
      onTurn: observation.onTurn,
    }),
  );
  return loads.map((load, index) => {
    const own = turns[index] ?? [];
    return { ...load, turns: own, times: load.times.map(loadWithin(own)) };
  });
}
