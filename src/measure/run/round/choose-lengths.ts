import type { HiddenWaits, LengthsRecord, Spreads, TurnWaits, WarmupLength } from '../../../journal/length-records.ts';
import { loadKey, timedLevels } from '../../../journal/load-level.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import { divideTime, hasRoomFor, type LevelToTime, type TimeToDivide } from '../../plan/divide-time.ts';
import { roundsForAnswer, VERDICT_ROUNDS } from '../../plan/least-rounds.ts';
import { levelPlan } from '../../plan/level-plan.ts';
import { FEWEST_TURNS, LEAST_TURNS, leastSliceMs, leastTurnMs } from '../../plan/turn-length.ts';
import { heaviestLevels, longerWarmup, warmupAfter } from '../../plan/warmup-length.ts';
import { takesWholeSlices, wholeSliceMs } from '../../plan/whole-slices.ts';
import type { RoundContext } from './round-context.ts';
import type { RoundCosts } from './round-costs.ts';

/** A longer warm-up leaves room for this many rounds, where the budget has it. */
const WANTED_ROUNDS = 6;

export interface AfterRound {
  readonly round: number;
  readonly spreads: Spreads;
  readonly costs: RoundCosts;
  /** How much of the budget is left. */
  readonly leftMs: number;
  /** True if the run's lengths were chosen before: then warm-up only gets longer. */
  readonly again: boolean;
}

/**
 * Chooses how long slices are from the next round on, how long turns are at least where those of all rounds together hide
 * waits, and how long warm-up is: after a run's first round, and longer where rates still grow. Writes it down and returns it. Nothing is chosen that the scenario names: then it is null.
 */
export function chooseLengths(
  context: RoundContext,
  { round, spreads, costs, leftMs, again }: AfterRound,
): LengthsRecord | null {
  const { scenario, arms, lineUp } = context;
  const { schedule } = context.load;
  const { load, rounds } = scenario;
  const choosesWarmup = !again && load.warmupRequests !== undefined && spreads.warmups.length > 0;
  const timed = timedLevels(context.load.levels.levels);
  const levels = lineUp?.inOrder(timed) ?? timed;
  const spreadOf = new Map(spreads.levels.map((spread) => [loadKey(spread.load), spread]));
  const hiddenIn = (waits: TurnWaits | null = null): HiddenWaits | null =>
    (load.turn ?? 'auto') === 'auto' ? hiddenWaits(waits) : null;
  const hiddenBy = (level: LoadLevel): HiddenWaits | null => hiddenIn(spreadOf.get(loadKey(level))?.waits);
  const found = hiddenIn(spreads.found);
  const hides = found !== null || levels.some((level) => hiddenBy(level) !== null || schedule.hidesWaits(level));
  const longer = again ? longerWarmups(context, { round, spreads, costs, leftMs }, levels) : [];
  if (load.autoSlice !== true && !choosesWarmup && longer.length === 0 && !hides) return null;
  if (choosesWarmup) {
    const eachMs = spreads.warmups.map((spread) => {
      const own = levels.filter(({ workload }) => workload === spread.workload);
      const warmup = warmupAfter(spread, own.map(schedule.sliceMs));
      schedule.take({ warmups: [warmup], levels: [] });
      return warmup.requests === null ? warmup.mostMs : (1000 * warmup.requests) / spread.perS;
    });
    costs.expectWarmup(eachMs.reduce((sum, ms) => sum + ms, 0));
  }
  const besideMs = costs.besideMs(arms.length);
  const timedWith = (turns: number): LevelToTime[] =>
    levels.map((level) => {
      const hidden = load.autoSlice === true ? hiddenBy(level) : null;
      return {
        load: level,
        sliceMs: schedule.sliceMs(level),
        firstMs: takesWholeSlices(load, level) ? wholeSliceMs(load, level) : load.sliceMs,
        leastMs: leastSliceMs(load, schedule.of(level)?.latencyMs ?? 0, turns),
        spread: load.autoSlice === true ? (spreadOf.get(loadKey(level)) ?? null) : null,
        ...(lineUp !== undefined && { share: lineUp.shareOf(level) }),
        ...(hidden !== null && { hidden }),
      };
    });
  const timeWith = (turns: number): TimeToDivide => ({
    // A number of requests takes what it takes.
    levels: levelPlan(load).areFixed && load.bounded === undefined ? timedWith(turns) : [],
    besideMs,
    costPerMs: costs.costPerMs(),
    leftMs,
    roundsDone: round,
    mostRounds: rounds.max,
  });
  const fewestTurns = load.autoSlice === true ? turnsWithRoom(timeWith, roundsForAnswer(scenario)) : FEWEST_TURNS;
  const lengths: LengthsRecord = {
    type: 'lengths',
    round,
    warmups: heaviestLevels(levels).map(schedule.warmup),
    besideMs,
    // Slices of levels that are found are as long as the scenario says.
    levels: divideTime(timeWith(fewestTurns)).map((level) => ({ ...level, ...hiddenBy(level.load) })),
    ...(found !== null && { found }),
    ...((fewestTurns < FEWEST_TURNS || schedule.fewestTurns() < FEWEST_TURNS) && { fewestTurns }),
  };
  schedule.take(lengths);
  context.io.journal.append(lengths);
  return lengths;
}

/**
 * The fewest turns of a slice: as many as usual where the budget has room for the rounds that an answer needs, else as many
 * as leave room for them. Where none do, the rounds that verdicts need are tried, and else they are as few as may be.
 */
function turnsWithRoom(timeWith: (turns: number) => TimeToDivide, rounds: number): number {
  for (const wanted of [rounds, VERDICT_ROUNDS]) {
    for (let turns = FEWEST_TURNS; turns >= LEAST_TURNS; turns--) if (hasRoomFor(timeWith(turns), wanted)) return turns;
  }
  return LEAST_TURNS;
}

/** Takes a longer warm-up for each workload whose rate still grows, as far as six rounds have room for it, and returns them. */
function longerWarmups(
  { scenario, arms, load: { schedule } }: RoundContext,
  { round, spreads, costs, leftMs }: Omit<AfterRound, 'again'>,
  levels: readonly LoadLevel[],
): WarmupLength[] {
  if (scenario.load.warmupRequests === undefined) return [];
  const slicesMs = levels.reduce((sum, level) => sum + schedule.sliceMs(level), 0);
  const roundMs = costs.besideMs(arms.length) + costs.costPerMs() * slicesMs;
  const rounds = Math.max(1, Math.min(scenario.rounds.max, WANTED_ROUNDS) - round);
  let roomMs = (leftMs / rounds - roundMs) / arms.length;
  return heaviestLevels(levels).flatMap((level) => {
    const trend = spreads.trends?.find(({ workload }) => workload === level.workload);
    const before = schedule.warmup(level);
    const after = trend === undefined ? null : longerWarmup(before, trend, roomMs);
    if (trend === undefined || after === null) return [];
    const moreMs = (1000 * ((after.requests ?? 0) - (before.requests ?? 0))) / trend.perS;
    roomMs -= moreMs;
    costs.lengthenWarmup(moreMs);
    schedule.take({ warmups: [after], levels: [] });
    return [after];
  });
}

/** Null where the turns that were seen hid no waits. */
function hiddenWaits(waits: TurnWaits | null): HiddenWaits | null {
  const leastMs = waits && leastTurnMs(waits);
  return waits === null || leastMs === null ? null : { leastTurnMs: leastMs, longestMs: waits.longestMs };
}
