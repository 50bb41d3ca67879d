import { loadKey } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { TooManyVoid } from '../notes.ts';
import type { RunData } from '../read/run-data.ts';
import { tooManyVoid } from '../read/void-slices.ts';
import { armsUnder } from './contrasts.ts';

/** The load levels under which too many slices are discarded for any verdict. Of a search for capacity, whose loads move, all are one. */
export function voidLevels(data: RunData): readonly TooManyVoid[] {
  const { levels, capacity } = data.scenario.load;
  if (capacity !== undefined) return tooManyVoid(data.voids);
  return levels.flatMap((load) =>
    tooManyVoid(data.voidsOf(armsUnder(data, load))).map((note) => (levels.length === 1 ? note : { ...note, load })),
  );
}

/** True where too many slices are discarded under a load level. */
export function isVoidUnder(data: RunData, load: LoadLevel): boolean {
  return voidLevels(data).some((note) => note.load === undefined || loadKey(note.load) === loadKey(load));
}

/** The run with the discarded slices of such load levels: without them there might be nothing to look at. */
export function withVoidLevels(data: RunData): RunData {
  const levels = voidLevels(data);
  if (levels.length === 0) return data;
  const named = levels.flatMap(({ load }) => load ?? []);
  return named.length === 0 ? data.withVoidSlices() : data.withVoidSlices(named);
}
