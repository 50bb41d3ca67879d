import { meanMs, percentileMs, printed, requestsPerSecond, type ToolResult } from './tool-result.ts';

/** True for the last output of ab, the benchmark of Apache. */
export function isAb(text: string): boolean {
  return /\bRequests per second:\s+[\d.]+ \[#\/sec\]/.test(text) && /\bComplete requests:\s+\d+/.test(text);
}

/** A failure that is none: dynamic pages differ in length. */
const BY_LENGTH = /\(Connect: (\d+), Receive: (\d+), Length: (\d+), Exceptions: (\d+)\)/;

/** The output of ab (output_results in support/ab.c): the mean is by request, percentiles are in whole milliseconds. */
export function readAb(text: string): ToolResult[] {
  const digits = (pattern: RegExp): string | undefined => pattern.exec(text)?.[1];
  const complete = Number(digits(/\bComplete requests:\s+(\d+)/) ?? 0);
  const statuses = Number(digits(/\bNon-2xx responses:\s+(\d+)/) ?? 0);
  const [, connect = 0, receive = 0, , exceptions = 0] = (BY_LENGTH.exec(text) ?? []).map(Number);
  const failed = statuses + connect + receive + exceptions;
  const seconds = Number(digits(/\bTime taken for tests:\s+([\d.]+) seconds/) ?? Number.NaN);
  const rate = Number(digits(/\bRequests per second:\s+([\d.]+)/) ?? 0);
  const mean = digits(/\bTime per request:\s+([\d.]+) \[ms\] \(mean\)/);
  const percentiles = [...text.matchAll(/\s(\d{1,2})%\s+(\d+)\s*$/gm)];
  return [
    {
      name: null,
      metrics: [
        requestsPerSecond(complete === 0 ? 0 : rate * Math.max(0, 1 - failed / complete)),
        ...(mean === undefined ? [] : [{ ...meanMs(0), ...printed(mean) }]),
        ...percentiles.map(([, percent, value = '']) => ({ ...percentileMs(Number(percent), 0), ...printed(value) })),
      ],
      startMs: null,
      durationMs: Number.isNaN(seconds) ? null : 1000 * seconds,
      samples: complete,
      failures: { count: failed, among: Math.max(complete, failed) },
    },
  ];
}
