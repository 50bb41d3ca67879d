import { expect } from 'vitest';
import { truth } from './monitor-load.ts';

export type Row = Readonly<Record<string, string | number | null>>;

/** Rows of statements that did not fail, by the beginning of their text. */
export const rowsOf = (rows: readonly Row[], start: string): Row[] =>
  rows.filter((row) => row.sqlstate === undefined && String(row.statement).startsWith(start));

export const callsOf = (rows: readonly Row[], start: string): number => sumOf(rowsOf(rows, start), 'calls');

function sumOf(rows: readonly Row[], name: string): number {
  return rows.reduce((sum, row) => sum + Number(row[name]), 0);
}

/** What the probe tells of the load of monitor-load.ts, whichever release has counted it. */
export function expectTruth(rows: readonly Row[], release: string): void {
  for (const [text, calls] of Object.entries(truth.calls)) expect([text, callsOf(rows, text)]).toEqual([text, calls]);
  for (const [text, count] of Object.entries(truth.rows)) {
    expect([text, sumOf(rowsOf(rows, text), 'rows')]).toEqual([text, count]);
  }
  const failed = (text: string): Row[] => rows.filter((row) => row.sqlstate !== undefined && row.statement === text);
  for (const [text, [state, calls]] of Object.entries(truth.failures)) {
    // 1.x says that it failed, once a bucket.
    const told = release.startsWith('1.') ? 1 : calls;
    expect(failed(text)).toEqual([expect.objectContaining({ sqlstate: state, calls: told })]);
  }
  for (const row of rowsOf(rows, '')) expectHistogram(row);
}

/** Every call is in one class, and the mean lies in those that have any. */
function expectHistogram({ statement, calls, mean_ms, response_times }: Row): void {
  const classes = [...String(response_times).matchAll(/(?:over ([\d.]+)|([\d.]+) - ([\d.]+)) ms: (\d+)/g)];
  const bounds = classes.map(([, over, from, to, count]) => ({
    from: Number(over ?? from),
    to: to === undefined ? Number.POSITIVE_INFINITY : Number(to),
    count: Number(count),
  }));
  expect([statement, bounds.reduce((sum, { count }) => sum + count, 0)]).toEqual([statement, calls]);
  expect(Number(mean_ms)).toBeGreaterThanOrEqual(Math.min(...bounds.map(({ from }) => from)));
  expect(Number(mean_ms)).toBeLessThanOrEqual(Math.max(...bounds.map(({ to }) => to)));
}
