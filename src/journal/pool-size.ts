import { instancesOf } from './service/instances.ts';
import { fields, number, optional, text, type ValueOf } from './shape.ts';

/** The name of the factor that is taken for the pool's size. */
export const POOL_FACTOR = 'pool';

/** The variable that holds the size of the service's connection pool. */
export interface PoolSpec extends ValueOf<typeof poolSpec> {}
export const poolSpec = fields({
  /** The environment variable. */
  variable: text,
  /** The size that the service takes where the variable is not set; absent where nobody knows it. */
  unset: optional(number),
});

type Env = Readonly<Record<string, string>>;

/** The part of a scenario that holds the pool's size. */
interface Pooled {
  readonly target: {
    readonly kind: string;
    readonly env?: Env;
    readonly pool?: PoolSpec;
    /** Where a target is several services, only one of them may have the variable. */
    readonly services?: Readonly<Record<string, { readonly env: Env }>>;
  };
}

interface PooledVariant {
  readonly env: Env;
  readonly services?: Readonly<Record<string, { readonly env?: Env }>>;
  readonly factors: Readonly<Record<string, string | number | boolean>>;
  readonly instances?: number;
}

/**
 * How many connections the service of a variant may have at once, all its instances together. Null where the scenario
 * does not say.
 */
export function poolSizeIn(scenario: Pooled, variant: PooledVariant): number | null {
  const size = poolOfInstance(scenario, variant);
  return size === null ? null : size * instancesOf(variant);
}

/**
 * Pool size of each instance, from the scenario's variable for it, or from the factor `pool`. Null where the scenario does
 * not say.
 */
export function poolOfInstance({ target }: Pooled, { env, services, factors }: PooledVariant): number | null {
  const { pool } = target;
  // The later is over the earlier, as services are given them.
  const envs = [target.env, ...envsOf(target.services), env, ...envsOf(services)];
  const asked = pool && (envs.map((one) => one?.[pool.variable]).findLast((size) => size !== undefined) ?? pool.unset);
  const size = Number(asked ?? factors[POOL_FACTOR]);
  return size > 0 ? size : null;
}

/** Connections to its database that a service was seen to hold. */
export interface HeldSessions {
  readonly sessions: number;
  /** How many of its processes held them; null where that could not be seen. */
  readonly processes: number | null;
}

/**
 * How many pools of a size a service has: each instance, worker and thread may have its own. At least as many as processes
 * were seen to hold connections, and as the connections fill.
 */
export function poolCount(size: number, instances: number, held: HeldSessions | undefined): number {
  if (held === undefined) return instances;
  return Math.max(instances, held.processes ?? 1, Math.ceil(held.sessions / size));
}

function envsOf(services: PooledVariant['services']): (Env | undefined)[] {
  return Object.values(services ?? {}).map(({ env }) => env);
}
