/** When the answers to a kind of request came in a turn, and their least latency. */
export interface Came {
  readonly atMs: number[];
  leastMs: number;
}

/** Adds an answer to a kind of request. */
export function addCame(came: (Came | undefined)[], kind: number, atMs: number, latencyMs: number): void {
  const own = came[kind] ?? { atMs: [], leastMs: Number.POSITIVE_INFINITY };
  came[kind] = own;
  own.atMs.push(atMs);
  own.leastMs = Math.min(own.leastMs, latencyMs);
}

/**
 * How many answers came in the part of a turn that counts. A turn begins with nothing under way, so for each kind that part
 * is later by its least latency: of 50 requests a second that are answered after 3 s, 16 a second come from 0.8 to 4 s. A
 * service that falls behind has its queue to answer in that time.
 */
export function cameWithin(came: readonly (Came | undefined)[], inWindow: (atMs: number) => boolean): number {
  let count = 0;
  for (const own of came) {
    if (own === undefined) continue;
    for (const atMs of own.atMs) if (inWindow(atMs - own.leastMs)) count++;
  }
  return count;
}
