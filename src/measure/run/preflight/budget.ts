import { formatDuration } from '../../../base/units.ts';
import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import { type Finding, ok, warning } from '../../finding.ts';
import type { Estimate } from '../../plan/estimate.ts';
import { QUICK_MS } from '../../plan/quick.ts';

/** Before it there are no verdicts. */
export const LEAST_ROUNDS = 4;

/** Checks if the expected number of rounds is enough for verdicts, and a quick run is quick. */
export function examineBudget({ rounds }: Pick<ResolvedScenario, 'rounds'>, plan: Estimate, quick = false): Finding {
  const { max, budgetMs } = rounds;
  const needs = formatDuration(Math.ceil(plan.totalMs / 1000) * 1000);
  const counted = `${plan.rounds} round${plan.rounds === 1 ? '' : 's'}`;
  const limit = budgetMs < Number.MAX_SAFE_INTEGER ? ` of a budget of ${formatDuration(budgetMs)}` : '';
  const found = `about ${counted} in ${needs}${limit}`;
  const advice = 'Give more (--budget 30m), or have fewer variants, fewer load levels or shorter slices.';
  if (quick && plan.totalMs > QUICK_MS) {
    const starts = formatDuration(Math.ceil(plan.armsMs / 1000) * 1000);
    return warning(
      'budget',
      `this quick run takes about ${needs} instead of ${formatDuration(QUICK_MS)}: ${starts} to start and stop ${plan.arms} arms`,
      'With fewer variants it is quicker.',
    );
  }
  if (plan.totalMs > budgetMs) return warning('budget', `one round alone takes about ${needs}${limit}`, advice);
  if (plan.rounds < LEAST_ROUNDS && max >= LEAST_ROUNDS)
    return warning('budget', `${found}: verdicts need ${LEAST_ROUNDS} rounds`, advice);
  return ok('budget', found);
}
