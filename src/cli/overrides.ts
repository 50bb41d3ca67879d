import type { ResolvedScenario } from '../journal/scenario-record.ts';
import { withFirstSlices } from '../measure/plan/first-slices.ts';
import { quickScenario } from '../measure/plan/quick.ts';

/** Parts of a scenario that the command line may change. */
export interface Overrides {
  readonly rounds?: number;
  readonly budget?: number;
  readonly quick?: boolean;
}

/** The scenario with the command line's rounds, budget and length. With `rounds` alone there is no time limit. */
export function applyOverrides(scenario: ResolvedScenario, { rounds, budget, quick }: Overrides): ResolvedScenario {
  const base = quick ? quickScenario(scenario) : scenario;
  return withFirstSlices({
    ...base,
    rounds: {
      ...base.rounds,
      min: rounds ?? base.rounds.min,
      max: rounds ?? base.rounds.max,
      budgetMs: budget ?? (rounds === undefined ? base.rounds.budgetMs : Number.MAX_SAFE_INTEGER),
    },
  });
}
