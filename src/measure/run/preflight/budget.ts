import { formatDuration, formatDurations } from '../../../base/units.ts';
import { loadKind, loadSize } from '../../../journal/load-level.ts';
import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import { type Finding, ok, warning } from '../../finding.ts';
import { type Estimate, longest, timeOfRounds } from '../../plan/estimate.ts';
import { roundsForAnswer, VERDICT_ROUNDS } from '../../plan/least-rounds.ts';
import { levelPlan } from '../../plan/level-plan.ts';
import { QUICK_MS } from '../../plan/quick.ts';
import { type KnownCosts, planRun, unknownCosts } from '../../plan/run-plan.ts';

/** Checks if the expected number of rounds is enough for an answer, and a quick run is quick. */
export function examineBudget(
  scenario: ResolvedScenario,
  plan: Estimate,
  quick = false,
  known: KnownCosts = unknownCosts,
): Finding {
  const { max, budgetMs, settleWithinMs } = scenario.rounds;
  const needs = formatDuration(Math.ceil(plan.totalMs / 1000) * 1000);
  const counted = `${plan.rounds} round${plan.rounds === 1 ? '' : 's'}`;
  const limit =
    budgetMs < Number.MAX_SAFE_INTEGER
      ? ` of a budget of ${formatDuration(budgetMs)}${settleWords(settleWithinMs)}`
      : '';
  const found = `about ${counted} in ${needs}${limit}${rangeWords(plan)}`;
  if (quick && plan.totalMs > QUICK_MS) {
    const starts = formatDuration(Math.ceil(plan.armsMs / 1000) * 1000);
    return warning(
      'budget',
      `this quick run takes about ${needs} instead of ${formatDuration(QUICK_MS)}: ${starts} to start and stop ${plan.arms} arms`,
      'With fewer variants it is quicker.',
    );
  }
  if (plan.totalMs > (settleWithinMs ?? budgetMs))
    return warning('budget', `one round alone takes about ${needs}${limit}`, waysOut(scenario, plan, known));
  const needed = roundsForAnswer(scenario);
  if (plan.rounds >= needed || max < VERDICT_ROUNDS) return ok('budget', found);
  const wanted = [
    ...(plan.rounds < VERDICT_ROUNDS ? [`verdicts need ${VERDICT_ROUNDS} rounds`] : []),
    ...(needed > VERDICT_ROUNDS ? [`a decision needs ${needed}`] : []),
  ];
  return warning('budget', `${found}: ${wanted.join(', ')}`, waysOut(scenario, plan, known));
}

/** `, up to 15 min while that should settle what is open`; empty where no time is added. */
export function settleWords(settleWithinMs: number | undefined): string {
  if (settleWithinMs === undefined) return '';
  return `, up to ${formatDuration(settleWithinMs)} while that should settle what is open`;
}

/** ` (the first takes 1 min 20 s to 4 min 20 s, each other one 1 min to 3 min 50 s, by where the limits lie)` */
function rangeWords({ bounds }: Estimate): string {
  if (bounds === undefined) return '';
  const [first, later] = [bounds.firstRoundMs, bounds.roundMs].map(formatDurations);
  return ` (the first takes ${first}, each other one ${later}, by where the limits lie)`;
}

/** Each way to have as many rounds as the answer needs: more time, fewer variants, or fewer load levels. */
function waysOut(scenario: ResolvedScenario, plan: Estimate, known: KnownCosts): string {
  const needed = roundsForAnswer(scenario);
  // No round takes exactly as long as expected.
  const minutes = Math.ceil((1.05 * timeOfRounds(longest(plan), needed)) / 60_000);
  const isEnough = (changed: ResolvedScenario): boolean => planRun(changed, known).estimate.rounds >= needed;
  // A budget beyond the time to settle what is open would be refused.
  const longer = scenario.rounds.settleWithinMs === undefined ? 'budget' : 'settle-within';
  const ways = [`--${longer} ${minutes}m`, fewerVariants(scenario, isEnough), fewerLevels(scenario, isEnough)];
  return `Enough would be ${ways.filter((way) => way !== null).join(', or ')}.`;
}

type IsEnough = (changed: ResolvedScenario) => boolean;

function fewerVariants(scenario: ResolvedScenario, isEnough: IsEnough): string | null {
  const own = scenario.variants.filter(({ name }) => name === scenario.control);
  const others = scenario.variants.filter(({ name }) => name !== scenario.control);
  for (let fewer = 1; fewer < others.length; fewer++) {
    const variants = [...own, ...others.slice(fewer)];
    if (isEnough({ ...scenario, variants })) return fewer === 1 ? '1 variant fewer' : `${fewer} variants fewer`;
  }
  return null;
}

/** The heaviest load levels alone. */
function fewerLevels(scenario: ResolvedScenario, isEnough: IsEnough): string | null {
  const { load } = scenario;
  if (!levelPlan(load).areFixed) return null;
  const bySize = [...load.levels].sort((a, b) => loadSize(b) - loadSize(a));
  for (let count = bySize.length - 1; count > 0; count--) {
    const kept = bySize.slice(0, count);
    const levels = load.levels.filter((level) => kept.includes(level));
    if (!isEnough({ ...scenario, load: { ...load, levels } })) continue;
    const isPlain = levels.every(
      (level) => level.workload === undefined && loadKind(level) === loadKind(levels[0] ?? level),
    );
    const [first] = levels;
    return isPlain && first !== undefined
      ? `load.${loadKind(first)}: [${levels.map(loadSize).join(', ')}]`
      : `${count} load level${count === 1 ? '' : 's'}`;
  }
  return null;
}
