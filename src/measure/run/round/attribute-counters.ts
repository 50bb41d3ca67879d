import { byName } from '../../../base/by-name.ts';
import { hasPostgres } from '../../../journal/link/own-database.ts';
import { loadSize, traitsOf } from '../../../journal/load-level.ts';
import { sumOutcomes } from '../../../journal/outcomes.ts';
import type { PassRecord, UncountedReason } from '../../../journal/pass-records.ts';
import type { DatabaseCounters, SliceRecord } from '../../../journal/records.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import type { TurnResult } from '../../load/load-generator.ts';
import { heaviestLevels } from '../../plan/warmup-length.ts';
import { expectedSliceMs } from '../../plan/whole-slices.ts';
import { countersBetween, SETTLE_MS } from '../../probe/meter/database-counters.ts';
import { countersPlan, createPassCounters, isShortTurn, type PassDelta } from '../../probe/meter/pass-counters.ts';
import { type LiveArm, type RoundContext, type RoundIo, type RoundProgress, timed } from './round-context.ts';
import type { PrepareTurn, TurnTimes } from './take-turns.ts';
import type { LevelSchedule } from './turn-schedule.ts';

/** Readings of the database's counters beside the turns of a pass, which assign them to arms. */
export interface CounterAttribution {
  /** Work before an arm's turn, which may wait for seconds until its counters are complete; absent where there is none. */
  readonly beforeTurn?: PrepareTurn;
  /** The arm's turn has ended, before anything else is done in its database. */
  afterTurn?(arm: number): Promise<void>;
  /** Cycles before which no arm is under load for a moment. */
  readonly afterPause: readonly number[];
  readonly between: (cycle: number) => ((signal: AbortSignal) => Promise<void>) | null;
  /** Why an arm has no counters, by its place; null where it has some, or nothing is known. */
  why(arm: number, load: ArmTurns): UncountedReason | null;
  /** Writes the counters, once the slices are in the journal. */
  write(slices: readonly SliceRecord[], loads: readonly ArmTurns[]): void;
}

interface ArmTurns {
  readonly turns: readonly TurnResult[];
  readonly times: readonly TurnTimes[];
}

interface AttributedPass {
  readonly load: LoadLevel;
  readonly arms: readonly LiveArm[];
  readonly schedule: LevelSchedule;
  readonly progress: RoundProgress;
  /** The order of the arms' turns in the first cycle. */
  readonly order: readonly number[];
}

/**
 * Attributes the database's counters of a pass to its arms. A whole slice has readings before and after it. Turns have the
 * readings of a part of the pass, at whose ends every session has reported (src/measure/probe/meter/pass-counters.ts).
 */
export async function attributeCounters(context: RoundContext, pass: AttributedPass): Promise<CounterAttribution> {
  if (context.watch.counters === null) return noCounters;
  if (traitsOf(pass.load).counts === 'runs') return attributeToJobs(context, pass);
  if (traitsOf(pass.load).isBesideJob) return uncountedPass(context, pass.arms, 'beside a job');
  return pass.schedule.wholeSlices === undefined ? attributeToPart(context, pass) : attributeToSlices(context, pass);
}

const noCounters: CounterAttribution = { afterPause: [], between: () => null, why: () => null, write() {} };

function uncountedPass(context: RoundContext, arms: readonly LiveArm[], reason: UncountedReason): CounterAttribution {
  return { ...noCounters, why: () => reason, write: (_, loads) => forgetLoad(context, arms, loads) };
}

/** The arms of a pass that have a database and no counters of it. */
export function uncountedArms(
  { why }: CounterAttribution,
  arms: readonly LiveArm[],
  loads: readonly ArmTurns[],
): Pick<PassRecord, 'withoutCounters'> {
  const reasons = arms.flatMap(({ arm }, index) => {
    const [load] = loads.slice(index, index + 1);
    const reason = load === undefined || !hasPostgres(arm.variant) ? null : why(index, load);
    return reason === null ? [] : [[arm.name, reason] as const];
  });
  return reasons.length === 0 ? {} : { withoutCounters: byName(reasons) };
}

/** Most time to wait for counters, as a share of a round's load in all its passes. */
const MOST_WAIT_SHARE = 0.15;

