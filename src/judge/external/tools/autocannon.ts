import { z } from 'zod';
import { type MeasuredMetric, meanMs, percentileMs, requestsPerSecond, type ToolResult } from './tool-result.ts';

const schema = z.looseObject({
  duration: z.number().positive(),
  start: z.iso.datetime().optional(),
  '2xx': z.number(),
  non2xx: z.number(),
  errors: z.number(),
  timeouts: z.number(),
  latency: z.looseObject({
    mean: z.number(),
    p50: z.number(),
    p90: z.number().optional(),
    p97_5: z.number().optional(),
    p99: z.number(),
  }),
  throughput: z.looseObject({ mean: z.number() }),
  connections: z.number().optional(),
  pipelining: z.number().optional(),
  requests: z.looseObject({ sent: z.number().optional() }).optional(),
});

/** True for the result of `autocannon --json`. */
export function isAutocannon(value: object): boolean {
  return '2xx' in value && 'non2xx' in value && 'latency' in value;
}

/**
 * The result of `autocannon --json` (lib/aggregateResult.js of autocannon 9). Its own mean of requests a second counts
 * failed ones, so 2xx over the duration replaces it. `errors` includes the timeouts. Latencies are of a histogram of
 * whole milliseconds, rounded down, and so is their mean.
 */
export function readAutocannon(value: unknown): ToolResult[] {
  const { latency, throughput, ...result } = schema.parse(value);
  const answered = result['2xx'] + result.non2xx;
  // At its end, a request of each connection is under way.
  const underWay = (result.connections ?? 0) * (result.pipelining ?? 1);
  const unanswered = Math.max(0, (result.requests?.sent ?? 0) - answered - result.errors - underWay);
  const failed = result.non2xx + result.errors + unanswered;
  return [
    {
      name: null,
      metrics: [
        requestsPerSecond(result['2xx'] / result.duration),
        roundedDown(meanMs(latency.mean)),
        roundedDown(percentileMs(50, latency.p50)),
        ...(latency.p90 === undefined ? [] : [roundedDown(percentileMs(90, latency.p90))]),
        ...(latency.p97_5 === undefined ? [] : [roundedDown(percentileMs(97.5, latency.p97_5))]),
        roundedDown(percentileMs(99, latency.p99)),
        { name: 'throughput_bytes_per_s', unit: 'B/s', value: throughput.mean },
      ],
      startMs: result.start === undefined ? null : Date.parse(result.start),
      durationMs: 1000 * result.duration,
      samples: answered,
      failures: { count: failed, among: result['2xx'] + failed },
    },
  ];
}

function roundedDown(metric: MeasuredMetric): MeasuredMetric {
  return { ...metric, rounding: { below: 0, above: 1 } };
}
