/**
 * Watches a server's time of day. By it sessions decide when to report their counters: after a step back they keep what
 * they did for as long as the step was, after a step forward they report too early.
 */
export interface ServerClock {
  /** Takes the server's time, with the moments when it was asked and when it had answered, on this machine's own clock. */
  see(serverMs: number, askedMs: number, answeredMs: number): void;
  /** True if sessions may have reported late or early after this moment, since the time was set. */
  wasSet(sinceMs: number): boolean;
}

/** Smaller steps do no harm: turns that are read are shorter than a second by more. Answers that come late hide no step. */
const STEP_MS = 200;

/** `settleMs`: after how long without load a session has reported, by the server's time. */
export function createServerClock(settleMs: number): ServerClock {
  /** How far the server's time is ahead of the monotonic clock: at least, and at most. */
  let ahead: { readonly leastMs: number; readonly mostMs: number } | null = null;
  let unsteadyUntilMs = Number.NEGATIVE_INFINITY;
  return {
    see(serverMs, askedMs, answeredMs) {
      const now = { leastMs: serverMs - answeredMs, mostMs: serverMs - askedMs };
      const before = ahead ?? now;
      ahead = now;
      const isBack = before.leastMs - now.mostMs > STEP_MS;
      if (!isBack && now.leastMs - before.mostMs <= STEP_MS) return;
      const lateMs = isBack ? before.mostMs - now.leastMs : 0;
      unsteadyUntilMs = Math.max(unsteadyUntilMs, answeredMs + lateMs + settleMs);
    },
    wasSet: (sinceMs) => unsteadyUntilMs > sinceMs,
  };
}
