import { housekeepingSettings, housekeepingVaried } from '../../journal/postgres/housekeeping.ts';
import type { LoadSpec, PostgresSpec, Variant } from '../../journal/scenario-record.ts';
import type { Problem } from '../problems.ts';
import type { ScenarioDocument } from '../schema.ts';
import type { AskedPostgres } from '../stack-schema.ts';

/** The Postgres of all arms: with its own housekeeping where the scenario asks for it, or a variant sets what decides it. */
export function withHousekeeping(
  { housekeeping, ...postgres }: AskedPostgres,
  variants: readonly Variant[],
): PostgresSpec {
  const isOn = housekeeping ?? housekeepingVaried(variants).length > 0;
  return isOn ? { ...postgres, housekeeping: true } : postgres;
}

/**
 * The load of a scenario, in whole slices where a variant sets what decides Postgres's housekeeping and the scenario does
 * not say how long turns are: a checkpoint or a vacuum of one arm would take its time from the turns of all.
 */
export function heedHousekeeping(
  { load: written }: ScenarioDocument,
  load: LoadSpec,
  variants: readonly Variant[],
): LoadSpec {
  const isSaid = written.turn !== undefined;
  return isSaid || housekeepingVaried(variants).length === 0 ? load : { ...load, turn: 'off' };
}

/** Variants that set what decides Postgres's housekeeping where it cannot show. */
export function housekeepingProblems(document: ScenarioDocument, variants: readonly Variant[]): Problem[] {
  const { stack } = document;
  const [variant] = variants.filter((one) => housekeepingSettings(one).size > 0);
  if (variant === undefined) return [];
  const problems: Problem[] = [];
  const settings = housekeepingVaried(variants).join(', ');
  if (stack?.postgres?.housekeeping === false)
    problems.push({
      path: ['stack', 'postgres', 'housekeeping'],
      message: `stack.postgres.housekeeping: off leaves nothing for ${settings} of "${variant.name}" to change: expected on (stack.postgres.settings can still turn autovacuum off, or set checkpoint_timeout, for all arms)`,
    });
  return problems;
}
