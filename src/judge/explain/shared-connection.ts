import { rough } from '../format.ts';
import type { ProbeValues } from '../read/metrics/metric-aliases.ts';
import { probeValue } from '../read/metrics/metric-aliases.ts';

/** The least number of waiting requests, on average, that is more than the chance of a moment. */
export const LEAST_QUEUE = 0.5;
/** A pool with as many connections as clients is all taken and is no limit, as long as no one waits for it. */
export const WITHOUT_QUEUE = 0.8;
/** With fewer clients or connections than this, few busy at once is how it should be. */
export const LEAST_CONNECTIONS = 4;
/** If less than this share of a pool was ever busy at once (p95), throughput did not depend on the pool. */
export const MOST_BUSY_SHARE = 0.5;
/**
 * Where clients ask again at once, some station must be busy. In a balanced closed network of M stations with C clients
 * each is used C / (C + M - 1) of the time: 0.67 for 4 clients and 3 stations, and a slower one is used more. If none
 * reaches this, requests wait for each other.
 */
export const BUSY = 0.6;
/**
 * Below IDLE_SHARE, more than half of a pool lies idle in Postgres. From FULL_SHARE on all of it is in use: a tenth of
 * the moments seen lie before and after the load, and between two transactions a connection rests for a round trip.
 */
export const IDLE_SHARE = 0.5;
export const FULL_SHARE = 0.7;
/** More connections than this that are always busy look like a limit of another kind. */
const FEW_CONNECTIONS = 3;
/** Resources that may be busy instead. */
const explaining: readonly string[] = [
  'cpu limit',
  'generator',
  'network',
  'locks',
  'io',
  'postgres cpu',
  'service event loop',
  'service cpu',
  'machine cpu',
];

/** Pools of a service by its scenario. */
interface Pools {
  /** The size of all pools together; null where it does not say. */
  readonly all: number | null;
  /** True if the service was seen to have more pools than instances: one for each worker, or thread. */
  readonly areMore: boolean;
}

/**
 * Connections that all pools of a service may have; null where nobody says. What the service itself shows comes first, but
 * of several workers only the one that answers may show its pool.
 */
export function sizeOfPools(values: ProbeValues, { all, areMore }: Pools): number | null {
  const shown = probeValue(values, 'poolSize');
  return shown === null || all === null ? (shown ?? all) : areMore ? Math.max(shown, all) : shown;
}

/**
 * The size of the pools whose taken connections the service shows: of several workers only the one that answers may show
 * its pool, so that is less than `size`, all pools together. Go shows 0 where there is no limit.
 */
export function sizeShown(values: ProbeValues, size: number): number {
  return Math.min(size, probeValue(values, 'poolSize') || size);
}

interface SharedFacts {
  readonly values: ProbeValues;
  /** How many requests are under way at any time, of a load of requests. */
  readonly clients?: number;
  /** The pool's size by the scenario; null where it does not say. */
  readonly poolSize?: number | null;
  /** How many pools these are, and how many processes pgsweep has started for the service; 1 where absent. */
  readonly pools?: number;
  readonly instances?: number;
  /** How many the pooler before the database may have; absent where there is none. */
  readonly poolerSize?: number;
}

/**
 * Few connections that are always busy, of a pool that could have more, for many clients, and no other resource is
 * busy. Then requests queue inside of these connections. Where requests were seen in each other's transactions, that is
 * certain, whatever else is busy.
 */
export function sharedConnection(
  { values, clients, poolSize = null, pools = 1, instances = 1, poolerSize }: SharedFacts,
  others: readonly { readonly resource: string; readonly utilisation: number }[],
): { readonly resource: 'shared connection'; readonly utilisation: number; readonly text: string } | null {
  const busy = probeValue(values, 'busyConnections');
  const most = probeValue(values, 'mostBusyConnections');
  if (busy === null || most === null || clients === undefined) return null;
  const isMixed = (probeValue(values, 'mixedTransactions') ?? 0) > 0;
  if (!isMixed) {
    const size = sizeOfPools(values, { all: poolSize, areMore: pools > instances });
    const usable = Math.min(size ?? 0, clients, poolerSize ?? clients);
    const isUnused = usable >= LEAST_CONNECTIONS && most <= Math.min(FEW_CONNECTIONS, MOST_BUSY_SHARE * usable);
    if (!isUnused || isPoolTaken(values, usable)) return null;
    if (others.some(({ resource, utilisation }) => explaining.includes(resource) && utilisation >= BUSY)) return null;
  }
  return {
    resource: 'shared connection',
    utilisation: Math.min(1, busy / Math.max(1, most)),
    text: `${rough(busy)} connections busy for ${clients} client${clients === 1 ? '' : 's'} (${rough(most)} at most 95 % of the time)`,
  };
}

/**
 * True where requests wait since connections are taken, for whatever reason. If a service shows only one of the two,
 * that one decides, as in the comparison of the pool with other resources (saturation.ts).
 */
export function isPoolTaken(values: ProbeValues, size: number): boolean {
  const taken = probeValue(values, 'poolTaken');
  const waiting = probeValue(values, 'poolWaits');
  if (taken === null && waiting === null) return false;
  return (
    (taken === null || taken >= FULL_SHARE * sizeShown(values, size)) && (waiting === null || waiting >= LEAST_QUEUE)
  );
}
