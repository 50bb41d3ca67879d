import { z } from 'zod';
import { sum } from '../../stats/moments.ts';
import { meanMs, percentileMs, requestsPerSecond, type ToolResult } from './tool-result.ts';

const seconds = z.number().nullish();

const schema = z.looseObject({
  summary: z.looseObject({ total: z.number().positive(), average: seconds, sizePerSec: z.number().nullish() }),
  latencyPercentiles: z.looseObject({ p50: seconds, p90: seconds, p95: seconds, p99: seconds }),
  statusCodeDistribution: z.record(z.string(), z.number()),
  errorDistribution: z.record(z.string(), z.number()),
});

/** True for the result of `oha --output-format json`. */
export function isOha(value: object): boolean {
  return 'summary' in value && 'latencyPercentiles' in value && 'statusCodeDistribution' in value;
}

/** oha counts what was under way at the end of its time as an error. */
const DEADLINE = 'aborted due to deadline';

/** The result of `oha --output-format json` (schema.json in its repository): seconds throughout. */
export function readOha(value: unknown): ToolResult[] {
  const { summary, latencyPercentiles: percentiles, ...counts } = schema.parse(value);
  const statuses = Object.entries(counts.statusCodeDistribution);
  const answered = sum(statuses.map(([, count]) => count));
  const ok = sum(statuses.flatMap(([status, count]) => (status.startsWith('2') ? [count] : [])));
  const errors = Object.entries(counts.errorDistribution).flatMap(([text, count]) =>
    text === DEADLINE ? [] : [count],
  );
  const failed = answered - ok + sum(errors);
  const inMs = (percent: number, time: number | null | undefined) =>
    typeof time === 'number' ? [percentileMs(percent, 1000 * time)] : [];
  return [
    {
      name: null,
      metrics: [
        requestsPerSecond(ok / summary.total),
        ...(typeof summary.average === 'number' ? [meanMs(1000 * summary.average)] : []),
        ...inMs(50, percentiles.p50),
        ...inMs(90, percentiles.p90),
        ...inMs(95, percentiles.p95),
        ...inMs(99, percentiles.p99),
        ...(typeof summary.sizePerSec === 'number'
          ? [{ name: 'throughput_bytes_per_s', unit: 'B/s', value: summary.sizePerSec }]
          : []),
      ],
      startMs: null,
      durationMs: 1000 * summary.total,
      samples: answered,
      failures: { count: failed, among: ok + failed },
    },
  ];
}
