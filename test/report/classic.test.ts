import { expect, test } from 'vitest';
import { abSummary } from '../../src/report/classic/ab-text.ts';
import { classicTables } from '../../src/report/classic/classic-report.ts';
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
