import { inflateSync } from 'node:zlib';
import type { LatencyRecord } from '../journal/records.ts';

/** What merged histograms tell. */
export type LatencyFigures = Omit<LatencyRecord, 'histogram'>;

/** An inflated histogram has some 3 KB; the usual buffer of 16 KB for each is what the garbage collector then lives on. */
const inflation = { chunkSize: 4096 };

/** Half the linear part of a bucket: 2,048 steps tell 3 digits apart. */
const HALF = 1024;
const MAX_BUCKETS = 2 ** 16;
/** The last byte of the cookie that a compressed histogram begins with: 0x1c849314. */
const COOKIE_BYTE = 3;
const COMPRESSED = 0x14;
/** Before the compressed part stand a cookie and its length; before the counts a header of 40 bytes. */
const OUTER_HEADER_BYTES = 8;
const HEADER_BYTES = 40;

/** Latencies, counted by HdrHistogram's buckets (3 digits, from 1 µs): histograms added up, bucket by bucket. */
export class LatencyCounts {
  readonly #counts = new Float64Array(MAX_BUCKETS);
  /** No bucket before the first, or from the end on, holds any. */
  #first = MAX_BUCKETS;
  #end = 0;
  #count = 0;
  /** Of the exact latencies, not of the buckets. */
  #sumUs = 0;
  #maxUs = 0;

  /** Reads an encoded histogram (HdrHistogram V2, base64: the journal's). */
  addRecord(record: LatencyRecord): void {
    if (record.count === 0) return;
    const encoded = Buffer.from(record.histogram, 'base64');
    const isCompressed = encoded[COOKIE_BYTE] === COMPRESSED;
    const bytes = isCompressed ? inflateSync(encoded.subarray(OUTER_HEADER_BYTES), inflation) : encoded;
    const { first, end, count } = addEncoded(bytes, this.#counts);
    this.#addRange(first, end, count);
    this.#addFigures(record.meanUs * record.count, record.maxUs);
  }

  /** Adds what was added up elsewhere. */
  add(other: LatencyCounts): void {
    const [from, to] = [other.#counts, this.#counts];
    for (let bucket = other.#first; bucket < other.#end; bucket++) {
      to[bucket] = (to[bucket] ?? 0) + (from[bucket] ?? 0);
    }
    this.#addRange(other.#first, other.#end, other.#count);
    this.#addFigures(other.#sumUs, other.#maxUs);
  }

  /** Forgets everything. Cheaper than a new one, of which 512 KB would have to be cleared. */
  clear(): void {
    if (this.#first < this.#end) this.#counts.fill(0, this.#first, this.#end);
    [this.#first, this.#end, this.#count, this.#sumUs, this.#maxUs] = [MAX_BUCKETS, 0, 0, 0, 0];
  }

  /** Reads off the mean and the percentiles, as HdrHistogram does. With no latencies all numbers are 0. */
  figures(): LatencyFigures {
    const [counts, count] = [this.#counts, this.#count];
    if (count === 0) return { count, meanUs: 0, p50Us: 0, p95Us: 0, p99Us: 0, maxUs: 0 };
    const [p50, p95, p99] = [needed(50, count), needed(95, count), needed(99, count)];
    // One pass, without a function for each percentile: this is asked for every cell of every round.
    let [bucket, below] = [this.#first, 0];
    for (; below < p50 && bucket < MAX_BUCKETS; bucket++) below += counts[bucket] ?? 0;
    const p50Us = highestOf(bucket - 1);
    for (; below < p95 && bucket < MAX_BUCKETS; bucket++) below += counts[bucket] ?? 0;
    const p95Us = highestOf(bucket - 1);
    for (; below < p99 && bucket < MAX_BUCKETS; bucket++) below += counts[bucket] ?? 0;
    const p99Us = highestOf(bucket - 1);
    return { count, meanUs: this.#sumUs / count, p50Us, p95Us, p99Us, maxUs: this.#maxUs };
  }

  #addRange(first: number, end: number, count: number): void {
    this.#first = Math.min(this.#first, first);
    this.#end = Math.max(this.#end, end);
    this.#count += count;
  }

  #addFigures(sumUs: number, maxUs: number): void {
    this.#sumUs += sumUs;
    if (maxUs > this.#maxUs) this.#maxUs = maxUs;
  }
}

/** How many latencies a percentile has at or below it. */
function needed(percent: number, count: number): number {
  return Math.max(Math.ceil((percent * count) / 100), 1);
}

/**
 * Adds the counts of an inflated histogram to those of the buckets. Returns in which buckets, and how many. The counts
 * are ZigZag LEB128: seven bits a byte, the lowest first; a positive number is a bucket's count (none comes near 2^30),
 * a negative one a run of empty buckets. These are told apart without a branch, which the processor would guess wrong
 * too often, and what is read is not checked for being there (`as number`): each takes a third of the time off.
 */
function addEncoded(bytes: Uint8Array, buckets: Float64Array): { first: number; end: number; count: number } {
  let [first, bucket, count] = [-1, 0, 0];
  const end = bytes.length;
  for (let at = HEADER_BYTES; at < end; ) {
    let value = bytes[at++] as number;
    if (value >= 0x80) {
      value &= 0x7f;
      let shift = 7;
      let byte = 0;
      do {
        byte = bytes[at++] as number;
        value |= (byte & 0x7f) << shift;
        shift += 7;
      } while (byte >= 0x80);
    }
    const isRun = value & 1;
    const own = (value >>> 1) & (isRun - 1);
    buckets[bucket] = (buckets[bucket] as number) + own;
    count += own;
    bucket += 1 + ((value >>> 1) & -isRun);
    // Most histograms begin with a run up to the fastest answer.
    if (first < 0) first = bucket - 1;
  }
  return { first: Math.max(0, first), end: bucket, count };
}

/** The largest whole latency that a bucket counts. */
function highestOf(bucket: number): number {
  if (bucket < 2 * HALF) return bucket;
  const step = 2 ** (Math.floor(bucket / HALF) - 1);
  return ((bucket % HALF) + HALF + 1) * step - 1;
}
