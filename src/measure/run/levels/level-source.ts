import type { Journal } from '../../../journal/journal.ts';
import { timedLevels, traitsOf } from '../../../journal/load-level.ts';
import type { LoadLevel, LoadSpec } from '../../../journal/scenario-record.ts';
import { isSearch } from '../../plan/search-time.ts';
import { heaviestLevels } from '../../plan/warmup-length.ts';
import { watchIdle } from '../round/idle-stretch.ts';
import type { LevelSource } from '../round/round-context.ts';
import { eachAlone } from '../round/start-arms.ts';
import { searchedLevels } from './searched-levels.ts';

/** Load levels of a run as its scenario asks for them. `resume`: the journal of an interrupted run. */
export function openLevels(load: LoadSpec, resume: Pick<Journal, 'records'> | null = null): LevelSource {
  const source = isSearch(load) ? searchedLevels(load) : namedLevels(load.levels);
  if (resume !== null) source.resume(resume);
  return source;
}

/** Levels that a scenario names: every round has all of them. */
function namedLevels(levels: readonly LoadLevel[]): LevelSource {
  return {
    levels,
    next: { passes: levels.length, growth: 1 },
    warming: heaviestLevels(levels),
    async choose(context, { round }, progress) {
      const alone = eachAlone(progress.arms);
      const { idleCpuShares } = context.watch;
      // Once a session, before any level has turns, and once more for variants that are confirmed. Work beside a job is not attributed.
      const counted = timedLevels(levels).filter((level) => !traitsOf(level).isBesideJob);
      const isFirst = counted.some((level) => context.load.schedule.of(level) === undefined);
      const isNew = context.lineUp?.confirms === true && alone.some(({ arm }) => !idleCpuShares.has(arm.name));
      if (isFirst || (isNew && counted.length > 0)) await watchIdle(context, round, alone, progress);
      return levels;
    },
    learn() {},
    resume() {},
  };
}
