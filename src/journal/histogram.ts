// Its index takes four times as long to load: it makes formatters of numbers, and unpacks WebAssembly.
import { doDecode } from 'hdr-histogram-js/dist/JsHistogram.encoding.js';
import type { JsHistogram } from 'hdr-histogram-js/dist/JsHistogram.js';
import { constructorFromBucketSize } from 'hdr-histogram-js/dist/JsHistogramFactory.js';
import { PgsweepError } from '../base/errors.ts';
import type { LatencyRecord } from './latency-record.ts';

/** Latencies are counted from 1 µs to 10 minutes; a longer one counts as 10 minutes. */
const HIGHEST_US = 10 * 60 * 1_000_000;
/** Counts of 32 bits. */
const Counts = constructorFromBucketSize(32);

/** Counts latencies in whole microseconds, to three significant digits, in constant memory. */
export interface LatencyHistogram {
  /** Counts a latency once, or this many times. */
  record(latencyUs: number, times?: number): void;
  /** Another one that has counted the same so far. */
  copy(): LatencyHistogram;
  /** Counts, percentiles and the encoded histogram. With no latencies all numbers are 0. */
  toRecord(): LatencyRecord;
}

/** From 1 µs, to three significant digits. */
function build(): JsHistogram {
  const histogram = new Counts(1, HIGHEST_US, 3);
  histogram.autoResize = true;
  return histogram;
}

export function createLatencyHistogram(): LatencyHistogram {
  return counting(build(), 0);
}

/** HdrHistogram's own mean is that of bucket middles; the true one costs one addition. */
function counting(histogram: JsHistogram, sumSoFarUs: number): LatencyHistogram {
  let sumUs = sumSoFarUs;
  return {
    record(latencyUs, times = 1) {
      sumUs += times * latencyUs;
      histogram.recordValueWithCount(Math.min(Math.max(0, Math.round(latencyUs)), HIGHEST_US), times);
    },
    copy() {
      const other = build();
      other.add(histogram);
      return counting(other, sumUs);
    },
    toRecord: () => toRecord(histogram, sumUs),
  };
}

function toRecord(histogram: JsHistogram, sumUs: number): LatencyRecord {
  const count = histogram.totalCount;
  if (count === 0) return { count, meanUs: 0, p50Us: 0, p95Us: 0, p99Us: 0, maxUs: 0, histogram: '' };
  return {
    count,
    meanUs: sumUs / count,
    p50Us: histogram.getValueAtPercentile(50),
    p95Us: histogram.getValueAtPercentile(95),
    p99Us: histogram.getValueAtPercentile(99),
    maxUs: histogram.maxValue,
    histogram: encode(histogram),
  };
}

/** The latencies of several records together. Throws PgsweepError `journal` where one cannot be read. */
export function mergedLatencies(records: readonly LatencyRecord[]): LatencyRecord {
  const known = records.filter(({ count }) => count > 0);
  const [only] = known;
  if (known.length === 1 && only !== undefined) return only;
  const merged = build();
  for (const { histogram } of known) merged.add(decode(histogram));
  const sumUs = known.reduce((sum, { count, meanUs }) => sum + count * meanUs, 0);
  // The buckets of a histogram that was encoded know the largest no better than they are wide.
  return { ...toRecord(merged, sumUs), maxUs: Math.max(0, ...known.map(({ maxUs }) => maxUs)) };
}

/** The latency in µs that this many percent of a record's do not exceed. Throws PgsweepError `journal` where it cannot be read. */
export function percentileUs({ histogram }: Pick<LatencyRecord, 'histogram'>, percent: number): number {
  try {
    return decode(histogram).getValueAtPercentile(percent);
  } catch (error) {
    throw new PgsweepError('journal', 'a histogram cannot be read', { cause: error });
  }
}

/** This many latencies of 0. */
export function zeroLatencies(count: number): LatencyRecord {
  const histogram = createLatencyHistogram();
  if (count > 0) histogram.record(0, count);
  return histogram.toRecord();
}

function decode(text: string): JsHistogram {
  return doDecode(bytesOf(text));
}

