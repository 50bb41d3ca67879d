/** Connection time that is lost while the last answers of a turn are waited for. */
export interface Drain {
  /** An answer came; this many requests are still under way. */
  answered(underWay: number): void;
  /** Idle time so far, as time of all connections that were busy when sending stopped. */
  readonly idleMs: number;
}

/** Begins when sending stops, with this many requests under way. */
export function startDrain(busy: number): Drain {
  let sinceMs = performance.now();
  let idleMs = 0;
  return {
    answered(underWay) {
      const nowMs = performance.now();
      const rested = busy - underWay - 1;
      idleMs += ((nowMs - sinceMs) * rested) / busy;
      sinceMs = nowMs;
    },
    get idleMs() {
      return idleMs;
    },
  };
}
