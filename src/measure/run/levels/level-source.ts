import type { Journal } from '../../../journal/journal.ts';
import type { LoadSpec } from '../../../journal/scenario-record.ts';
import type { LevelSource } from '../round/round-context.ts';
import { namedLevels } from './named-levels.ts';
import { searchedLevels } from './searched-levels.ts';

/** Load levels of a run as its scenario asks for them. `resume`: the journal of an interrupted run. */
export function openLevels(load: LoadSpec, resume: Pick<Journal, 'records'> | null = null): LevelSource {
  const source = load.capacity === undefined ? namedLevels(load.levels) : searchedLevels(load.capacity);
  if (resume !== null) source.resume(resume);
  return source;
}
