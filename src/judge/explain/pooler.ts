import { formatShare } from '../../base/units.ts';
import { type PoolerLimit, type PoolerMode, poolerLimit } from '../../journal/link/pooler.ts';
import { type ResolvedScenario, variantNamed } from '../../journal/scenario-record.ts';
import { rough } from '../format.ts';
import { type ProbeValues, probeValue } from '../read/metrics/metric-aliases.ts';
import { LEAST_QUEUE, WITHOUT_QUEUE } from './shared-connection.ts';

/** From this number of waiting clients on, on average, what else waits may only wait for the pooler. */
const LEAST_WAITING = 1;
/** The least number of waiting clients, on average, that is worth a word. */
const LEAST_SAID = 0.1;

/** The pooler before a variant's database, and how many connections it may have by which limit; null where there is none. */
export function poolerOf(
  scenario: Pick<ResolvedScenario, 'variants'>,
  variant: string,
): { readonly mode: PoolerMode; readonly size: number; readonly by: PoolerLimit['by'] } | null {
  const { pooler } = variantNamed(scenario, variant);
  if (pooler === undefined) return null;
  const { most, by } = poolerLimit(pooler);
  return { mode: pooler.mode, size: most, by };
}

/**
 * True where clients wait for a connection of the pooler. Connections of the service's own pool may then only wait,
 * too.
 */
export function isPoolerWaitedFor(values: ProbeValues): boolean {
  return (probeValue(values, 'poolerWaits') ?? 0) >= LEAST_WAITING;
}

/** `12.1 clients wait` */
export function clientsWait(count: string): string {
  return `${count} ${count === '1' ? 'client waits' : 'clients wait'}`;
}

interface PoolerUse {
  readonly resource: 'pooler cpu' | 'pooler';
  readonly utilisation: number;
  readonly text: string;
}

/** Use of PgBouncer's one thread, which is full at one core, and of its connections; each is left out where it is not known. */
export function poolerUses({
  values,
  poolerSize = 0,
}: {
  readonly values: ProbeValues;
  readonly poolerSize?: number;
}): PoolerUse[] {
  const cores = probeValue(values, 'poolerCores');
  const taken = probeValue(values, 'poolerTaken') ?? probeValue(values, 'poolerInTransaction');
  const waiting = probeValue(values, 'poolerWaits');
  const queue = waiting !== null && waiting >= LEAST_SAID ? ` (${clientsWait(rough(waiting))})` : '';
  // Connections that are all taken are no limit as long as no one waits for one.
  const mostUsed = waiting === null || waiting >= LEAST_QUEUE ? 1 : WITHOUT_QUEUE;
  const thread = (busy: number): PoolerUse => ({
    resource: 'pooler cpu',
    utilisation: Math.min(1, busy),
    text: `PgBouncer's thread ${formatShare(busy < 0.001 ? 0 : Math.min(1, busy))} busy`,
  });
  const connections = (inUse: number): PoolerUse => ({
    resource: 'pooler',
    utilisation: Math.min(mostUsed, inUse / poolerSize),
    text: `PgBouncer ${rough(inUse)} of ${rough(poolerSize)} taken${queue}`,
  });
  return [
    ...(cores === null ? [] : [thread(cores)]),
    ...(taken === null || poolerSize <= 0 ? [] : [connections(taken)]),
  ];
}
