import { describe, expect, test } from 'vitest';
import type { Note } from '../../../src/judge/notes.ts';
import { aggregateRun } from '../../../src/judge/read/aggregate-run.ts';
import type { BulkTotals } from '../../../src/judge/read/cells/bulk-loads.ts';
import { requestsPerSecond } from '../../../src/judge/read/metrics/metrics.ts';
import type { ArmCell } from '../../../src/judge/read/run-data.ts';
import type { VoidCounts } from '../../../src/judge/read/void-slices.ts';
import { sum } from '../../../src/judge/stats/moments.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { compareVariants } from '../../../src/judge/verdicts/compare.ts';
import { toComparison } from '../../../src/judge/verdicts/comparison.ts';
import { judgeSession } from '../../../src/judge/verdicts/session.ts';
import { fixtureJournal } from '../journal-fixture.ts';
import { comparison, small } from '../small-run.ts';

describe('events that the control never had', () => {
  const summary = summarize(
    fixtureJournal({
      ...small,
      noise: 0,
      perRequest: ({ variant }) => ({ xact_commit: 1, xact_rollback: variant === 'b' ? 0.001 : 0, tup_deleted: 0 }),
    }),
  );

  test('have no percentage, but an absolute change and its exact interval', () => {
    const rollbacks = comparison(summary, 'xact_rollback_per_s');
    expect(rollbacks).toMatchObject({ deltaPercent: null, interval: null, verdict: 'noise', control: 0, value: 0.4 });
    // 16 events in 40 s against none in 80 s. SciPy 1.17.1: stats.chi2.ppf(.0125, 32) / 2 / 40 - stats.chi2.ppf(.9875, 2) / 2 / 80,
    // stats.chi2.ppf(.9875, 34) / 2 / 40
    expect(rollbacks.rateInterval?.[0]).toBeCloseTo(0.155174, 5);
    expect(rollbacks.rateInterval?.[1]).toBeCloseTo(0.688672, 5);
  });

  test('nothing against nothing is the same, and a control that has some needs no such form', () => {
    expect(comparison(summary, 'tup_deleted_per_s')).toMatchObject({ verdict: 'same' });
    expect(comparison(summary, 'tup_deleted_per_s').rateInterval).toBeUndefined();
    expect(comparison(summary, 'xact_commit_per_s').rateInterval).toBeUndefined();
  });

  test('a family is not made smaller by members that cannot be judged', () => {
    const all = summarize(fixtureJournal({ ...small, noise: 0.02 }));
    const some = summarize(fixtureJournal({ ...small, noise: 0.02, perRequest: () => null }));
    expect(comparison(all, 'requests_per_s').interval).toEqual(comparison(some, 'requests_per_s').interval);
  });
});

describe('unequal voiding', () => {
  const voidingOf = (voided: Readonly<Record<string, number>>): Note[] => {
    const voidsOf = (cells: readonly ArmCell[]): VoidCounts => {
      const left = sum(cells.map(({ variant }) => voided[variant] ?? 0));
      return { slices: 24 * cells.length + left, voided: left, byReason: {} };
    };
    const data = { ...aggregateRun(fixtureJournal({ ...small, slicesPerRound: 3 })), voidsOf };
    const findings = compareVariants(data, requestsPerSecond);
    const [first] = findings;
    if (first === undefined) throw new Error('no finding');
    const { notes } = toComparison(data, first, judgeSession(data, findings, []));
    return notes.filter(({ kind }) => kind === 'unequal-voiding');
  };

  test('is marked where clearly more of one side was left out', () => {
    const kind = 'unequal-voiding';
    expect(voidingOf({ b: 12 })).toEqual([{ kind, voided: 12, slices: 36, controlVoided: 0, controlSlices: 48 }]);
    expect(voidingOf({ a: 12 })).toEqual([{ kind, voided: 0, slices: 24, controlVoided: 24, controlSlices: 72 }]);
  });

  test('and not where it is alike or slight', () => {
    for (const voided of [{}, { b: 2 }, { a: 4, b: 4 }]) expect(voidingOf(voided)).toEqual([]);
  });
});

test('a bulk load that was faster with documents lost has no verdict, and says why', () => {
  const check = { missing: 0, unexpected: 0, doubled: 0, dangling: 0 };
  const loadOf = (loaded: number): BulkTotals => ({
    rounds: 8,
    totalMs: 1000,
    documents: 1000,
    loaded,
    repeats: 0,
    failed: {},
    check,
  });
  const journal = fixtureJournal({ ...small, effect: ({ variant }) => (variant === 'b' ? 0.5 : 0) });
  const bulk = ([cell]: readonly ArmCell[]): BulkTotals => loadOf(cell?.variant === 'b' ? 900 : 1000);
  const data = { ...aggregateRun(journal), bulk };
  const findings = compareVariants(data, requestsPerSecond);
  const [first] = findings;
  if (first === undefined) throw new Error('no finding');
  const cell: ArmCell = { ...first.contrast.cell, load: { connections: 25, of: 'bulk' } };
  const finding = { ...first, contrast: { ...first.contrast, cell } };
  const { verdict, notes } = toComparison(data, finding, judgeSession(data, findings, []));
  expect(first.verdict).toBe('higher');
  expect(verdict).toBe('unfit');
  const counts = { loaded: 900, documents: 1000, controlLoaded: 1000, controlDocuments: 1000 };
  expect(notes).toEqual([{ kind: 'lost-documents', ...counts }, { kind: 'faster-by-loss' }]);
});
