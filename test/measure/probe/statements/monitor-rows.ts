import { expect } from 'vitest';
import { UTILITY_TEXT } from '../../../../src/measure/probe/statements/pg-stat-monitor.ts';
import { truth } from './monitor-load.ts';

export type Row = Readonly<Record<string, string | number | null>>;

/** Rows of statements that did not fail, by the beginning of their text. */
export const rowsOf = (rows: readonly Row[], start: string): Row[] =>
  rows.filter((row) => row.sqlstate === undefined && String(row.statement).startsWith(start));

export const callsOf = (rows: readonly Row[], start: string): number => sumOf(rowsOf(rows, start), 'calls');

function sumOf(rows: readonly Row[], name: string): number {
  return rows.reduce((sum, row) => sum + Number(row[name]), 0);
}

/** A release, and whether it can tell utility statements apart: not where pg_stat_statements is preloaded after it. */
export interface Told {
  readonly release: string;
  readonly utilityApart: boolean;
}

/** What the probe tells of the load of monitor-load.ts, whichever release has counted it. */
export function expectTruth(rows: readonly Row[], { release, utilityApart }: Told): void {
  const isOne = release.startsWith('1.');
  for (const [text, calls] of Object.entries(truth.calls)) expect([text, callsOf(rows, text)]).toEqual([text, calls]);
  for (const [text, count] of Object.entries(truth.rows)) {
    expect([text, sumOf(rowsOf(rows, text), 'rows')]).toEqual([text, count]);
  }
  const failed = (text: string): Row[] => rows.filter((row) => row.sqlstate !== undefined && row.statement === text);
  for (const [text, [state, calls]] of Object.entries(truth.failures)) {
    // 1.x says that it failed, once a bucket: what has failed in the warm-up already is not seen to fail again.
    if (isOne && failed(text).length === 0) expect(state).toBe('23505');
    else expect(failed(text)).toEqual([expect.objectContaining({ sqlstate: state, calls: isOne ? 1 : calls })]);
  }
  expect(rowsOf(rows, truth.planned.text)).toEqual([
    expect.objectContaining({ different_plans: 1, plan: truth.planned.plan }),
  ]);
  const [[warned, warning]] = truth.warned;
  expect(failed(warned)).toEqual([expect.objectContaining({ sqlstate: warning })]);
  const { text, sqlstate, failures, calls } = truth.failingUtility;
  const [told] = failed(text);
  // What is to be 2.4 forgets a failure with the next call that does not fail.
  if (!release.startsWith('2.4') || told !== undefined) {
    expect(told).toMatchObject({ sqlstate });
    expect([...(utilityApart ? [null] : []), isOne ? 1 : failures]).toContain(told?.calls);
  }
  if (utilityApart) expect([calls, calls - failures]).toContain(callsOf(rows, text));
  expectUtility(rows, { release, utilityApart });
  for (const row of rowsOf(rows, '')) expectHistogram(row);
}

function expectUtility(rows: readonly Row[], { release, utilityApart }: Told): void {
  if (utilityApart) {
    for (const [text, calls] of Object.entries(truth.utility)) {
      // 2.0 counts the warning as a call.
      const counts = text === truth.warned[0][0] ? [calls, calls + 1] : [calls];
      expect([text, counts]).toEqual([text, expect.arrayContaining([callsOf(rows, text)])]);
    }
  } else if (!release.startsWith('1.')) {
    const { calls, failures } = truth.failingUtility;
    const all = Object.values(truth.utility).reduce((sum, count) => sum + count, 0) + calls - failures;
    expect(callsOf(rows, UTILITY_TEXT)).toBe(all);
  }
}

/** Every call is in one class, and the mean lies in those that have any. */
export function expectHistogram({ statement, calls, mean_ms, response_times }: Row): void {
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
