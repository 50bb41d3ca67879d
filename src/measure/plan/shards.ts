import { PgsweepError } from '../../base/errors.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { estimate } from './estimate.ts';
import { levelPlan } from './level-plan.ts';
import { takesWholeSlices, wholeSliceMs } from './whole-slices.ts';

/**
 * The scenario as each of this many shards runs it: with everything fixed beforehand that a run by itself sets as it goes, so
 * that no machine's results have a say in what is measured there or elsewhere. Slices have the length of the first round, in
 * all rounds, and so has the warm-up. As many rounds together as are asked for; of a scenario whose budget would end it
 * before, as many as by the estimate fit into that budget on this many machines, and nothing ends them earlier.
 * Throws PgsweepError `usage` where shards would be without a round, or the scenario cannot be divided.
 */
export function shardedScenario(scenario: ResolvedScenario, shards: number): ResolvedScenario {
  const { rounds, load } = scenario;
  if (scenario.slots !== undefined) {
    throw new PgsweepError('usage', 'a run that proposes its variants cannot be divided among machines', {
      hint: 'Each of its rounds has variants that those before led to. Name the variants instead.',
    });
  }
  if (!levelPlan(load).areFixed) {
    throw new PgsweepError('usage', 'a search for capacities cannot be divided among machines', {
      hint: 'Each of its rounds looks where those before have found the limits. Name load levels instead of load.capacity.',
    });
  }
  const fixed = withFixedSlices(scenario);
  const fitting = Math.max(shards * estimate(fixed).rounds, rounds.min);
  const max = Math.min(rounds.max, fitting);
  if (max < shards) {
    throw new PgsweepError('usage', `${shards} shards cannot share ${max} rounds: each has one at least`, {
      hint: `Ask for more rounds (--rounds ${4 * shards}), or for fewer shards.`,
    });
  }
  return { ...fixed, rounds: { ...rounds, min: max, max, budgetMs: Number.MAX_SAFE_INTEGER } };
}

/** Where arms have whole slices, the longest of the load levels' is that of all. */
function withFixedSlices(scenario: ResolvedScenario): ResolvedScenario {
  const { autoSlice, ...load } = scenario.load;
  if (autoSlice === undefined) return scenario;
  const whole = load.levels.filter((level) => takesWholeSlices(load, level));
  const sliceMs = Math.max(load.sliceMs, ...whole.map((level) => wholeSliceMs(scenario.load, level)));
  return { ...scenario, load: { ...load, sliceMs } };
}
