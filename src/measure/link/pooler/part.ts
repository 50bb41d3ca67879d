import { PgsweepError } from '../../../base/errors.ts';
import type { PoolerSpec } from '../../../journal/link/pooler.ts';
import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import { ok, problemOf } from '../../finding.ts';
import type { RunPart } from '../link.ts';
import { poolerLink } from './open-pooler.ts';
import { findPgBouncer, requireFeatures } from './program.ts';
import { examinePools, watchPooled } from './try-pooler.ts';

/** A PgBouncer starts, and ends. */
const POOLER_MS = 200;

/** PgBouncer between a service and its database. */
export const pooler = {
  estimateMs: (variant) => (variant.pooler === undefined ? 0 : POOLER_MS),
  links: [poolerLink],
  async require(scenario) {
    const found = await requiredPgBouncer(scenario);
    return found === null ? {} : { poolerVersion: `PgBouncer ${found.version}` };
  },
  async examine(scenario) {
    try {
      const found = await requiredPgBouncer(scenario);
      return found === null ? [] : [ok('pgbouncer', `${found.version} (${found.program})`)];
    } catch (error) {
      if (!(error instanceof PgsweepError)) throw error;
      return [problemOf('pgbouncer', error)];
    }
  },
  doubts: examinePools,
  // Its size changes nothing of what a service may send.
  triedBy: ({ pooler: spec }) => spec && { ...spec, size: 0 },
  watchTry: watchPooled,
} satisfies RunPart;

/** Null where the scenario needs none of this machine. Throws PgsweepError `stack` where it is missing or too old. */
async function requiredPgBouncer(
  scenario: Pick<ResolvedScenario, 'variants'>,
): Promise<Awaited<ReturnType<typeof findPgBouncer>> | null> {
  const poolers = poolersOf(scenario);
  if (poolers.length === 0) return null;
  const found = await findPgBouncer();
  for (const spec of poolers) requireFeatures(found, spec);
  return found;
}

/** Those that are programs of this machine; what is in an image is looked at when the first is opened. */
function poolersOf({ variants }: Pick<ResolvedScenario, 'variants'>): PoolerSpec[] {
  return variants.flatMap(({ pooler: spec }) => (spec === undefined || spec.image !== undefined ? [] : [spec]));
}
