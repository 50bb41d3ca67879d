/** How much earlier than a moment a sleeping thread must be woken, so that it is awake then. */
export interface Lead {
  /** In ms. */
  ms(): number;
  /** It was awake this much later than it was to be woken. */
  add(lateMs: number): void;
}

/** The rest is waited for awake, at the price of CPU: a processor that slept deeper than that is rare. */
const MOST_MS = 0.25;
const STEP_MS = 0.005;

/**
 * The median of how late it was, which changes with what else the machine does: an idle virtual processor takes 0.1 to 0.3 ms to wake, a busy
 * one 0.01 ms. It moves by a small step each time (stochastic approximation: Robbins and Monro 1951).
 */
export function createLead(): Lead {
  let nowMs = MOST_MS / 2;
  return {
    ms: () => nowMs,
    add(lateMs) {
      nowMs = Math.max(0, Math.min(MOST_MS, nowMs + (lateMs > nowMs ? STEP_MS : -STEP_MS)));
    },
  };
}
