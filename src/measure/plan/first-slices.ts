import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { plannedArms } from './arms.ts';
import { estimate } from './estimate.ts';
import { LEAST_LIVE_SLICE_MS, LEAST_SLICE_MS } from './turn-length.ts';

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
