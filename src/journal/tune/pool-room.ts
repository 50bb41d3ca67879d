import { hasPostgres } from '../link/own-database.ts';
import { mostUnderWay } from '../load-level.ts';
import { POOL_FACTOR, poolSizeIn } from '../pool-size.ts';
import { OWN_CONNECTIONS } from '../postgres/connections.ts';
import type { ResolvedScenario } from '../scenario-record.ts';
import { instancesOf } from '../service/instances.ts';
import type { TunedFactor } from './tune-spec.ts';

type Searched = Pick<ResolvedScenario, 'variants' | 'target' | 'load' | 'tune' | 'slots'>;

/**
 * A space without pools that a server has no room for, all instances of the service together, and with as many slots as have room on
 * one server: all arms of a round are alive at once, and a pool opens no more connections than requests are under way. `connections`: what
 * a server leaves for services; `areApart`: each arm has its own.
 */
export function withRoom(
  { tune, slots = 1, ...scenario }: Searched,
  { connections, areApart }: { readonly connections: number; readonly areApart: boolean },
): Pick<ResolvedScenario, 'tune' | 'slots'> {
  const { target, load } = scenario;
  const [control] = scenario.variants;
  if (tune === undefined || control === undefined || !hasPostgres(control) || control.pooler !== undefined)
    return { ...(tune && { tune, slots }) };
  const each = instancesOf(control);
  const isPool = ({ name, env }: TunedFactor): boolean =>
    name === POOL_FACTOR || (env !== undefined && 'pool' in target && target.pool?.variable === env);
  // The values of a pool that have room, and the control's.
  const factors = tune.factors.map((factor) => {
    if (!isPool(factor)) return factor;
    const { name, values, places } = factor;
    const fits = values.map((value) => !(Number(value) * each > connections) || value === control.factors[name]);
    const from = Math.min(...values.filter((_, place) => !fits[place]).map(Number));
    // Where no two fit, the checks before a run say so.
    if (!Number.isFinite(from) || fits.filter(Boolean).length < 2) return factor;
    return {
      ...factor,
      values: values.filter((_, place) => fits[place]),
      ...(places && { places: places.filter((_, place) => fits[place]) }),
      beyond: { from, connections },
    };
  });
  const clients = Math.max(0, ...load.levels.map((level) => mostUnderWay(load, level)));
  const used = (size: number): number => Math.min(size * each, clients);
  const pools = factors.filter(isPool).flatMap(({ values }) => values.map(Number).filter(Number.isFinite));
  const free = connections - OWN_CONNECTIONS - 2 * used((poolSizeIn(scenario, control) ?? 0) / each);
  const room = pools.length === 0 || areApart ? slots : Math.floor(free / used(Math.max(...pools)));
  return { tune: { ...tune, factors }, slots: Math.max(1, Math.min(slots, room)) };
}
