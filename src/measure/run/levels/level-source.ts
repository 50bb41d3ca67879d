import type { Journal } from '../../../journal/journal.ts';
import { timedLevels } from '../../../journal/load-level.ts';
import type { LoadLevel, LoadSpec } from '../../../journal/scenario-record.ts';
import { heaviestLevels } from '../../plan/warmup-length.ts';
import { watchIdle } from '../round/idle-stretch.ts';
import type { LevelSource } from '../round/round-context.ts';
import { eachAlone } from '../round/start-arms.ts';
import { searchedLevels } from './searched-levels.ts';

/** Load levels of a run as its scenario asks for them. `resume`: the journal of an interrupted run. */
export function openLevels(load: LoadSpec, resume: Pick<Journal, 'records'> | null = null): LevelSource {
  const source = load.capacity === undefined ? namedLevels(load.levels) : searchedLevels(load.capacity);
  if (resume !== null) source.resume(resume);
  return source;
}

/** Levels that a scenario names: every round has all of them. */
function namedLevels(levels: readonly LoadLevel[]): LevelSource {
  return {
    levels,
    warming: heaviestLevels(levels),
    async choose(context, { round }, progress) {
      // Once a session, before any level has turns.
      if (timedLevels(levels).some((level) => context.load.schedule.of(level) === undefined))
        await watchIdle(context, round, eachAlone(progress.arms), progress);
      return levels;
    },
    learn() {},
    resume() {},
  };
}
