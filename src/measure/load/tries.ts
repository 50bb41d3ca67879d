/** So few tries a second of all connections together that they cost neither the generator nor the service much. */
const LEAST_GAP_MS = 1;
/** A service that has become slow is tried more often than that. */
const MOST_WAIT_MS = 100;

/**
 * Paces a closed loop whose requests fail at once, as those of a service that takes no more connections: to try again without a
 * pause would fill the generator and the service with nothing but that.
 */
export interface Tries {
  answered(latencyMs: number): void;
  /** For how long a connection waits whose request has failed after this time, in milliseconds. */
  pauseMs(waitedMs: number): number;
}

/**
 * A request that fails sooner than the mean answer came takes as long as that in all: clients who are refused then try as
 * often as others are answered, and the share of requests that fail is that of clients who are refused.
 */
export function createTries(): Tries {
  let answers = 0;
  let sumMs = 0;
  let lastMs = 0;
  return {
    answered(latencyMs) {
      answers++;
      sumMs += latencyMs;
    },
    pauseMs(waitedMs) {
      const leftMs = answers === 0 ? LEAST_GAP_MS : Math.min(sumMs / answers, MOST_WAIT_MS) - waitedMs;
      if (leftMs <= 0) return 0;
      const nowMs = performance.now();
      lastMs = Math.max(nowMs + leftMs, lastMs + LEAST_GAP_MS);
      return lastMs - nowMs;
    },
  };
}
