import type { Failures } from '../types.ts';
import { type MeasuredMetric, printed, type ToolResult } from './tool-result.ts';

/** True for the last output of pgbench. */
export function isPgbench(text: string): boolean {
  return /\btps = [\d.]+/.test(text) && /\bnumber of transactions actually processed: /.test(text);
}

/**
 * The last output of pgbench of Postgres 10 to 18 (printResults in src/bin/pgbench/pgbench.c). Where connections are
 * made once, tps is the one without the time to connect. `latency average` is of all transactions. What a rate with a limit
 * of latency (-R, -L) skips has failed. Of a run with aborted clients nothing is measured, which stderr says.
 */
export function readPgbench(text: string): ToolResult[] {
  const number = (pattern: RegExp): number | null => {
    const found = pattern.exec(text)?.[1];
    return found === undefined ? null : Number(found);
  };
  const tps =
    number(/\btps = ([\d.]+) \((?:without initial connection|excluding connections)/) ?? number(/\btps = ([\d.]+)/);
  const processed = number(/\bnumber of transactions actually processed: (\d+)/);
  const failed =
    (number(/\bnumber of failed transactions: (\d+)/) ?? 0) +
    (number(/(?<!- )\bnumber of transactions skipped: (\d+)/) ?? 0);
  const aborted = abortedClients(text);
  const seconds =
    number(/\bduration: (\d+) s$/m) ?? (tps !== null && tps > 0 && processed !== null ? processed / tps : null);
  const times = [
    ['latency_mean_ms', /\blatency average = ([\d.]+) ms/],
    ['latency_stddev_ms', /\blatency stddev = ([\d.]+) ms/],
    ['initial_connection_ms', /\binitial connection time = ([\d.]+) ms/],
  ] as const;
  const measured: MeasuredMetric[] = [
    // With six decimals.
    ...(tps === null ? [] : [{ name: 'transactions_per_s', unit: '1/s', value: tps }]),
    ...times.flatMap(([name, pattern]): MeasuredMetric[] => {
      const digits = pattern.exec(text)?.[1];
      return digits === undefined ? [] : [{ name, unit: 'ms', ...printed(digits) }];
    }),
  ];
  const counted = processed === null ? null : { count: failed, among: processed + failed };
  return [
    {
      name: null,
      metrics: aborted === null ? measured : measured.map((metric) => ({ ...metric, value: null })),
      startMs: null,
      durationMs: seconds === null ? null : 1000 * seconds,
      samples: processed,
      failures: aborted ?? counted,
    },
  ];
}

/** The clients that an error ended, among all; null where all came to their end. */
function abortedClients(text: string): Failures | null {
  const clients = new Set([...text.matchAll(/\bclient (\d+) (?:script \d+ )?aborted\b/g)].map(([, client]) => client));
  if (clients.size === 0 && !text.includes('Run was aborted; the above results are incomplete')) return null;
  const all = Number(/\bnumber of clients: (\d+)/.exec(text)?.[1] ?? 1);
  return { count: Math.max(1, clients.size), among: Math.max(all, clients.size), ofClients: true };
}
