/**
 * An arm that does more than this share of its own work between its turns does it in the turns of others: a queue that
 * is emptied after the answers, say.
 */
const MOST_LATER_SHARE = 0.05;
/**
 * Least share of a CPU, against the arm's own turns, that matters: less moves no other arm by a hundredth, however little the
 * arm does itself.
 */
const LEAST_LATER_CPU = 0.01;
/**
 * So much CPU between its turns may be one event of an arm that does nothing there: a collection of garbage, or code that is compiled
 * late, which took 10 to 33 ms. It is no work of every pass.
 */
export const MOST_OF_ONE_EVENT_MS = 60;
/**
 * The least that counts as resting: a share of one CPU. A bare Node server used 0.01 to 0.05 % between turns, one with
 * prom-client 0.30 to 0.37 %, with 2, 5 and 12 arms alike.
 */
const LEAST_RESTING_SHARE = 0.0005;
/**
 * Share of a CPU that an arm may use at rest where it was never left alone. Measured on a VM whose neighbours took a sixth of
 * its CPU: 1.0 to 1.9 %.
 */
const UNKNOWN_RESTING_SHARE = 0.02;
/** An arm that rests between turns may use this much more than when it was left alone: its caches are cold. */
const MOST_OF_ALONE = 1.5;

/**
 * CPU time of an arm between its turns beyond its use at rest, in ms. `aloneShare`: its share of one CPU at rest when all arms were
 * left alone; undefined where that is not known.
 */
export function laterCpuMs(idleCpuMs: number, idleMs: number, aloneShare: number | undefined): number {
  const alone = aloneShare ?? UNKNOWN_RESTING_SHARE / MOST_OF_ALONE;
  return Math.max(0, idleCpuMs - MOST_OF_ALONE * Math.max(LEAST_RESTING_SHARE, alone) * idleMs);
}

/** True where so much CPU between turns matters, beside the CPU in the arm's own turns and their length. */
export function isMuchLater(laterMs: number, { ownMs, turnsMs }: { ownMs: number; turnsMs: number }): boolean {
  return laterMs > Math.max(MOST_LATER_SHARE * ownMs, LEAST_LATER_CPU * turnsMs);
}
