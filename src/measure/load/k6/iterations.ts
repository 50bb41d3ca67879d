/** An iteration of one of k6's users. */
export interface K6Iteration {
  readonly vu: string;
  readonly iter: string;
}

/**
 * Iterations of one turn, each from the end of its user's last one. All users begin at the same moment and send in
 * bursts for as long as their iterations stay alike, so a plain count of answers depends on where the window cuts: of
 * eight requests each 1.7 or 1.5 s it saw two bursts or three. Whole iterations have no such ends.
 */
export interface Iterations {
  /** When the iteration of an event began. Times are ms since the start of the turn. */
  seen(iteration: K6Iteration, atMs: number): number;
  ended(iteration: K6Iteration, atMs: number): void;
  /** The turn is over: what has begun and not ended was interrupted at its last event. */
  turnEnded(): void;
  /** How many users have begun an iteration since then. */
  begunSince(atMs: number): number;
}

interface Current {
  readonly iter: string;
  readonly beganMs: number;
  lastMs: number;
  hasEnded: boolean;
}

/** `onEnd` hears of each iteration once. */
export function createIterations(onEnd: (beganMs: number, endedMs: number) => void): Iterations {
  const users = new Map<string, Current>();
  const currentOf = ({ vu, iter }: K6Iteration, atMs: number): Current => {
    const before = users.get(vu);
    if (before?.iter === iter) {
      before.lastMs = Math.max(before.lastMs, atMs);
      return before;
    }
    const current = { iter, beganMs: before?.lastMs ?? 0, lastMs: atMs, hasEnded: false };
    users.set(vu, current);
    return current;
  };
  const end = (current: Current): void => {
    if (!current.hasEnded) onEnd(current.beganMs, current.lastMs);
    current.hasEnded = true;
  };
  return {
    seen: (iteration, atMs) => currentOf(iteration, atMs).beganMs,
    ended: (iteration, atMs) => end(currentOf(iteration, atMs)),
    turnEnded() {
      for (const current of users.values()) end(current);
    },
    begunSince: (atMs) => [...users.values()].filter(({ beganMs }) => beganMs >= atMs).length,
  };
}
