import { expect, it } from 'vitest';
import { summarize } from '../../src/analysis/summary.ts';
import { validityNotes } from '../../src/report/validity-notes.ts';
import { fixtureJournal } from '../analysis/journal-fixture.ts';
import { small } from '../analysis/small-run.ts';

const averages = summarize(fixtureJournal(small)).averages;

it('void slices and arms that were not steady are said once, by arm', () => {
  const rows = averages.map((average) =>
    average.variant === 'b' ? { ...average, voided: { 'foreign cpu': 3, checkpoint: 1 }, notSteady: 2 } : average,
  );
  expect(validityNotes(rows, ({ variant }) => variant)).toEqual([
    'Void slices, by reason: b foreign cpu 3, checkpoint 1.',
    'Not steady: still changing when the warm-up reached its cap: b in 2 rounds.',
  ]);
  expect(validityNotes(averages, ({ variant }) => variant)).toEqual([]);
});
