import { loadKey, loadKind, loadLabel, loadSize } from '../load-level.ts';
import type { LoadLevel, LoadSpec } from '../scenario-record.ts';
import { capacityLabel } from './capacity-spec.ts';

type RunLevels = Pick<LoadSpec, 'levels' | 'capacity'>;

/** The load levels of a run for people: those that it names, or the range that it searches. */
export function levelLabels({ levels, capacity }: RunLevels): string[] {
  return capacity === undefined ? levels.map(loadLabel) : [capacityLabel(capacity)];
}

/** True for a load level of the run: one that it names, or any of the range that it searches. */
export function isLevelOf({ levels, capacity }: RunLevels, load: LoadLevel): boolean {
  if (capacity === undefined) return levels.some((other) => loadKey(other) === loadKey(load));
  return loadKind(load) === capacity.of && loadSize(load) >= capacity.from && loadSize(load) <= capacity.to;
}
