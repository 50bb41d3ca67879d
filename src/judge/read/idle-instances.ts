import { loadSize, traitsOf } from '../../journal/load-level.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { instancesOf } from '../../journal/service/instances.ts';
import type { IdleInstances } from '../notes.ts';

/** The load levels with fewer connections or users than some service has instances; null where there are none. */
export function idleInstances({ variants, load }: Pick<ResolvedScenario, 'variants' | 'load'>): IdleInstances | null {
  const instances = Math.max(1, ...variants.map(instancesOf));
  const loads = load.levels.filter((level) => !traitsOf(level).isOpenLoop && loadSize(level) < instances);
  return loads.length === 0 ? null : { kind: 'idle-instances', loads, instances };
}
