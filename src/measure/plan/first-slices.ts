import type { ShortRounds } from '../../journal/run/short-rounds.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import type { StackName } from '../stack/kinds.ts';
import type { ArmCosts } from './arm-costs.ts';
import { plannedArms } from './arms.ts';
import { type Estimate, estimate, timeOfRounds } from './estimate.ts';
import { roundsForAnswer, VERDICT_ROUNDS } from './least-rounds.ts';
import { FEWEST_TURNS, LEAST_LIVE_SLICE_MS, LEAST_SLICE_MS, LEAST_TURNS } from './turn-length.ts';

const LONGEST_MS = 5000;
const WANTED_ROUNDS = 6;

/** The scenario with slices of the first round that let six rounds fit into the budget, where they are the run's to choose. */
export function withFirstSlices(scenario: ResolvedScenario): ResolvedScenario {
  const { load, rounds } = scenario;
  if (load.autoSlice !== true) return scenario;
  const { setUpMs, firstRoundMs, roundMs } = estimate(scenario);
  const onceMs = setUpMs + firstRoundMs - roundMs;
  const tooMuchMs = roundMs - (rounds.budgetMs - onceMs) / Math.min(WANTED_ROUNDS, rounds.max);
  const slices = plannedArms(scenario).length * load.levels.length;
  const wantedMs = Math.floor(load.sliceMs - tooMuchMs / slices);
  const sliceMs =
    load.settleMs === undefined
      ? Math.max(LEAST_SLICE_MS, load.leastSliceMs ?? 0, Math.min(LONGEST_MS, wantedMs))
      : Math.max(LEAST_LIVE_SLICE_MS, Math.min(load.sliceMs, wantedMs));
  return { ...scenario, load: { ...load, sliceMs } };
}

/** Costs of a session's arms, as far as they are known before the first round. */
export interface KnownCosts {
  readonly kind: StackName;
  readonly costs: ArmCosts | null;
}

/** Lengths of the first round, chosen by what this session's own services take. */
export interface FirstRound {
  /** With them, where they are the run's to choose. */
  readonly scenario: ResolvedScenario;
  readonly fewestTurns: number;
  readonly plan: Estimate;
  /** True where slices have fewer turns than usual, or arms less warm-up, since the budget has no room for the rounds that the answer needs. */
  readonly isShort: boolean;
}

/** Parts of the usual warm-up: a shorter one costs more precision than shorter slices, and comes last. */
const WARMUP_SHARES = [0.75, 0.5, 0.4];

/**
 * The first round of a session. If the budget has no room for the rounds that the question needs, slices are shorter, with
 * fewer turns, and then warm-up too, until it has. If nothing is enough, all are as short as they may be.
 */
export function firstRound(scenario: ResolvedScenario, { kind, costs }: KnownCosts): FirstRound {
  const { load } = scenario;
  const planned = (fewestTurns: number, sliceMs: number, warmupShare = 1): FirstRound => {
    const warmupMs = Math.round(warmupShare * load.warmupMs);
    const own = { ...scenario, load: { ...load, sliceMs, warmupMs } };
    const isShort = fewestTurns < FEWEST_TURNS || warmupShare < 1;
    return { scenario: own, fewestTurns, plan: estimate(own, kind, costs, fewestTurns), isShort };
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
    const found = choices.find(({ plan }) => plan.rounds >= wanted);
    if (found !== undefined) return found;
  }
  return choices.at(-1) ?? usual;
}

/** Short rounds beside those of the usual length. */
export function shortRounds(
  scenario: ResolvedScenario,
  known: KnownCosts,
  { plan, ...first }: FirstRound,
): ShortRounds {
  const usual = estimate(scenario, known.kind, known.costs);
  return {
    rounds: plan.rounds,
    turns: first.fewestTurns,
    usualTurns: FEWEST_TURNS,
    warmupMs: first.scenario.load.warmupMs,
    usualWarmupMs: scenario.load.warmupMs,
    roomyBudgetMs: timeOfRounds(usual, roundsForAnswer(scenario)),
  };
}
