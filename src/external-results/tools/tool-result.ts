import type { ExternalMetric, ExternalRun } from '../types.ts';

/** What one run of a tool wrote down. A file of hyperfine has several. */
export interface ToolResult {
  /** Where the tool names what it ran; null elsewhere. */
  readonly name: string | null;
  readonly metrics: readonly MeasuredMetric[];
  /** When it began, in milliseconds since 1970; null where the tool does not say. */
  readonly startMs: number | null;
  /** Null where the tool does not say. */
  readonly durationMs: number | null;
  /** Null where the tool does not count its requests. */
  readonly samples: number | null;
  readonly failures: ExternalRun['failures'];
}

export interface MeasuredMetric extends ExternalMetric {
  readonly value: number;
}

export type ToolName = 'autocannon' | 'k6' | 'oha' | 'hyperfine' | 'pgbench' | 'wrk';

/** One tool's output, read. */
export interface ToolOutput {
  readonly tool: ToolName;
  readonly results: readonly ToolResult[];
}

/** As in a sweep: ten samples beyond a percentile, and more where the tail comes in bursts. */
const NEEDED: Readonly<Record<number, number>> = { 95: 1000, 99: 10_000 };

/** A percentile of the latency, in ms. */
export function percentileMs(percent: number, value: number): MeasuredMetric {
  const needed = NEEDED[percent] ?? Math.round(1000 / Math.min(percent, 100 - percent));
  return { name: `latency_p${String(percent).replace('.', '_')}_ms`, unit: 'ms', value, needed };
}

/** 2xx answers a second: a request that failed is no throughput. */
export function requestsPerSecond(value: number): MeasuredMetric {
  return { name: 'requests_per_s', unit: '1/s', value };
}

export function meanMs(value: number): MeasuredMetric {
  return { name: 'latency_mean_ms', unit: 'ms', value };
}
