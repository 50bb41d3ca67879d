import { type Left, nothingLeft } from '../../journal/left-records.ts';
import type { LengthsRecord } from '../../journal/length-records.ts';
import { underLoad } from '../../journal/load-level.ts';
import type { ShortRounds } from '../../journal/run/short-rounds.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import type { StackName } from '../stack/kinds.ts';
import type { ArmCosts } from './arm-costs.ts';
import { type Arm, plannedArms } from './arms.ts';
import { type Estimate, estimate, timeOfRounds } from './estimate.ts';
import { roundsForAnswer, VERDICT_ROUNDS } from './least-rounds.ts';
import { FEWEST_TURNS, LEAST_SLICE_MS, LEAST_TURNS } from './turn-length.ts';

/** A session as it is planned before its first round: `plan` prints it, and `sweep` follows it. */
export interface RunPlan {
  /** With the lengths of the first round, where they are the run's to choose. */
  readonly scenario: ResolvedScenario;
  readonly arms: readonly Arm[];
  /** The costs that it goes by. */
  readonly known: KnownCosts;
  /** The fewest turns that a slice of the run's own choice has. */
  readonly fewestTurns: number;
  /** Size and time of what is measured: without what left. */
  readonly estimate: Estimate;
  /** Set where slices have fewer turns than usual, or arms less warm-up: the budget has no room for the rounds that the answer needs. */
  readonly short: ShortRounds | null;
  /** Lengths that its rounds begin with; null where they are the scenario's. */
  readonly lengths: LengthsRecord | null;
}

/** Costs of a session's arms, as far as they are known before the first round. */
export interface KnownCosts {
  readonly kind: StackName;
  readonly costs: ArmCosts | null;
}

export const unknownCosts: KnownCosts = { kind: 'embedded', costs: null };

/** Parts of the usual warm-up: a shorter one costs more precision than shorter slices, and comes last. */
const WARMUP_SHARES = [0.75, 0.5, 0.4];

/**
 * Plans a new run. If the budget has no room for the rounds that the question needs, slices are shorter, with fewer turns,
 * and then warm-up too, until it has. If nothing is enough, all are as short as they may be.
 */
export function planRun(scenario: ResolvedScenario, known: KnownCosts = unknownCosts): RunPlan {
  const { load } = scenario;
  const planned = (fewestTurns: number, sliceMs: number, warmupShare = 1): RunPlan => {
    const warmupMs = Math.round(warmupShare * load.warmupMs);
    return planRest({ ...scenario, load: { ...load, sliceMs, warmupMs } }, known, { fewestTurns });
  };
  const usual = planned(FEWEST_TURNS, load.sliceMs);
  if (load.autoSlice !== true || load.settleMs !== undefined) return usual;
  const leastMs = Math.min(load.sliceMs, Math.max(LEAST_SLICE_MS, load.leastSliceMs ?? 0));
  const turns = Array.from({ length: FEWEST_TURNS - LEAST_TURNS + 1 }, (_, fewer) => FEWEST_TURNS - fewer);
  const shares = load.warmupRequests === undefined ? [] : WARMUP_SHARES;
  const choices = [
    usual,
    ...turns.map((fewest) => planned(fewest, leastMs)),
    ...shares.map((share) => planned(LEAST_TURNS, leastMs, share)),
  ];
  for (const wanted of [roundsForAnswer(scenario), Math.min(VERDICT_ROUNDS, scenario.rounds.max)]) {
    const found = choices.find((choice) => choice.estimate.rounds >= wanted);
    if (found !== undefined) return withShortness(found, usual);
  }
  return withShortness(choices.at(-1) ?? usual, usual);
}

/** Plans rounds whose lengths stand. `left`: what they do without. */
export function planRest(
  scenario: ResolvedScenario,
  known: KnownCosts = unknownCosts,
  { fewestTurns = FEWEST_TURNS, left = nothingLeft }: { readonly fewestTurns?: number; readonly left?: Left } = {},
): RunPlan {
  const { load } = scenario;
  const levels = load.levels.filter((level) => underLoad(left.levels, level).length === 0);
  const expected = estimate({ ...scenario, load: { ...load, levels } }, known.kind, known.costs, fewestTurns);
  return { scenario, arms: plannedArms(scenario), known, fewestTurns, estimate: expected, short: null, lengths: null };
}

function withShortness(plan: RunPlan, usual: RunPlan): RunPlan {
  const { warmupMs } = plan.scenario.load;
  const usualWarmupMs = usual.scenario.load.warmupMs;
  if (plan.fewestTurns === FEWEST_TURNS && warmupMs === usualWarmupMs) return plan;
  const short = {
    ...{ rounds: plan.estimate.rounds, turns: plan.fewestTurns, usualTurns: FEWEST_TURNS, warmupMs, usualWarmupMs },
    roomyBudgetMs: timeOfRounds(usual.estimate, roundsForAnswer(plan.scenario)),
  };
  return { ...plan, short };
}
