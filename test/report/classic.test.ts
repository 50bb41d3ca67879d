import { expect, test } from 'vitest';
import type { LoadLevel } from '../../src/journal/scenario-record.ts';
import { abSummary } from '../../src/report/classic/ab-text.ts';
import { classicTables, testRuns } from '../../src/report/classic/classic-report.ts';
import { judged } from '../judge/judged.ts';

test('the control has one value in all tables of the classic style, that of both its arms', () => {
  const summary = judged({ effect: ({ repeat }) => (repeat ? 0.04 : 0), noise: 0.003 });
  for (const [at, load] of summary.run.loads.entries()) {
    const [averages] = classicTables(summary, load);
    const value = averages?.rows[0]?.[1]?.text ?? '';
    expect(value).toMatch(/^\d+\.\d\d$/);
    expect(abSummary(summary)[at]).toContain(`${summary.run.control}: ${value}req/sec`);
  }
});

test('Test Runs has names of load levels that differ in more than their size, and of no others', () => {
  const summary = judged({ noise: 0.003 });
  const headsAndNames = (loads: readonly LoadLevel[]): string[][] => {
    const { columns, rows } = testRuns({ ...summary, run: { ...summary.run, loads } });
    return [columns.slice(0, 3).map(({ head }) => head), ...rows.map((row) => row.slice(0, 3).map(({ text }) => text))];
  };
  expect(
    headsAndNames([
      { connections: 25, of: 'bulk' },
      { connections: 25, workload: 'get-documents' },
    ]),
  ).toEqual([
    ['Test', 'Load', 'Virtual Users'],
    ['1', 'bulk load, 25 connections', '25'],
    ['2', 'get-documents, 25 connections', '25'],
  ]);
  expect(headsAndNames([{ connections: 1 }, { connections: 25 }]).map(([, second]) => second)).toEqual([
    'Virtual Users',
    '1',
    '25',
  ]);
});
