import type { Left } from '../../journal/left-records.ts';
import type { LengthsRecord } from '../../journal/length-records.ts';
import { loadKey, timedLevels } from '../../journal/load-level.ts';
import type { LoadLevel, ResolvedScenario } from '../../journal/scenario-record.ts';
import { divideTime, type LevelToTime } from './divide-time.ts';
import { BETWEEN_TURNS_SHARE } from './pass-time.ts';
import { type KnownCosts, planRest, type RunPlan } from './run-plan.ts';
import { FEWEST_TURNS, leastSliceMs } from './turn-length.ts';

/** State that a resumed run takes over from its earlier rounds. */
export interface RestOfRun {
  /** Cells and load levels that they do without. */
  readonly left: Left;
  /** The lengths that they had last; null where those are the scenario's. */
  readonly lengths: LengthsRecord | null;
  readonly roundsDone: number;
}

/** Variances of a journal are weighed against usual ones already. */
const CERTAIN_DF = Number.MAX_SAFE_INTEGER;

/**
 * Plans the rounds of a resumed run, whose slices are as long as they were last. Where one such round takes longer than
 * the budget, they are divided before it, as after any round.
 */
export function planResumed(scenario: ResolvedScenario, known: KnownCosts, rest: RestOfRun): RunPlan {
  const plan = planWith(scenario, known, rest);
  const { lengths } = rest;
  const { setUpMs, firstRoundMs } = plan.estimate;
  const fits = setUpMs + firstRoundMs <= scenario.rounds.budgetMs;
  if (fits || lengths === null || scenario.load.autoSlice !== true) return plan;
  return planWith(scenario, known, { ...rest, lengths: dividedAgain(plan, lengths, rest.roundsDone) });
}

function planWith(scenario: ResolvedScenario, known: KnownCosts, { left, lengths }: RestOfRun): RunPlan {
  const { load } = scenario;
  const timed = timedLevels(load.levels);
  const sliceMsOf = (level: LoadLevel): number =>
    lengths?.levels.find((one) => loadKey(one.load) === loadKey(level))?.sliceMs ?? load.sliceMs;
  const isChosen = timed.length > 0 && load.bounded === undefined;
  const sliceMs = isChosen ? sumOf(timed.map(sliceMsOf)) / timed.length : load.sliceMs;
  const { fewestTurns = FEWEST_TURNS } = lengths ?? {};
  const plan = planRest({ ...scenario, load: { ...load, sliceMs } }, known, { fewestTurns, left });
  return { ...plan, scenario, lengths };
}

function dividedAgain({ scenario, ...plan }: RunPlan, lengths: LengthsRecord, roundsDone: number): LengthsRecord {
  const { load, rounds } = scenario;
  const leastMs = leastSliceMs(load, plan.known.costs?.latencyMs ?? 0, plan.fewestTurns);
  const levels = lengths.levels.map(({ withinPerS, between, leastTurnMs, longestMs, ...level }): LevelToTime => {
    const hidden = leastTurnMs === undefined || longestMs === undefined ? {} : { hidden: { leastTurnMs, longestMs } };
    const noise = { withinPerS, between: { variance: between, df: CERTAIN_DF }, countedPerS: 0, waits: null };
    return { ...level, ...hidden, leastMs, firstMs: load.sliceMs, spread: { load: level.load, ...noise } };
  });
  const { setUpMs, firstRoundMs, roundMs } = plan.estimate;
  const costPerMs = (1 + BETWEEN_TURNS_SHARE) * plan.arms.length;
  const divided = divideTime({
    levels,
    besideMs: roundMs - costPerMs * sumOf(levels.map(({ sliceMs }) => sliceMs)),
    costPerMs,
    leftMs: rounds.budgetMs - setUpMs - (firstRoundMs - roundMs),
    roundsDone,
    mostRounds: rounds.max,
  });
  const sliceMsOf = (index: number, before: number): number => Math.min(before, divided[index]?.sliceMs ?? before);
  return {
    ...lengths,
    levels: lengths.levels.map((level, index) => ({ ...level, sliceMs: sliceMsOf(index, level.sliceMs) })),
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
