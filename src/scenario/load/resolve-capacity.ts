import { parseLimit } from '../../base/units.ts';
import type { CapacitySpec } from '../../journal/capacity/capacity-spec.ts';
import { isWhole } from '../../journal/load-level.ts';
import { loadAxes } from '../../journal/load-traits.ts';
import { oneOf } from '../checks.ts';
import type { Problem } from '../problems.ts';
import type { ScenarioDocument } from '../schema.ts';

type LoadDocument = ScenarioDocument['load'];

/** As of load levels. */
const most = { connections: 10_000, rate: 100_000, users: 10_000 } as const;
/** Keys of load levels that cannot stand beside `capacity`, which finds them. */
const levelKeys = [
  'connections',
  'rate',
  'users',
  'count',
  'bulk',
  'reads',
] as const satisfies readonly (keyof LoadDocument)[];

/** The question how much load each variant sustains; its mistakes go to the problems. */
export function resolveCapacity(load: LoadDocument, problems: Problem[]): CapacitySpec | undefined {
  const { capacity } = load;
  if (capacity === undefined) return undefined;
  for (const key of levelKeys) {
    if (load[key] !== undefined)
      problems.push({ path: ['load'], key, message: `load.${key}: load.capacity finds its load levels itself` });
  }
  const of = oneOf(capacity, loadAxes, ['load', 'capacity'], problems) ?? 'connections';
  const [from = 1, to = 2] = (capacity[of] ?? '1..2').split('..').map(Number);
  const areWhole = !isWhole(of) || (Number.isInteger(from) && Number.isInteger(to));
  if (!(from >= 1 && to > from && to <= most[of] && areWhole)) {
    problems.push({
      path: ['load', 'capacity', of],
      message: `load.capacity.${of}: expected a range${isWhole(of) ? ' of whole numbers' : ''} from 1 to ${most[of]}, the smaller end first`,
    });
  }
  if (of === 'users' && load.script === undefined)
    problems.push({
      path: ['load', 'capacity', 'users'],
      message: 'load.capacity.users: expected load.script, which says what they do',
    });
  const until = Object.entries(capacity.until).map(([metric, limit]) => ({ metric, most: limitOf(metric, limit) }));
  if (until.length === 0) {
    problems.push({
      path: ['load', 'capacity', 'until'],
      message: 'load.capacity.until: expected a limit, such as p95_ms: 200',
    });
  }
  return { of, from, to, until };
}

/** Failures are a percentage with or without its sign, as in load.maxFailedRate. */
function limitOf(metric: string, limit: string | number): number {
  return metric === 'failed' ? (parseLimit(`${String(limit).replace('%', '')}%`) ?? 1) : (parseLimit(limit) ?? 1);
}
