import { addHistogram, MAX_BUCKETS } from '../../../journal/histogram.ts';
import type { LatencyRecord, SliceRecord } from '../../../journal/records.ts';
import { highestOf, needed } from './latency-counts.ts';

/** Percentiles are kept of no more names: a journal of somebody else's may hold any number. */
const MOST_NAMES = 50;

/**
 * The latencies of a cell's requests by their names, over all its rounds. A name has far fewer different latencies than a
 * histogram has buckets, so that only those are kept that have any.
 */
export class RequestLatencies {
  readonly #byName = new Map<string, Map<number, number>>();

  add({ byRequest }: Pick<SliceRecord, 'byRequest'>): void {
    for (const [name, { latency }] of Object.entries(byRequest)) {
      const counts = this.#byName.get(name) ?? new Map<number, number>();
      if (latency.count === 0 || (this.#byName.size >= MOST_NAMES && !this.#byName.has(name))) continue;
      this.#byName.set(name, counts);
      addRecord(latency, counts);
    }
  }

  /** The latencies at ascending percentiles, in microseconds, as HdrHistogram reads them; null where none are known. */
  percentilesUs(name: string, percents: readonly number[]): number[] | null {
    const counts = this.#byName.get(name);
    if (counts === undefined) return null;
    const buckets = [...counts].sort(([a], [b]) => a - b);
    const all = buckets.reduce((sum, [, count]) => sum + count, 0);
    let [place, below] = [0, 0];
    return percents.map((percent) => {
      const wanted = needed(percent, all);
      for (; below < wanted && place < buckets.length; place++) below += buckets[place]?.[1] ?? 0;
      return highestOf(buckets[place - 1]?.[0] ?? 0);
    });
  }
}

/** All its counts are 0 between two uses. */
const scratch = new Float64Array(MAX_BUCKETS);

function addRecord(latency: LatencyRecord, counts: Map<number, number>): void {
  const { first, end } = addHistogram(latency, scratch);
  for (let bucket = first; bucket < end; bucket++) {
    const own = scratch[bucket] ?? 0;
    if (own > 0) counts.set(bucket, (counts.get(bucket) ?? 0) + own);
  }
  scratch.fill(0, first, end);
}
