import { type HeldSessions, poolCount, poolOfInstance } from '../../journal/pool-size.ts';
import { type ResolvedScenario, variantNamed } from '../../journal/scenario-record.ts';
import { instancesOf } from '../../journal/service/instances.ts';

/** A variant whose service has more pools than the scenario says: each of its processes, or threads, has one. */
export interface HeldPools {
  readonly variant: string;
  readonly pools: number;
  /** The most sessions that it was seen to hold. */
  readonly sessions: number;
  /** How many processes held them; null where that could not be seen. */
  readonly processes: number | null;
}

/** How many pools the service of a variant has: one for each instance, or for each process or thread that was seen to hold sessions. */
export function poolsOf(
  { scenario, held }: { readonly scenario: ResolvedScenario; readonly held: ReadonlyMap<string, HeldSessions> },
  variant: string,
): number {
  const found = heldPools(scenario, held).find((one) => one.variant === variant);
  return found?.pools ?? instancesOf(variantNamed(scenario, variant));
}

/** Variants that have more pools than instances, by the sessions that they held; with a pooler between, sessions say nothing of pools. */
export function heldPools(scenario: ResolvedScenario, held: ReadonlyMap<string, HeldSessions>): HeldPools[] {
  return scenario.variants.flatMap((variant): HeldPools[] => {
    const { name: own } = variant;
    const [seen, pool, instances] = [held.get(own), poolOfInstance(scenario, variant), instancesOf(variant)];
    if (seen === undefined || pool === null || variant.pooler !== undefined) return [];
    const pools = poolCount(pool, instances, seen);
    return pools === instances ? [] : [{ variant: own, pools, ...seen }];
  });
}
