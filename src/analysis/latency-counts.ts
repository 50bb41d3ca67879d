import { inflateSync } from 'node:zlib';
import type { LatencyRecord } from '../journal/records.ts';

/**
 * The latencies of some slices, counted by HdrHistogram's buckets (3 digits, from 1 µs). Only the buckets that hold any
 * are kept: a slice fills some hundred of the 20,000, and the judge of a long run has 50,000 slices to merge.
 */
export interface LatencyCounts {
  /** Bucket numbers, ascending. */
  readonly buckets: Uint16Array;
  /** No bucket of a run comes near 4 billion. */
  readonly counts: Uint32Array;
  /** Of the exact latencies, not of the buckets. */
  readonly sumUs: number;
  readonly maxUs: number;
}

/** An inflated histogram has some 3 KB; the usual buffer of 16 KB for each is what the garbage collector then lives on. */
const inflation = { chunkSize: 4096 };

/** What a merged histogram tells. */
export type LatencyFigures = Omit<LatencyRecord, 'histogram'>;

/** Half the linear part of a bucket: 2,048 steps tell 3 digits apart. */
const HALF = 1024;
const MAX_BUCKETS = 2 ** 16;
/** Before the compressed part stand a cookie and its length; before the counts a header of 40 bytes. */
const OUTER_HEADER_BYTES = 8;
const HEADER_BYTES = 40;

/** Adds histograms up, bucket by bucket. One is used again and again: clearing 512 KB for each merge took seconds. */
class Adder {
  readonly #counts = new Float64Array(MAX_BUCKETS);
  #first = MAX_BUCKETS;
  #end = 0;
  #sumUs = 0;
  #maxUs = 0;

  addCounts({ buckets, counts, sumUs, maxUs }: LatencyCounts): void {
    const all = this.#counts;
    for (let i = 0; i < buckets.length; i++) {
      const bucket = buckets[i] ?? 0;
      all[bucket] = (all[bucket] ?? 0) + (counts[i] ?? 0);
    }
    this.#addRange(buckets[0] ?? MAX_BUCKETS, (buckets.at(-1) ?? -1) + 1);
    this.#addFigures(sumUs, maxUs);
  }

  /** Reads an encoded histogram (HdrHistogram V2, compressed, base64: the journal's). */
  addRecord(record: LatencyRecord): void {
    if (record.count === 0) return;
    const bytes = inflateSync(Buffer.from(record.histogram, 'base64').subarray(OUTER_HEADER_BYTES), inflation);
    const all = this.#counts;
    let first = MAX_BUCKETS;
    let bucket = 0;
    for (let at = HEADER_BYTES; at < bytes.length; ) {
      // ZigZag LEB128: seven bits a byte, the lowest first; a negative number is a run of empty buckets.
      let byte = bytes[at++] ?? 0;
      let value = byte & 0x7f;
      for (let scale = 128; byte >= 0x80; scale *= 128) {
        byte = bytes[at++] ?? 0;
        value += (byte & 0x7f) * scale;
      }
      if (value % 2 === 1) {
        bucket += (value + 1) / 2;
      } else {
        all[bucket] = (all[bucket] ?? 0) + value / 2;
        if (value > 0 && first === MAX_BUCKETS) first = bucket;
        bucket++;
      }
    }
    this.#addRange(first, bucket);
    this.#addFigures(record.meanUs * record.count, record.maxUs);
  }

  /** What was added up; the adder is empty then. */
  take(): LatencyCounts {
    const sums = this.#counts.subarray(this.#first, Math.max(this.#first, this.#end));
    let filled = 0;
    for (let i = 0; i < sums.length; i++) if ((sums[i] ?? 0) > 0) filled++;
    const buckets = new Uint16Array(filled);
    const counts = new Uint32Array(filled);
    for (let i = 0, next = 0; next < filled; i++) {
      const count = sums[i] ?? 0;
      if (count === 0) continue;
      buckets[next] = this.#first + i;
      counts[next++] = count;
    }
    const taken = { buckets, counts, sumUs: this.#sumUs, maxUs: this.#maxUs };
    sums.fill(0);
    [this.#first, this.#end, this.#sumUs, this.#maxUs] = [MAX_BUCKETS, 0, 0, 0];
    return taken;
  }

  #addRange(first: number, end: number): void {
    this.#first = Math.min(this.#first, first);
    this.#end = Math.max(this.#end, end);
  }

  #addFigures(sumUs: number, maxUs: number): void {
    this.#sumUs += sumUs;
    if (maxUs > this.#maxUs) this.#maxUs = maxUs;
  }
}

const ofSlices = new Adder();
/** Apart from the one above, which may be at work on a part while this one adds up. */
const ofSamples = new Adder();

/** Merges the histograms of slices. */
export function countsOf(records: readonly LatencyRecord[]): LatencyCounts {
  for (const record of records) ofSlices.addRecord(record);
  return ofSlices.take();
}

/** Merges what was merged before, one after the other, so that the parts are never all in memory at once. */
export function mergeCounts(parts: readonly { latencyCounts(): LatencyCounts }[]): LatencyCounts {
  for (const part of parts) ofSamples.addCounts(part.latencyCounts());
  return ofSamples.take();
}

/** Reads off the mean and the percentiles, as HdrHistogram does. With no latencies all numbers are 0. */
export function figuresOf({ buckets, counts, sumUs, maxUs }: LatencyCounts): LatencyFigures {
  let count = 0;
  for (let i = 0; i < counts.length; i++) count += counts[i] ?? 0;
  if (count === 0) return { count, meanUs: 0, p50Us: 0, p95Us: 0, p99Us: 0, maxUs: 0 };
  let [place, below] = [0, 0];
  /** To be asked for in ascending order: each goes on where the last one stopped. */
  const percentile = (percent: number): number => {
    const needed = Math.max(Math.ceil((percent * count) / 100), 1);
    while (below + (counts[place] ?? 0) < needed) below += counts[place++] ?? 0;
    return highestOf(buckets[place] ?? 0);
  };
  const [p50Us, p95Us, p99Us] = [percentile(50), percentile(95), percentile(99)];
  return { count, meanUs: sumUs / count, p50Us, p95Us, p99Us, maxUs };
}

/** The largest whole latency that a bucket counts. */
function highestOf(bucket: number): number {
  if (bucket < 2 * HALF) return bucket;
  const step = 2 ** (Math.floor(bucket / HALF) - 1);
  return ((bucket % HALF) + HALF + 1) * step - 1;
}
