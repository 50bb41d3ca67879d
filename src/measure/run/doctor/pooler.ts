import { PgsweepError } from '../../../base/errors.ts';
import type { PoolerSpec } from '../../../journal/link/pooler.ts';
import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import { findPgBouncer, requireFeatures } from '../../link/pooler/program.ts';
import { type Finding, ok, problemOf } from './finding.ts';

/** PgBouncer, where the scenario has one before its database; nothing else needs it. */
export async function examinePooler(scenario: Pick<ResolvedScenario, 'variants'>): Promise<Finding[]> {
  if (poolersOf(scenario).length === 0) return [];
  try {
    const { program, version } = await requiredPgBouncer(scenario);
    return [ok('pgbouncer', `${version} (${program})`)];
  } catch (error) {
    if (!(error instanceof PgsweepError)) throw error;
    return [problemOf('pgbouncer', error)];
  }
}

/**
 * The version of PgBouncer, null where the scenario needs none of this machine. Throws PgsweepError `stack` where there is none, or one that
 * is too old for what is asked of it.
 */
export async function requirePooler(scenario: Pick<ResolvedScenario, 'variants'>): Promise<string | null> {
  return poolersOf(scenario).length === 0 ? null : (await requiredPgBouncer(scenario)).version;
}

async function requiredPgBouncer(scenario: Pick<ResolvedScenario, 'variants'>): ReturnType<typeof findPgBouncer> {
  const found = await findPgBouncer();
  for (const pooler of poolersOf(scenario)) requireFeatures(found, pooler);
  return found;
}

/** Those that are programs of this machine; what is in an image is looked at when the first is opened. */
function poolersOf({ variants }: Pick<ResolvedScenario, 'variants'>): PoolerSpec[] {
  return variants.flatMap(({ pooler }) => (pooler === undefined || pooler.image !== undefined ? [] : [pooler]));
}
