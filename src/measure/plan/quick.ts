import { isGenerated } from '../../journal/sample.ts';
import type { BoundedSpec, BulkSpec, ResolvedScenario } from '../../journal/scenario-record.ts';
import { plannedArms } from './arms.ts';
import { levelPlan } from './level-plan.ts';

/** A quick run ends within this, unless its services start slowly. */
export const QUICK_MS = 90_000;
/** All slices of a quick run together, so that it ends in under 90 s with boot, warm-up and stop. */
const QUICK_SLICES_MS = 30_000;
const QUICK_WARMUP_MS = 1500;
const QUICK_DOCUMENTS = 1000;
const QUICK_REQUESTS = 100;
const QUICK_LIMIT_MS = 10_000;

/** The scenario cut down to one short round: it shows that everything works, and can give no verdict. */
export function quickScenario(scenario: ResolvedScenario): ResolvedScenario {
  const arms = plannedArms(scenario).length;
  const { bulk, bounded } = scenario.load;
  const { triedFirst, mostInRound } = levelPlan(scenario.load);
  const slices = arms * (triedFirst + mostInRound);
  const sliceMs = Math.min(scenario.load.sliceMs, Math.max(500, Math.floor(QUICK_SLICES_MS / slices)));
  const { autoSlice: _, ...load } = scenario.load;
  return {
    ...scenario,
    rounds: { ...scenario.rounds, min: 1, max: 1 },
    load: {
      ...load,
      ...(bulk !== undefined && { bulk: quickBulk(bulk) }),
      sliceMs,
      ...(load.forMs !== undefined && { forMs: sliceMs }),
      warmupMs: Math.min(scenario.load.warmupMs, QUICK_WARMUP_MS),
      ...(bounded !== undefined && { bounded: quickBounded(bounded) }),
    },
  };
}

function quickBounded({ count, limitMs }: BoundedSpec): BoundedSpec {
  return { count: Math.min(count, QUICK_REQUESTS), limitMs: Math.min(limitMs, QUICK_LIMIT_MS) };
}

/** A folder is loaded whole: what part of it stands by itself is not known. */
function quickBulk(bulk: BulkSpec): BulkSpec {
  const { dataset } = bulk;
  if (!isGenerated(dataset)) return bulk;
  return { ...bulk, dataset: { ...dataset, documents: Math.min(dataset.documents, QUICK_DOCUMENTS) } };
}
