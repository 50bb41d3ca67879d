import { hasPostgres } from '../journal/link/own-database.ts';
import type { ResolvedScenario, RoundsSpec, Variant } from '../journal/scenario-record.ts';
import { serverSettings } from './kinds/settings.ts';

/**
 * The variants by the server that they run on, in the order of the scenario: those with the same settings of the server
 * share one. The key is '' for the server that all others share. With more than one, every round starts all of them.
 * Variants without Postgres are on none.
 */
export function variantsByServer(scenario: Pick<ResolvedScenario, 'variants'>): Map<string, Variant[]> {
  const servers = new Map<string, Variant[]>();
  for (const variant of scenario.variants.filter(hasPostgres)) {
    const key = serverKey(variant);
    servers.set(key, [...(servers.get(key) ?? []), variant]);
  }
  return servers;
}

/** Which server a variant runs on: '' for the one that is as the stack says. */
export function serverKey(variant: Pick<Variant, 'treatment'>): string {
  const settings = serverSettings(variant.treatment);
  const release = releaseKey(variant);
  return settings.length === 0 && release === '' ? '' : JSON.stringify([release, settings]);
}

/** Which Postgres a variant runs on: '' for that of the stack. Those of one key can share the files of a loaded server. */
export function releaseKey({ treatment }: Pick<Variant, 'treatment'>): string {
  const { version, image, stack } = treatment?.postgres ?? {};
  return version === undefined && image === undefined && stack === undefined
    ? ''
    : JSON.stringify({ version, image, stack });
}

/** What decides which servers there are. */
export interface ServerPlan {
  readonly variants: readonly Variant[];
  readonly rounds?: Pick<RoundsSpec, 'restart'>;
}

/** How many servers are started anew in every round; 0 where one server serves the whole session. */
export function serversPerRound({ variants, rounds }: ServerPlan): number {
  const servers = variantsByServer({ variants });
  return servers.size === 1 && servers.has('') && rounds?.restart !== 'server' ? 0 : servers.size;
}
