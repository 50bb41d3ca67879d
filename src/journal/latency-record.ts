import { amount, count, fields, optional, text, type ValueOf } from './shape.ts';

/** Latencies of one slice's answers as expected: 2xx, where the scenario declares nothing else. Failures have none. */
export interface LatencyRecord extends ValueOf<typeof latencyRecord> {}
export const latencyRecord = fields({
  count,
  meanUs: amount,
  p50Us: amount,
  p95Us: amount,
  p99Us: amount,
  maxUs: amount,
  /** HdrHistogram V2, 3 digits, microseconds, base64. Merge these; never average percentiles. */
  histogram: text,
});

/**
 * The parts of a slice's latencies, separated as `ab` does: connecting, then (processing) until the answer has come
 * whole; of that, waiting for its first byte. Each covers the requests that have a latency, and is absent where it adds
 * nothing.
 */
export interface PartsRecord extends ValueOf<typeof partsRecord> {}
export const partsRecord = fields({
  /** Absent where no request opened its connection, so that it is 0 for all. */
  connect: optional(latencyRecord),
  /** Absent where it is the latency itself. */
  processing: optional(latencyRecord),
  /** Absent where it is processing itself, since every answer came in one piece. */
  waiting: optional(latencyRecord),
});
