import { formatDuration } from '../base/units.ts';
import type { ResolvedScenario } from '../journal/scenario-record.ts';
import { looks } from '../judge/stats/looks.ts';
import { type Estimate, longest, timeOfRounds } from '../measure/plan/estimate.ts';
import { settleWords } from '../measure/run/preflight/budget.ts';

/** The lines of a plan about how many rounds a run has, and how long it takes at most. */
export function lengthLines({ rounds }: Pick<ResolvedScenario, 'rounds'>, plan: Estimate): string[] {
  const { min, max, budgetMs, settleWithinMs } = rounds;
  const isLimited = budgetMs < Number.MAX_SAFE_INTEGER;
  const limit = isLimited ? `, budget ${formatDuration(budgetMs)}${settleWords(settleWithinMs)}` : '';
  const most = settleWithinMs === undefined ? plan.rounds : max;
  const withinMs = settleWithinMs ?? budgetMs;
  const mostMs = Math.max(plan.totalMs, Math.min(timeOfRounds(longest(plan), most), withinMs));
  return [
    `rounds: ${min === max ? `${max}` : `${min} to ${max}`}${limit}: about ${plan.rounds}${fewerWords(rounds)}`,
    `expected: at most ${(mostMs / 60_000).toFixed(1)} minutes`,
  ];
}

/** When a run has fewer rounds than expected; empty where their number is fixed. After the last look no verdicts end a run. */
function fewerWords({ min, max }: ResolvedScenario['rounds']): string {
  if (min === max) return '';
  const last = looks.at(-1) ?? 0;
  return `, fewer if all verdicts come ${max > last ? `by round ${last}` : 'earlier'}`;
}
