import { followMedian } from './follow-median.ts';

/** Time that a proxy itself takes in each direction. It is taken off the delay that it makes. */
export interface OwnTime {
  /** In ms. */
  ms(): number;
  /** A round trip through the proxy took so much longer than a direct one. */
  add(addedMs: number): void;
}

/** No proxy takes longer: more is a machine that is busy with something else. */
const MOST_MS = 0.25;
const TYPICAL_MS = 0.1;
/** Large steps until it is about right, then small ones. */
const [FIRST_TRIPS, FIRST_STEP_MS, STEP_MS] = [40, 0.01, 0.003];

/**
 * Follows what makes the median of the added time the round trip that is asked for, and so what the machine does meanwhile: a
 * processor that has slept takes 0.05 to 0.3 ms longer than a busy one.
 */
export function createOwnTime(rttMs: number): OwnTime {
  const own = followMedian({
    fromMs: TYPICAL_MS,
    mostMs: Math.min(MOST_MS, rttMs / 2),
    stepMs: (seen) => (seen < FIRST_TRIPS ? FIRST_STEP_MS : STEP_MS),
  });
  return { ms: own.ms, add: (addedMs) => own.add(addedMs > rttMs) };
}
