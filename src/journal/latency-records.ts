/** Latencies of one slice's answers as expected: 2xx, where the scenario declares nothing else. Failures have none. */
export interface LatencyRecord {
  readonly count: number;
  readonly meanUs: number;
  readonly p50Us: number;
  readonly p95Us: number;
  readonly p99Us: number;
  readonly maxUs: number;
  /** HdrHistogram V2, 3 digits, microseconds, base64; compressed in old journals. Merge these; never average percentiles. */
  readonly histogram: string;
}

/**
 * The parts of a slice's latencies, told apart as `ab` does: connecting, then (processing) until the answer has come
 * whole; of that, waiting for its first byte. Each is of as many requests as have a latency, and absent where it says
 * nothing of its own.
 */
export interface PartsRecord {
  /** Absent where no request opened its connection, so that it is 0 for all. */
  readonly connect?: LatencyRecord;
  /** Absent where it is the latency itself. */
  readonly processing?: LatencyRecord;
  /** Absent where it is processing itself, since every answer came in one piece. */
  readonly waiting?: LatencyRecord;
}
