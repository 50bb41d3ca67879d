import { expect, it } from 'vitest';
import { summarize } from '../../../src/judge/summary.ts';
import { validityNotes } from '../../../src/report/words/pass-words.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';
import { small } from '../../judge/small-run.ts';

const averages = summarize(fixtureJournal(small)).averages;

it('void slices and arms that were not steady are said once, by arm', () => {
  const rows = averages.map((average) =>
    average.variant === 'b' ? { ...average, voided: { 'failed requests': 3, transactions: 1 }, notSteady: 2 } : average,
  );
  expect(validityNotes(rows, ({ variant }) => variant)).toEqual([
    'Discarded slices, by reason: b failed requests 3, transactions 1.',
    "Not steady when the warm-up ended (the rate still drifted from the other arms'): b in 2 rounds.",
  ]);
  expect(validityNotes(averages, ({ variant }) => variant)).toEqual([]);
});
