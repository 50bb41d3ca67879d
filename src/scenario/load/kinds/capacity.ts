import { z } from 'zod';
import { strict } from '../../../base/schema-values.ts';
import type { CapacitySpec } from '../../../journal/capacity/capacity-spec.ts';
import { isWhole } from '../../../journal/load-level.ts';
import { type LoadAxis, loadAxes } from '../../../journal/load-traits.ts';
import { housekeepingSettings, housekeepingVaried } from '../../../journal/postgres/housekeeping.ts';
import type { Target, Variant } from '../../../journal/scenario-record.ts';
import { oneOf } from '../../checks.ts';
import type { Problem } from '../../problem.ts';
import { type Around, eachRefused, type KindOfLoad, type Written } from '../kind.ts';
import { checkLimits, metricLimits } from '../limits.ts';
import { openLoopUpTo, type RateDocument } from './rate.ts';

const RANGE = 'expected a range such as 10..2000';
/** As of load levels. */
const most = { connections: 10_000, rate: 100_000, users: 10_000 } as const;

const range = z
  .string({ error: RANGE })
  .regex(/^\d+(\.\d+)?\.\.\d+(\.\d+)?$/, { error: RANGE })
  .meta({ title: 'range' })
  .transform((text) => text.split('..').map(Number));

const schema = strict({
  connections: range.optional().describe('from the fewest to the most client connections: 10..2000'),
  rate: range.optional().describe('from the fewest to the most requests/s: 50..5000'),
  users: range
    .optional()
    .describe('from the fewest to the most users, who go through the script with its pauses: 10..2000'),
  until: metricLimits(
    'limits that a sustained load keeps: p50_ms, p95_ms, p99_ms, mean_ms (200 or 200ms), failed (1%), service_cpu (85% of one CPU), or a value under What probes saw in report.md',
  ),
});

const keys = {
  capacity: schema
    .optional()
    .describe('in place of load levels: find out how much load each variant sustains before it breaks a limit'),
};

type CapacityDocument = Written<typeof keys>;

/** The question how much load each variant sustains. */
export const capacity = {
  keys,
  takesOver: true,
  fixesSlices: true,
  recommendsNothing: true,
  refuses: eachRefused(
    ['connections', 'rate', 'users', 'count', 'bulk', 'reads'],
    (key) => `load.${key}: load.capacity finds its load levels itself`,
  ),
  isWhole: (load: CapacityDocument) => axisOf(load) !== 'connections',
  standsFor: axisOf,
  levels(load: CapacityDocument & RateDocument & { readonly script?: unknown }, { problems, target }: Around) {
    const found = spec(load, target, problems);
    if (found.of === 'users' && load.script === undefined)
      problems.push({
        path: ['load', 'capacity', 'users'],
        message: 'load.capacity.users: expected load.script, which says what they do',
      });
    // How many may fail is a limit of the question itself.
    const common = { levels: [], capacity: found, maxFailedPercent: 100 };
    return found.of === 'rate' ? { ...common, openLoop: openLoopUpTo(found.to, load) } : common;
  },
  mistakes({ question, cost }: { readonly question?: string; readonly cost?: unknown }, variants: readonly Variant[]) {
    const problems: Problem[] = [];
    if (question === 'best')
      problems.push({
        path: ['question'],
        message: 'question: best is about load levels, and load.capacity looks for them: expected changes',
      });
    if (cost !== undefined)
      problems.push({
        path: ['cost'],
        message: 'cost decides which setting is the cheapest to take, and load.capacity recommends none',
      });
    const slow = variants.find((variant) => housekeepingSettings(variant).size > 0);
    if (slow !== undefined)
      problems.push({
        path: ['load', 'capacity'],
        message: `load.capacity: expected load.connections, load.rate or load.users: a search has slices of seconds, and ${housekeepingVaried(variants).join(', ')} of "${slow.name}" shows over minutes`,
      });
    return problems;
  },
} satisfies KindOfLoad;

function axisOf({ capacity: asked }: CapacityDocument): LoadAxis {
  return loadAxes.find((axis) => asked?.[axis] !== undefined) ?? 'connections';
}

function spec(load: CapacityDocument, target: Target, problems: Problem[]): CapacitySpec {
  const asked: NonNullable<CapacityDocument['capacity']> = load.capacity ?? { until: [] };
  const of = oneOf(asked, loadAxes, ['load', 'capacity'], problems) ?? 'connections';
  const [from = 1, to = 2] = asked[of] ?? [];
  const areWhole = !isWhole(of) || (Number.isInteger(from) && Number.isInteger(to));
  if (!(from >= 1 && to > from && to <= most[of] && areWhole)) {
    problems.push({
      path: ['load', 'capacity', of],
      message: `load.capacity.${of}: expected a range${isWhole(of) ? ' of whole numbers' : ''} from 1 to ${most[of]}, the smaller end first`,
    });
  }
  checkLimits(asked.until, ['load', 'capacity', 'until'], target, problems);
  return { of, from, to, until: asked.until };
}
