import { parseLimit } from '../../base/units.ts';
import { type CapacitySpec, capacityUnits } from '../../journal/capacity/capacity-spec.ts';
import { oneOf } from '../checks.ts';
import type { Problem } from '../problems.ts';
import type { ScenarioDocument } from '../schema.ts';

type LoadDocument = ScenarioDocument['load'];

/** No generator opens more connections, or sends more a second, than there is any sense in. */
const MOST = { connections: 10_000, rate: 1_000_000, users: 100_000 } as const;

/** What would be load levels, beside a question for which they are found. */
const levelKeys = ['connections', 'rate', 'users', 'bulk', 'reads'] as const;

/** The question how much each variant bears; what is wrong with it goes to the problems. */
export function resolveCapacity(load: LoadDocument, problems: Problem[]): CapacitySpec | undefined {
  const { capacity } = load;
  if (capacity === undefined) return undefined;
  const path = ['load', 'capacity'] as const;
  for (const key of levelKeys) {
    if (key in load && load[key as keyof LoadDocument] !== undefined)
      problems.push({ path: ['load'], key, message: `load.${key}: load.capacity finds its load levels itself` });
  }
  const of = oneOf(capacity, capacityUnits, [...path], problems) ?? 'connections';
  const [from = 1, to = 2] = (capacity[of] ?? '1..2').split('..').map(Number);
  const isWhole = of === 'rate' || (Number.isInteger(from) && Number.isInteger(to));
  if (!(from >= 1 && to > from && to <= MOST[of] && isWhole)) {
    const kind = of === 'rate' ? 'a range' : 'a range of whole numbers';
    problems.push({
      path: [...path, of],
      message: `load.capacity.${of}: expected ${kind} from 1 to ${MOST[of]}, the smaller end first`,
    });
  }
  const until = Object.entries(capacity.until).map(([metric, most]) => ({ metric, most: limitOf(metric, most) }));
  if (until.length === 0)
    problems.push({ path: [...path, 'until'], message: 'load.capacity.until: expected a limit, such as p95_ms: 200' });
  return { of, from, to, until };
}

/** Failures are a percentage with or without its sign, as in load.maxFailedRate. */
function limitOf(metric: string, most: string | number): number {
  return metric === 'failed' ? (parseLimit(`${String(most).replace('%', '')}%`) ?? 1) : (parseLimit(most) ?? 1);
}
