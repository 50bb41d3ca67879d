import { inflateSync } from 'node:zlib';
import * as hdr from 'hdr-histogram-js';
import type { LatencyRecord } from './records.ts';

/** Latencies are counted from 1 µs to 10 minutes; a longer one counts as 10 minutes. */
const HIGHEST_US = 10 * 60 * 1_000_000;

/** Counts latencies in whole microseconds, to three significant digits, in constant memory. */
export interface LatencyHistogram {
  record(latencyUs: number): void;
  /** Counts, percentiles and the encoded histogram. With no latencies all numbers are 0. */
  toRecord(): LatencyRecord;
}

function build(): hdr.Histogram {
  return hdr.build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST_US,
    numberOfSignificantValueDigits: 3,
    bitBucketSize: 32,
    useWebAssembly: false,
  });
}

export function createLatencyHistogram(): LatencyHistogram {
  const histogram = build();
  // HdrHistogram's own mean is that of bucket middles; the true one costs one addition.
  let sumUs = 0;
  return {
    record(latencyUs) {
      sumUs += latencyUs;
      histogram.recordValue(Math.min(Math.max(1, Math.round(latencyUs)), HIGHEST_US));
    },
    toRecord: () => toRecord(histogram, sumUs),
  };
}

function toRecord(histogram: hdr.Histogram, sumUs: number): LatencyRecord {
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

/** Ahead of the compressed part stand a cookie and its length. */
const OUTER_HEADER_BYTES = 8;

/** Not compressed: its LEB128 counts are short as they are, and inflating them was most of the work of judging. */
function encode(histogram: hdr.Histogram): string {
  const compressed = Buffer.from(hdr.encodeIntoCompressedBase64(histogram), 'base64');
  return inflateSync(compressed.subarray(OUTER_HEADER_BYTES)).toString('base64');
}