function attributeToSlices(
  context: RoundContext,
  { load, arms, schedule, progress, order }: AttributedPass,
): CounterAttribution {
  const { counters } = context.watch;
  const { emit } = context.io;
  // A fixed number of requests seldom takes as long as it may.
  const { load: spec } = context.scenario;
  const sliceMs = expectedSliceMs(spec, load, schedule.turnMs);
  // While the arms before it have their slices, an arm waits anyway.
  const waits = order.map((arm, place) => (counters?.waitMs(arms[arm]?.database ?? '') ?? 0) - place * sliceMs);
  // A search has its own levels in each round.
  const { levels } = context.load.levels;
  const warmupMs = heaviestLevels(levels).reduce((sum, level) => sum + context.load.schedule.warmup(level).mostMs, 0);
  // Where answers are slow, the ends of its turns have made it longer than that.
  const warmedMs = Math.max(arms.length * warmupMs, progress.phases.warmupMs);
  const roundMs = arms.length * levels.length * sliceMs + warmedMs;
  if (progress.countersWaitMs + Math.max(...waits) > MOST_WAIT_SHARE * roundMs)
    return uncountedPass(context, arms, 'wait too long');
  return {
    ...noCounters,
    async beforeTurn(arm, signal) {
      const { database } = arms[arm] ?? {};
      if (database === undefined) return;
      progress.countersWaitMs += (await counters?.beforeLoad(database, tellWait(emit), signal)) ?? 0;
    },
    write: (slices, loads) => countSlices(context, arms, slices, loads),
  };
}

/** Notes slices that had their arms for themselves, and whose counters are read before the arms' next load. */
export function countSlices(
  { watch: { counters }, io: { clock } }: RoundContext,
  arms: readonly LiveArm[],
  slices: readonly SliceRecord[],
  loads: readonly Pick<ArmTurns, 'times'>[],
): void {
  for (const [index, slice] of slices.entries())
    counters?.afterSlice(arms[index]?.database ?? '', slice, loads[index]?.times.at(-1)?.toMs ?? clock.nowMs());
}

/** How long the session of a job may still show when it has ended. */
const CLOSE_MS = 3000;
const CLOSE_POLL_MS = 20;

/** A job's sessions end with it, so its counters are complete then: what the bench does in its database later is not the job's. */
function attributeToJobs(
  { watch: { countersReader }, io }: RoundContext,
  { arms }: AttributedPass,
): CounterAttribution {
  const before = new Map<number, DatabaseCounters>();
  const deltas = new Map<number, DatabaseCounters>();
  const read = async (arm: number): Promise<DatabaseCounters | undefined> => {
    const { database = '' } = arms[arm] ?? {};
    return (await countersReader?.read([database]))?.get(database);
  };
  return {
    ...noCounters,
    async beforeTurn(arm) {
      const counters = await read(arm);
      if (counters !== undefined) before.set(arm, counters);
    },
    async afterTurn(arm) {
      const { database = '' } = arms[arm] ?? {};
      const endMs = io.clock.nowMs() + CLOSE_MS;
      while (((await countersReader?.connectionCount(database)) ?? 0) > 0) {
        // A service beside the job may keep its own.
        if (io.clock.nowMs() >= endMs) return;
        await io.clock.sleep(CLOSE_POLL_MS, io.signal);
      }
      const [from, to] = [before.get(arm), await read(arm)];
      if (from !== undefined && to !== undefined) deltas.set(arm, countersBetween(from, to));
    },
    write(slices) {
      for (const [arm, { round, slice, arm: name, loadMs }] of slices.entries()) {
        const delta = deltas.get(arm);
        const record = { type: 'counters', round, slice, arm: name, complete: 'closed', loadMs } as const;
        if (delta !== undefined) io.journal.append({ ...record, delta });
      }
    },
  };
}

/** Notes the end of load without counters: later whole slices have counters from then on only. */
function forgetLoad({ watch, io }: RoundContext, arms: readonly LiveArm[], loads: readonly ArmTurns[]): void {
  for (const [index, { database }] of arms.entries()) {
    watch.counters?.afterUncounted(database, loads[index]?.times.at(-1)?.toMs ?? io.clock.nowMs());
  }
}

export function tellWait(emit: RoundIo['emit']): (forMs: number) => void {
  return (forMs) => emit({ kind: 'waiting', forMs, reason: "until the arms' database counters are complete" });
}

