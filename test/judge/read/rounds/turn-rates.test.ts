import { expect, it } from 'vitest';
import type { SliceRecord } from '../../../../src/journal/records.ts';
import { turnRates } from '../../../../src/judge/read/rounds/turn-rates.ts';
import { fixtureJournal } from '../../journal-fixture.ts';

const [plain] = fixtureJournal({ rounds: 1 }).records.flatMap((record) => (record.type === 'slice' ? [record] : []));

function slice(windowMs: number, okByTime: readonly number[]): SliceRecord {
  if (plain === undefined) throw new Error('the fixture has no slice');
  return { ...plain, windowMs, turns: { turnMs: 250, ok: [], okByTime, gapMaxMs: 0 } };
}

it('the rate of a turn is its answers in its part of the window', () => {
  expect(turnRates([slice(1000, [10, 20])])).toEqual([20, 40]);
});

it('of many turns the means of twelve parts stand for them', () => {
  const rates = turnRates([
    slice(
      24_000,
      Array.from({ length: 24 }, (_, turn) => turn),
    ),
  ]);
  expect(rates).toHaveLength(12);
  expect(rates.slice(0, 2)).toEqual([0.5, 2.5]);
});

it('there are none without turns', () => {
  expect(turnRates([])).toEqual([]);
  expect(turnRates([slice(1000, [])])).toEqual([]);
  expect(turnRates([slice(0, [1])])).toEqual([]);
});
