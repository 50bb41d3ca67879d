import type { ResolvedScenario, Variant } from './scenario-record.ts';

/** The name of the factor that is taken for the pool's size. */
export const POOL_FACTOR = 'pool';

/**
 * How many connections the service of a variant may have at once: by the variable that the scenario names for it, or by
 * the factor `pool`. Null where the scenario does not tell.
 */
export function poolSizeIn({ target }: Pick<ResolvedScenario, 'target'>, { env, factors }: Variant): number | null {
  if (target.kind === 'url') return null;
  const { pool } = target;
  const asked = pool === undefined ? undefined : (env[pool.variable] ?? target.env[pool.variable] ?? pool.unset);
  const size = Number(asked ?? factors[POOL_FACTOR]);
  return size > 0 ? size : null;
}
