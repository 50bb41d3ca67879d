/** Time that a proxy itself takes in each direction. It is taken off the delay that it makes. */
export interface OwnTime {
  /** In ms. */
  ms(): number;
  /** A round trip through the proxy took this much longer than a direct one. */
  add(addedMs: number): void;
}

/** No proxy takes longer: more is a machine that is busy with something else. */
const MOST_MS = 0.25;
const TYPICAL_MS = 0.1;
/** A part of the difference, so that single trips matter little; bounded, so that a late one is no more than one of many. */
const [GAIN, MOST_STEP_MS] = [0.1, 0.01];

/**
 * Follows what makes a usual round trip the one that is asked for (stochastic approximation: Robbins and Monro 1951; bounded
 * steps: Huber 1964), and so what the machine does meanwhile: a processor that has slept takes 0.05 to 0.3 ms longer than a
 * busy one. After a busy moment it is right again within 40 trips: signs alone would take hundreds.
 */
export function createOwnTime(rttMs: number): OwnTime {
  const mostMs = Math.min(MOST_MS, rttMs / 2);
  let nowMs = Math.min(TYPICAL_MS, mostMs);
  return {
    ms: () => nowMs,
    add(addedMs) {
      const step = Math.max(-MOST_STEP_MS, Math.min(MOST_STEP_MS, GAIN * (addedMs - rttMs)));
      nowMs = Math.max(0, Math.min(mostMs, nowMs + step));
    },
  };
}
