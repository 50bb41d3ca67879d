import type { ResolvedScenario } from '../journal/scenario-record.ts';
import { armsOf } from './arms.ts';
import { counterWaits } from './counter-waits.ts';

/**
 * What things cost besides load, on the two-core machine that the bench was built on. A run replaces these by its own
 * measured round after the first one.
 */
const SET_UP_MS = 5000;
/** 5 to 8 s on an idle machine; to fetch it, the first time, is not in it. */
const START_OPENSEARCH_MS = 7000;
const START_ARM_MS = 1100;
const SLICE_OVERHEAD_MS = 150;
const STOP_ARM_MS = 250;

/** What a run is expected to take. */
export interface Estimate {
  readonly arms: number;
  readonly cells: number;
  readonly slicesPerRound: number;
  readonly setUpMs: number;
  readonly roundMs: number;
  /** Rounds that fit into the budget, at most the scenario's own maximum. */
  readonly rounds: number;
  readonly totalMs: number;
}

/** The estimate for a dry run. `totalMs` is of the longest run: a sweep stops as soon as it has its verdicts. */
export function estimate(scenario: ResolvedScenario): Estimate {
  const arms = armsOf(scenario).length;
  const { load, rounds } = scenario;
  const slicesPerRound = arms * load.levels.length * load.slicesPerRound;
  const started = scenario.target.kind === 'url' ? 0 : arms;
  const searchMs = scenario.stack.opensearch ? START_OPENSEARCH_MS : 0;
  const setUpMs = started === 0 ? 500 : SET_UP_MS + searchMs;
  const waits = counterWaits(scenario);
  const waitMs = started > 0 && waits.worthwhile ? waits.waitMs : 0;
  const loadMs = arms * load.warmupMs + slicesPerRound * (load.sliceMs + SLICE_OVERHEAD_MS);
  const roundMs = started * (START_ARM_MS + STOP_ARM_MS) + loadMs + waitMs;
  const fitting = Math.floor((rounds.budgetMs - setUpMs) / roundMs);
  const expected = Math.max(1, Math.min(rounds.max, fitting));
  return {
    arms,
    cells: scenario.variants.length * load.levels.length,
    slicesPerRound,
    setUpMs,
    roundMs,
    rounds: expected,
    totalMs: setUpMs + expected * roundMs,
  };
}
