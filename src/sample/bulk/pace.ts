/** Over so long the current rate is taken: shorter is restless, longer is stale. */
const OVER_MS = 5000;

/** The current rate of something that is counted. */
export interface Pace {
  /** Tells the count at a time, and returns the rate per second over the last seconds. */
  at(nowMs: number, count: number): number;
}

export function createPace(startMs: number): Pace {
  const marks = [{ atMs: startMs, count: 0 }];
  return {
    at(nowMs, count) {
      marks.push({ atMs: nowMs, count });
      while (marks.length > 2 && nowMs - (marks[1]?.atMs ?? nowMs) >= OVER_MS) marks.shift();
      const first = marks[0];
      if (first === undefined || nowMs <= first.atMs) return 0;
      return ((count - first.count) * 1000) / (nowMs - first.atMs);
    },
  };
}
