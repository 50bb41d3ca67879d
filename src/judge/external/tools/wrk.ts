import { meanMs, percentileMs, printed, requestsPerSecond, type ToolResult } from './tool-result.ts';

/** True for the last output of wrk, or wrk2. */
export function isWrk(text: string): boolean {
  return /\bRequests\/sec:\s+[\d.]+/.test(text) && /\bThread Stats\s/.test(text);
}

const TIME_MS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const BYTES: Readonly<Record<string, number>> = {
  '': 1,
  K: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
  T: 1024 ** 4,
  P: 1024 ** 5,
};

/** wrk2 with -U has a second list, of times from when a request was sent and not from when it was due, as its mean is. */
const UNCORRECTED = /^.*\bLatency Distribution .*Uncorrected/m;

/**
 * The output of wrk (src/wrk.c, src/units.c): counts of the whole run, latency of each answer, percentiles with
 * --latency.
 */
export function readWrk(text: string): ToolResult[] {
  const count = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);
  const [, total, time = '', timeUnit = ''] = /\s(\d+) requests in ([\d.]+)(us|ms|s|m|h)\b/m.exec(text) ?? [];
  const requests = Number(total ?? 0);
  const durationMs = total === undefined ? null : Number(time) * (TIME_MS[timeUnit] ?? 0);
  const statuses = count(/\bNon-2xx or 3xx responses: (\d+)/);
  const sockets = /\bSocket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/m.exec(text);
  const socketErrors = (sockets ?? []).slice(1).reduce((all, one) => all + Number(one), 0);
  const rate = count(/\bRequests\/sec:\s+([\d.]+)/);
  const failed = statuses + socketErrors;
  const [, meanText = '', meanUnit = ''] = /\bLatency\s+([\d.]+)(us|ms|s|m|h)\b/m.exec(text) ?? [];
  const [, bytes = '', bytesUnit = ''] = /\bTransfer\/sec:\s+([\d.]+)([KMGTP]?)B/m.exec(text) ?? [];
  const [corrected = ''] = text.split(UNCORRECTED);
  const percentiles = [...corrected.matchAll(/\s(\d+(?:\.\d+)?)%\s+([\d.]+)(us|ms|s|m|h)\s*$/gm)].flatMap(
    ([, percent, value, unit = '']) =>
      Number(percent) < 100
        ? [{ ...percentileMs(Number(percent), 0), ...printed(value ?? '', TIME_MS[unit] ?? 0) }]
        : [],
  );
  return [
    {
      name: null,
      metrics: [
        requestsPerSecond(requests === 0 ? rate : rate * (1 - statuses / requests)),
        ...(meanText === '' ? [] : [{ ...meanMs(0), ...printed(meanText, TIME_MS[meanUnit] ?? 0) }]),
        ...percentiles,
        ...(bytes === ''
          ? []
          : [{ name: 'throughput_bytes_per_s', unit: 'B/s', ...printed(bytes, BYTES[bytesUnit] ?? 1) }]),
      ],
      startMs: null,
      durationMs,
      samples: requests,
      failures: { count: failed, among: requests + socketErrors },
    },
  ];
}
