import type { DistanceSpec } from '../../../journal/link/distance.ts';

/** One direction between a service and its database, which all its connections share. */
export interface Wire {
  /** A connection that is opened now. Its handshake takes a round trip, before which nothing of the service's is sent. */
  connect(nowMs: number, sentBy: 'service' | 'database'): Line;
}

/** One direction of a connection. */
export interface Line {
  /** When this many bytes arrive that are sent now: never before those that were sent earlier. */
  arrivalMs(nowMs: number, bytes: number): number;
}

export interface WireOptions {
  /** 0 to 1. */
  readonly random: () => number;
  /** Time that the proxy itself takes of the delay in each direction, which is not added again. */
  readonly ownMs: () => number;
}

/**
 * Half of the round trip, jitter spread evenly, and a wire that is taken for as long as the bytes of all connections take
 * at its bandwidth. What is sent while earlier bytes are under way does not wait for them to arrive: requests that a
 * service pipelines take one round trip together.
 */
export function createWire({ rttMs, jitterMs = 0, bandwidthMbit }: DistanceSpec, options: WireOptions): Wire {
  const msPerByte = bandwidthMbit === undefined ? 0 : 8 / (1000 * bandwidthMbit);
  let freeMs = 0;
  return {
    connect(openedMs, sentBy) {
      // Others send meanwhile: what waits for a handshake is not on the wire yet.
      let sentMs = sentBy === 'service' ? openedMs + rttMs : openedMs;
      let lastMs = 0;
      return {
        arrivalMs(nowMs, bytes) {
          const takenMs = bytes * msPerByte;
          freeMs = Math.max(nowMs, freeMs) + takenMs;
          sentMs = Math.max(freeMs, sentMs + takenMs);
          const delayMs = (rttMs + (2 * options.random() - 1) * jitterMs) / 2;
          lastMs = Math.max(lastMs, sentMs + Math.max(0, delayMs - options.ownMs()));
          return lastMs;
        },
      };
    },
  };
}
