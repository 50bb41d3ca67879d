import { PgsweepError } from '../base/errors.ts';
import { present } from '../base/present.ts';
import { formatDuration } from '../base/units.ts';
import type { ResolvedScenario, RoundsSpec } from '../journal/scenario-record.ts';
import { withFirstSlices } from '../measure/plan/first-slices.ts';
import { quickScenario } from '../measure/plan/quick.ts';

/** Parts of a scenario that the command line may change. */
export interface Overrides {
  readonly rounds?: number;
  readonly budget?: number;
  readonly settleWithin?: number;
  readonly quick?: boolean;
}

/**
 * The scenario with the command line's rounds, budget and length. With `rounds` alone there is no time limit. Throws
 * PgsweepError `usage` where the time to settle what is open is no longer than the budget.
 */
export function applyOverrides(scenario: ResolvedScenario, overrides: Overrides): ResolvedScenario {
  return withFirstSlices(withRounds(scenario, overrides));
}

/**
 * The scenario of a resumed run with the command line's rounds and budget. Slices stay as recorded, since the number of
 * arms in a round depends on their length. A longer budget replaces the recorded time to settle what is open. Without any of
 * these options, it has the rounds and the budget of the session that was interrupted (`leftOpen`; null where none was). Throws
 * PgsweepError as `applyOverrides` does.
 */
export function resumedWith(
  scenario: ResolvedScenario,
  overrides: Omit<Overrides, 'quick'>,
  leftOpen: RoundsSpec | null,
): ResolvedScenario {
  const { settleWithinMs = 0, ...rounds } = scenario.rounds;
  const { budget = 0, settleWithin } = overrides;
  const isAsked = (overrides.rounds ?? overrides.budget ?? settleWithin) !== undefined;
  if (!isAsked && leftOpen !== null) return { ...scenario, rounds: leftOpen };
  const isPassed = settleWithin === undefined && settleWithinMs <= budget;
  return withRounds(isPassed ? { ...scenario, rounds } : scenario, overrides);
}

/** The options of a command about the length of a run, as they may be typed, each with a space before; empty where there are none. */
export function lengthOptions({ rounds, budget, settleWithin }: Omit<Overrides, 'quick'>): string {
  return present([
    rounds !== undefined && ` --rounds ${rounds}`,
    budget !== undefined && ` --budget ${typedDuration(budget)}`,
    settleWithin !== undefined && ` --settle-within ${typedDuration(settleWithin)}`,
  ]).join('');
}

function typedDuration(durationMs: number): string {
  if (durationMs % 60_000 === 0) return `${durationMs / 60_000}m`;
  return durationMs % 1000 === 0 ? `${durationMs / 1000}s` : `${durationMs}ms`;
}

function withRounds(scenario: ResolvedScenario, overrides: Overrides): ResolvedScenario {
  const { rounds, budget, quick } = overrides;
  const base = quick ? quickScenario(scenario) : scenario;
  const { settleWithinMs: ofScenario, ...own } = base.rounds;
  const isFixed = quick === true || (rounds !== undefined && budget === undefined);
  const settleWithinMs = isFixed ? undefined : (overrides.settleWithin ?? ofScenario);
  const budgetMs = budget ?? (rounds === undefined ? base.rounds.budgetMs : Number.MAX_SAFE_INTEGER);
  return {
    ...base,
    rounds: {
      ...own,
      min: rounds ?? own.min,
      max: rounds ?? own.max,
      budgetMs,
      ...settlesWithin(settleWithinMs, budgetMs),
    },
  };
}

function settlesWithin(settleWithinMs: number | undefined, budgetMs: number): Pick<RoundsSpec, 'settleWithinMs'> {
  if (settleWithinMs === undefined) return {};
  if (settleWithinMs > budgetMs) return { settleWithinMs };
  const [within, budget] = [formatDuration(settleWithinMs), formatDuration(budgetMs)];
  throw new PgsweepError(
    'usage',
    `the time to settle what is open (${within}) is no longer than the budget (${budget})`,
    {
      hint: 'It counts from the start of the run, as the budget does: --budget 10m --settle-within 15m.',
    },
  );
}
