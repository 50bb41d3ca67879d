import type { BulkOptions, BulkProgress } from '../load-generator.ts';
import type { OwnClock } from './own-clock.ts';

/** How often progress is reported, of the load's own time. */
const PROGRESS_MS = 500;
/** Over this long the current rate is taken: shorter is restless, longer is stale. */
const OVER_MS = 5000;

type Situation = Pick<BulkProgress, 'documents' | 'total'> & { readonly unmeasured: boolean };

/**
 * Reports how far a load is, in one turn after the other. The returned function ends the reports of a turn, with a last one
 * where turns are shorter than the interval.
 */
export function createProgress(
  clock: Pick<OwnClock, 'ownMs'>,
  look: () => Situation,
): (tell: BulkOptions['onProgress']) => () => void {
  let last = { atMs: 0, documents: 0 };
  const marks = [last];
  return (tell) => {
    if (tell === undefined) return () => {};
    const tellNow = (): void => {
      const { documents, total, unmeasured } = look();
      last = { atMs: clock.ownMs, documents };
      marks.push(last);
      while (marks.length > 2 && last.atMs - (marks[1]?.atMs ?? 0) >= OVER_MS) marks.shift();
      const [first = last] = marks;
      const documentsPerSecond = ((documents - first.documents) * 1000) / Math.max(1, last.atMs - first.atMs);
      const known = total !== null && documentsPerSecond > 0;
      const leftMs = known ? ((total - documents) * 1000) / documentsPerSecond : null;
      tell({ documents, total, documentsPerSecond, leftMs, unmeasured });
    };
    const timer = setInterval(tellNow, PROGRESS_MS);
    return () => {
      clearInterval(timer);
      if (clock.ownMs - last.atMs >= PROGRESS_MS) tellNow();
    };
  };
}