async function attributeToPart(
  context: RoundContext,
  { load, arms, schedule, progress }: AttributedPass,
): Promise<CounterAttribution> {
  const { countersReader } = context.watch;
  const { clock, journal, emit, signal } = context.io;
  const heavierEnds = [...progress.loadEnds].flatMap(([size, atMs]) => (size > loadSize(load) ? [atMs] : []));
  const nowMs = clock.nowMs();
  const sinceAnyLoadMs = nowMs - (progress.loadEndedAtMs ?? Number.NEGATIVE_INFINITY);
  const planAfter = (sinceLoadMs: number) =>
    countersPlan({
      cycles: schedule.turnsPerArm,
      cycleMs: arms.length * schedule.turnMs,
      betweenMs: (arms.length - 1) * schedule.turnMs,
      turnMs: schedule.turnMs + schedule.latencyMs,
      sinceLoadMs,
      sinceAnyLoadMs,
      settleMs: SETTLE_MS,
    });
  const plan = planAfter(nowMs - Math.max(...heavierEnds));
  const forget = (loads: readonly ArmTurns[]): void => forgetLoad(context, arms, loads);
  if (countersReader === null) return noCounters;
  if ('none' in plan) return uncountedPass(context, arms, plan.none);
  const [first, last] = plan.pauseBefore;
  // When the sessions of any load have reported: for arms in which one holds work back at the first reading.
  const settled = planAfter(sinceAnyLoadMs);
  const again = 'none' in settled || settled.pauseBefore[0] <= first ? null : settled.pauseBefore[0];
  const pauseMsOf = new Map(plan.pauseBefore.map((cycle, index) => [cycle, plan.pauseMs[index] ?? 0]));
  if (again !== null && 'pauseMs' in settled) pauseMsOf.set(again, settled.pauseMs[0] + settled.waitMs);
  const databases = arms.map(({ database }) => database);
  const reading = createPassCounters(countersReader);
  const openedIn = new Map<string, number>();
  let held: readonly string[] = databases;
  let deltas: ReadonlyMap<string, PassDelta> | null = null;
  if (plan.waitMs > 0) {
    tellWait(emit)(plan.waitMs);
    await timed(clock, progress.phases, 'waitMs', () => clock.sleep(plan.waitMs, signal));
  }
  const startMs = clock.nowMs();
  const open = async (cycle: number): Promise<void> => {
    const asked = held;
    held = asked.length === 0 ? [] : await reading.open(asked, clock.nowMs() - startMs);
    for (const database of asked) if (!held.includes(database)) openedIn.set(database, cycle);
  };
  const why = (arm: number, { turns }: ArmTurns): UncountedReason | null => {
    const from = openedIn.get(databases[arm] ?? '');
    if (from === undefined) return 'session held back';
    if (deltas?.has(databases[arm] ?? '') === false) return 'clock set';
    // Beside other programs a turn can take longer than planned.
    return [from, last].every((turn) => isShortTurn(turns[turn]?.wallMs ?? 0)) ? null : 'turns of a second';
  };
  return {
    ...noCounters,
    afterPause: [...pauseMsOf.keys()],
    between(cycle) {
      const pauseMs = pauseMsOf.get(cycle);
      // The reading at the end of a cycle comes before the next one.
      const reads = pauseMsOf.has(cycle - 1);
      if (pauseMs === undefined && !reads) return null;
      return async () => {
        if (cycle - 1 === last) deltas = await reading.close(databases, startMs);
        else if (reads) await open(cycle - 1);
        if (pauseMs !== undefined && (cycle !== again || held.length > 0)) await clock.sleep(pauseMs, signal);
      };
    },
    why,
    write(slices, loads) {
      for (const [index, { round, slice, arm }] of slices.entries()) {
        const database = databases[index] ?? '';
        const [counted, from, load] = [deltas?.get(database), openedIn.get(database), loads[index]];
        if (counted === undefined || from === undefined || load === undefined || why(index, load) !== null) continue;
        const turns = load.turns.slice(from, last);
        const loadMs = turns.reduce((sum, { wallMs }) => sum + wallMs, 0);
        journal.append({
          type: 'counters',
          round,
          slice,
          arm,
          loadMs,
          whole: sumOutcomes(turns.map(({ whole }) => whole)),
          ...counted,
        });
      }
      forget(loads);
    },
  };
}
