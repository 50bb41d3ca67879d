import { type MeasuredMetric, printed, type ToolResult } from './tool-result.ts';

/** True for the last output of pgbench. */
export function isPgbench(text: string): boolean {
  return /^tps = [\d.]+/m.test(text) && /^number of transactions actually processed: /m.test(text);
}

/**
 * The last output of pgbench of Postgres 10 to 18 (printResults in src/bin/pgbench/pgbench.c). Where connections are
 * made once, tps is the one without the time to connect. `latency average` is of all transactions.
 */
export function readPgbench(text: string): ToolResult[] {
  const number = (pattern: RegExp): number | null => {
    const found = pattern.exec(text)?.[1];
    return found === undefined ? null : Number(found);
  };
  const tps =
    number(/^tps = ([\d.]+) \((?:without initial connection|excluding connections)/m) ?? number(/^tps = ([\d.]+)/m);
  const processed = number(/^number of transactions actually processed: (\d+)/m);
  const failed = number(/^number of failed transactions: (\d+)/m) ?? 0;
  const seconds =
    number(/^duration: (\d+) s$/m) ?? (tps !== null && tps > 0 && processed !== null ? processed / tps : null);
  const times = [
    ['latency_mean_ms', /^latency average = ([\d.]+) ms/m],
    ['latency_stddev_ms', /^latency stddev = ([\d.]+) ms/m],
    ['initial_connection_ms', /^initial connection time = ([\d.]+) ms/m],
  ] as const;
  return [
    {
      name: null,
      metrics: [
        // With six decimals.
        ...(tps === null ? [] : [{ name: 'transactions_per_s', unit: '1/s', value: tps }]),
        ...times.flatMap(([name, pattern]): MeasuredMetric[] => {
          const digits = pattern.exec(text)?.[1];
          return digits === undefined ? [] : [{ name, unit: 'ms', ...printed(digits) }];
        }),
      ],
      startMs: null,
      durationMs: seconds === null ? null : 1000 * seconds,
      samples: processed,
      failures: processed === null ? null : { count: failed, among: processed + failed },
    },
  ];
}
