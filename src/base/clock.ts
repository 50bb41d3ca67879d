import { setTimeout as sleep } from 'node:timers/promises';

/** Time, so that a whole sweep can be tested without waiting. */
export interface Clock {
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** The time of day, ISO 8601 in UTC. */
  isoNow(): string;
  /** Rejects with the signal's reason when aborted. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  isoNow: () => new Date().toISOString(),
  async sleep(durationMs, signal) {
    try {
      await sleep(durationMs, undefined, signal && { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
