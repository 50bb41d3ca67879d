import { timedLevels } from '../../../journal/load-level.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import { heaviestLevels } from '../../plan/warmup-length.ts';
import { watchIdle } from '../round/idle-stretch.ts';
import type { LevelSource } from '../round/round-context.ts';
import { eachAlone } from '../round/start-arms.ts';

/** Levels that a scenario names: every round has all of them. */
export function namedLevels(levels: readonly LoadLevel[]): LevelSource {
  return {
    levels,
    warming: heaviestLevels(levels),
    async choose(context, { round, arms }, progress) {
      // Once a session, before any level has turns.
      if (timedLevels(levels).some((level) => context.load.schedule.of(level) === undefined))
        await watchIdle(context, round, eachAlone(arms), progress);
      return levels;
    },
    learn() {},
    resume() {},
  };
}
