import { poolSizeIn } from '../pool-size.ts';
import { mostPoolerConnections, type PoolerSpec } from './pooler.ts';

/**
 * How many connections the database of a variant has at most: as many as the pool of its service, and no more than a pooler
 * between the two opens. Null where the scenario does not say.
 */
export function databaseConnectionsIn(
  scenario: Parameters<typeof poolSizeIn>[0],
  variant: Parameters<typeof poolSizeIn>[1] & { readonly pooler?: PoolerSpec },
): number | null {
  const pool = poolSizeIn(scenario, variant);
  if (variant.pooler === undefined) return pool;
  const most = mostPoolerConnections(variant.pooler);
  return pool === null ? most : Math.min(pool, most);
}
