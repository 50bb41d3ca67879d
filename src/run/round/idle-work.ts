import type { TurnWorkRecord } from '../../journal/pass-records.ts';

/**
 * An arm that does more than this share of its work between its turns does it in the turns of others: a queue that is
 * emptied after the answers, say.
 */
const MOST_IDLE_SHARE = 0.05;
/**
 * What an arm may use of one CPU without anything to do: timers, its runtime's housekeeping. Measured: 0.2 to 0.6 % for
 * Node with prom-client, 1.2 % right after load, when garbage is collected; 1.7 % on a machine of which a sixth was
 * stolen, since caches are cold after it.
 */
const IDLE_CPU_SHARE = 0.03;

/** Work that follows time is no queue: a poller may use twice as much as when it was left alone. */
const MOST_OF_ALONE = 2;

/**
 * Whether an arm goes on working while others have their turns; false where that cannot be seen. `aloneShare`: what it
 * used of one CPU when all arms were left alone, 0 where that is not known.
 */
export function worksWhenIdle(
  { serviceCpuMs, postgresCpuMs, idleCpuMs, idleMs }: TurnWorkRecord,
  aloneShare: number,
): boolean {
  if (serviceCpuMs === null || idleCpuMs === null) return false;
  const own = serviceCpuMs + (postgresCpuMs ?? 0);
  return idleCpuMs > MOST_IDLE_SHARE * own + Math.max(IDLE_CPU_SHARE, MOST_OF_ALONE * aloneShare) * idleMs;
}
