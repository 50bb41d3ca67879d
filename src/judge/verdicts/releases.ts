import type { ResolvedScenario, Variant } from '../../journal/scenario-record.ts';

/** True where variants differ in what runs and in nothing else, and none is said to be cheaper: among equals there is no smallest. */
export function areReleases({ variants, cost }: Pick<ResolvedScenario, 'variants' | 'cost'>): boolean {
  if (variants.length < 2 || cost !== undefined || variants.some((variant) => variant.cost !== undefined)) return false;
  const alike = new Set(variants.map(besidesRelease)).size === 1;
  return alike && new Set(variants.map(releaseOf)).size === variants.length;
}

/** What runs: the service by its command and folder, and Postgres. */
function releaseOf({ command, cwd, services, treatment }: Variant): string {
  return JSON.stringify([command, cwd, services, treatment?.postgres]);
}

function besidesRelease({ name: _, command: __, cwd: ___, services, treatment, ...rest }: Variant): string {
  const { postgres: ____, ...changes } = treatment ?? noTreatment;
  const environments = Object.entries(services ?? {}).flatMap(([service, { env }]) => (env ? [[service, env]] : []));
  return JSON.stringify([rest, changes, environments]);
}

const noTreatment: NonNullable<Variant['treatment']> = {
  settings: {},
  dropIndex: [],
  createIndex: [],
  hideIndex: [],
  sql: [],
};
