import { mostPoolerConnections, type PoolerMode } from '../../journal/link/pooler.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { type ProbeValues, probeValue } from '../read/metrics/metric-aliases.ts';

/** The least number of waiting clients, on average, that is a queue. */
const LEAST_WAITING = 1;

/** The pooler before a variant's database, and how many connections it may have; null where there is none. */
export function poolerOf(
  { variants }: Pick<ResolvedScenario, 'variants'>,
  variant: string,
): { readonly mode: PoolerMode; readonly size: number } | null {
  const pooler = variants.find(({ name }) => name === variant)?.pooler;
  return pooler === undefined ? null : { mode: pooler.mode, size: mostPoolerConnections(pooler) };
}

/** Whether clients wait for a connection of the pooler: who holds one of the service's own pool may then do no more than that. */
export function isPoolerWaitedFor(values: ProbeValues): boolean {
  return (probeValue(values, 'poolerWaits') ?? 0) >= LEAST_WAITING;
}
