import { parseLimit } from '../../base/units.ts';
import type { CapacitySpec } from '../../journal/capacity/capacity-spec.ts';
import type { Problem } from '../problems.ts';
import type { ScenarioDocument } from '../schema.ts';

type LoadDocument = ScenarioDocument['load'];

const MOST_CONNECTIONS = 10_000;
/** What would be load levels, beside a question for which they are found. */
const levelKeys = ['connections', 'bulk', 'reads'] as const satisfies readonly (keyof LoadDocument)[];

/** The question how much each variant bears; what is wrong with it goes to the problems. */
export function resolveCapacity(load: LoadDocument, problems: Problem[]): CapacitySpec | undefined {
  const { capacity } = load;
  if (capacity === undefined) return undefined;
  for (const key of levelKeys) {
    if (load[key] !== undefined)
      problems.push({ path: ['load'], key, message: `load.${key}: load.capacity finds its load levels itself` });
  }
  const [from = 1, to = 2] = capacity.connections.split('..').map(Number);
  if (!(from >= 1 && to > from && to <= MOST_CONNECTIONS && Number.isInteger(from) && Number.isInteger(to))) {
    problems.push({
      path: ['load', 'capacity', 'connections'],
      message: `load.capacity.connections: expected a range of whole numbers from 1 to ${MOST_CONNECTIONS}, the smaller end first`,
    });
  }
  const until = Object.entries(capacity.until).map(([metric, most]) => ({ metric, most: limitOf(metric, most) }));
  if (until.length === 0) {
    problems.push({
      path: ['load', 'capacity', 'until'],
      message: 'load.capacity.until: expected a limit, such as p95_ms: 200',
    });
  }
  return { of: 'connections', from, to, until };
}

/** Failures are a percentage with or without its sign, as in load.maxFailedRate. */
function limitOf(metric: string, most: string | number): number {
  return metric === 'failed' ? (parseLimit(`${String(most).replace('%', '')}%`) ?? 1) : (parseLimit(most) ?? 1);
}
