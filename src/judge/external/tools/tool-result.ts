import { answersFor } from '../../../journal/run/percentiles.ts';
import { stepOf } from '../numbers.ts';
import type { ExternalMetric, ExternalRun, Rounding } from '../types.ts';

/** One run as a tool wrote it down. A file of hyperfine has several. */
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
  /** Null where nothing was measured: nobody answered, or the command failed. */
  readonly value: number | null;
}

export type ToolName = 'autocannon' | 'k6' | 'oha' | 'hyperfine' | 'pgbench' | 'wrk' | 'ab';

/** One tool's output, read. */
export interface ToolOutput {
  readonly tool: ToolName;
  readonly results: readonly ToolResult[];
}

/** A percentile of the latency, in ms. */
export function percentileMs(percent: number, value: number): MeasuredMetric {
  return { name: `latency_p${String(percent).replace('.', '_')}_ms`, unit: 'ms', value, needed: answersFor(percent) };
}

/** A number as a tool prints it, such as `1.25`, in a unit of this many of the metric's: rounded to its last digit. */
export function printed(digits: string, unit = 1): { readonly value: number; readonly rounding: Rounding } {
  const half = (stepOf(digits) * unit) / 2;
  return { value: Number(digits) * unit, rounding: { below: half, above: half } };
}

/** 2xx answers a second: a request that failed is no throughput. */
export function requestsPerSecond(value: number): MeasuredMetric {
  return { name: 'requests_per_s', unit: '1/s', value };
}

export function meanMs(value: number): MeasuredMetric {
  return { name: 'latency_mean_ms', unit: 'ms', value };
}
