import { groupBy } from '../../base/group-by.ts';
import { databaseColumns } from '../../journal/database-counters.ts';
import type { UncountedReason } from '../../journal/pass-records.ts';
import type { LevelPasses } from '../../judge/read/rounds/passes.ts';
import { type Average, averageValue } from '../../judge/verdicts/averages.ts';

const whyUncounted: Readonly<Record<UncountedReason, string>> = {
  'too few cycles': 'slices had too few turns',
  'turns of a second': 'turns took a second, and sessions report once a second',
  'pass too short': 'passes were too short',
  'wait too long': 'sessions report up to 10 s after their load, too long a wait for such short slices',
  'beside a job': 'a job worked in the same database',
  'session held back': 'a session had not reported its earlier work',
  'clock set': 'the clock of the database server was set, and sessions report by it',
};

/** True if an arm has columns of pg_stat_database. */
export function hasDatabaseColumns(average: Average): boolean {
  return databaseColumns.some((column) => averageValue(average, `${column}_per_s`) !== null);
}

/** Why arms of a load level have no columns of pg_stat_database in any round. */
export function uncountedWords(
  [level]: readonly LevelPasses[],
  averages: readonly Average[],
  nameOf: (average: Average) => string,
): string[] {
  const without = averages.filter((average) => !hasDatabaseColumns(average));
  const reasons = groupBy(
    without.flatMap((average) => {
      const isOf = (arm: Pick<Average, 'variant' | 'repeat'>): boolean =>
        arm.variant === average.variant && arm.repeat === average.repeat;
      const found = (level?.uncounted ?? []).filter(isOf);
      return found.map(({ reason }) => ({ reason, name: nameOf(average) }));
    }),
    ({ reason }) => reason,
  );
  return reasons.flatMap((arms) => {
    const [first] = arms;
    if (first === undefined) return [];
    const where = arms.length === averages.length ? '' : ` of ${arms.map(({ name }) => name).join(', ')}`;
    return [`No pg_stat_database columns${where}: ${whyUncounted[first.reason]}.`];
  });
}
