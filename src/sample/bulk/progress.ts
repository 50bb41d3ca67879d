import type { BulkOptions, BulkProgress } from '../../measure/load/load-generator.ts';
import type { OwnClock } from './own-clock.ts';

/** How often progress is reported, of the load's own time. */
const PROGRESS_MS = 500;

type Situation = Pick<BulkProgress, 'documents' | 'total'> & { readonly unmeasured: boolean };

/** Tells how far a load is. */
export interface Progress {
  /** Begins to report, in one turn. The returned function ends it, with a last report where turns are shorter than the interval. */
  during(tell: BulkOptions['onProgress']): () => void;
}

export function createProgress(clock: Pick<OwnClock, 'ownMs'>, look: () => Situation): Progress {
  const pace = createPace(0);
  let toldMs = 0;
  const tellNow = (tell: (progress: BulkProgress) => void): void => {
    const { documents, total, unmeasured } = look();
    toldMs = clock.ownMs;
    const documentsPerSecond = pace.at(toldMs, documents);
    const known = total !== null && documentsPerSecond > 0;
    const leftMs = known ? ((total - documents) * 1000) / documentsPerSecond : null;
    tell({ documents, total, documentsPerSecond, leftMs, unmeasured });
  };
  return {
    during(tell) {
      if (tell === undefined) return () => {};
      const timer = setInterval(() => tellNow(tell), PROGRESS_MS);
      return () => {
        clearInterval(timer);
        if (clock.ownMs - toldMs >= PROGRESS_MS) tellNow(tell);
      };
    },
  };
}

/** Over this long the current rate is taken: shorter is restless, longer is stale. */
const OVER_MS = 5000;

/** The current rate of something that is counted. */
interface Pace {
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
