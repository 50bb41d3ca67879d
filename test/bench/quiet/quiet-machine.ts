import { setTimeout as sleep } from 'node:timers/promises';
import { readMachineCpu } from '../../../src/measure/probe/machine/machine-cpu.ts';

/** How long the tests of a file may still wait for quiet moments, all together: a busy machine must not hold them up for each. */
let leftMs = 30_000;
/** Long enough for ticks of 10 ms to tell 1 % of one core. */
const LOOK_MS = 2000;
/** Half of what voids a slice: this moment must be quieter than a slice needs to be. */
const MOST_BUSY_SHARE = 0.025;
const MOST_STEAL_SHARE = 0.005;

export interface Measured<T> {
  readonly found: T;
  /** Somebody else's load was there: what was found tells nothing of the bench. */
  readonly disturbed: boolean;
}

/**
 * Measures something that needs a quiet machine: at a quiet moment, and again where it was disturbed all the same. What
 * is found disturbed time and again between quiet moments is the bench's own fault, and is not called disturbed.
 */
export async function measureAtQuiet<T>(
  measure: () => Promise<T>,
  isFine: (found: T) => boolean,
  mostAttempts: number,
): Promise<Measured<T>> {
  for (let attempt = 1; ; attempt++) {
    const start = performance.now();
    const quiet = await untilQuiet(leftMs);
    leftMs -= performance.now() - start;
    const found = await measure();
    if (isFine(found)) return { found, disturbed: false };
    if (!quiet) return { found, disturbed: true };
    if (attempt === mostAttempts) return { found, disturbed: !(await untilQuiet(0)) };
  }
}

/** Looks at least once. A machine that does not tell is taken for quiet: it cannot tell of foreign CPU either. */
async function untilQuiet(mostMs: number): Promise<boolean> {
  const end = performance.now() + mostMs;
  for (;;) {
    const before = readMachineCpu();
    await sleep(LOOK_MS);
    const after = readMachineCpu();
    if (before === null || after === null) return true;
    const total = after.total - before.total;
    const isQuiet =
      after.busy - before.busy < MOST_BUSY_SHARE * total && after.steal - before.steal < MOST_STEAL_SHARE * total;
    if (isQuiet || performance.now() >= end) return isQuiet;
  }
}