/** HdrHistogram V2, with words of up to nine bytes. */
const COOKIE = 0x1c849313;
/** Before the counts stands a header of 40 bytes. */
const HEADER_BYTES = 40;
/** A count or a run of empty buckets takes at most so many: neither comes near 2^34. */
const MOST_WORD_BYTES = 5;

/**
 * As HdrHistogram encodes it, but not compressed: its LEB128 counts are short as they are, and the library, which
 * always compresses, takes several times as long.
 */
function encode(histogram: JsHistogram): string {
  const end = histogram.countsArrayIndex(histogram.maxValue) + 1;
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + MOST_WORD_BYTES * end);
  let at = HEADER_BYTES;
  const write = (zigZag: number): void => {
    let rest = zigZag;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes[at++] = (rest % 0x80) | 0x80;
    bytes[at++] = rest;
  };
  for (let bucket = 0, empty = 0; bucket < end; bucket++) {
    const count = histogram.getCountAtIndex(bucket);
    if (count === 0) {
      empty++;
      continue;
    }
    // A single empty bucket is a count of 0, more are their number below 0.
    if (empty > 0) write(empty === 1 ? 0 : 2 * empty - 1);
    write(2 * count);
    empty = 0;
  }
  const header = [COOKIE, at - HEADER_BYTES, 1, 3];
  for (const [word, value] of header.entries()) bytes.writeInt32BE(value, 4 * word);
  for (const [word, value] of [1, HIGHEST_US, 1].entries()) bytes.writeBigInt64BE(BigInt(value), 16 + 8 * word);
  return bytes.toString('base64', 0, at);
}

/** The buckets of a histogram of 3 digits, from 1 µs: 10 minutes are in the 22,000th. */
export const MAX_BUCKETS = 2 ** 16;
/** A histogram of all buckets; a longer one is none. */
const MOST_BYTES = 8 * MAX_BUCKETS;
/**
 * Adds an encoded histogram (HdrHistogram V2, base64: the journal's) to counts by bucket. Returns in which buckets.
 * Throws PgsweepError `journal` where it is none, or counts more or fewer latencies than its record says.
 */
export function addHistogram(
  { histogram, count }: Pick<LatencyRecord, 'histogram' | 'count'>,
  buckets: Float64Array,
): { readonly first: number; readonly end: number } {
  const added = addEncoded(bytesOf(histogram), buckets);
  if (added.count !== count) {
    throw new PgsweepError('journal', `a histogram counts ${added.count} latencies where its record says ${count}`);
  }
  return added;
}

function bytesOf(histogram: string): Uint8Array {
  if (histogram.length > 2 * MOST_BYTES)
    throw new PgsweepError('journal', 'a histogram cannot be read: it is too long');
  return Buffer.from(histogram, 'base64');
}

/**
 * Adds the counts of an encoded histogram to those of the buckets. Returns in which buckets, and how many. The counts
 * are ZigZag LEB128: seven bits a byte, the lowest first; a positive number is a bucket's count (none comes near 2^30),
 * a negative one a run of empty buckets. These are distinguished without a branch, which the processor would guess wrong
 * too often, and what is read is not checked for being there (`as number`): each takes a third of the time off.
 */
function addEncoded(bytes: Uint8Array, buckets: Float64Array): { first: number; end: number; count: number } {
  let [bucket, count] = [0, 0];
  const length = bytes.length;
  for (let at = HEADER_BYTES; at < length && bucket < MAX_BUCKETS; ) {
    let value = bytes[at++] as number;
    for (let bits = 7; value >= 1 << bits; bits += 7) {
      value = (value & ((1 << bits) - 1)) | ((bytes[at++] as number) << bits);
    }
    const isRun = value & 1;
    const own = (value >>> 1) & (isRun - 1);
    buckets[bucket] = (buckets[bucket] as number) + own;
    count += own;
    bucket += 1 + ((value >>> 1) & -isRun);
  }
  const end = Math.min(bucket, MAX_BUCKETS);
  let first = 0;
  while (first < end && buckets[first] === 0) first++;
  return { first, end, count };
}
