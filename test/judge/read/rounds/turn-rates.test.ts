import { expect, it } from 'vitest';
import type { SliceRecord } from '../../../../src/journal/records.ts';
import { sampleOf } from '../../../../src/judge/read/cells/cell-sample.ts';
import { rateMs, turnCounts, turnRates } from '../../../../src/judge/read/rounds/turn-rates.ts';
import { fixtureJournal } from '../../journal-fixture.ts';

const [plain] = fixtureJournal({ rounds: 1 }).records.flatMap((record) => (record.type === 'slice' ? [record] : []));

function slice(windowMs: number, okByTime: readonly number[], okWithin?: readonly number[]): SliceRecord {
  if (plain === undefined) throw new Error('the fixture has no slice');
  const turns = { turnMs: 250, ok: [], okByTime, ...(okWithin && { okWithin }), gapMaxMs: 0 };
  return { ...plain, windowMs, turns };
}

const measured = (of: SliceRecord) => ({ slice: of, counters: null, probes: [], pass: null });

it('the rate of a turn is its answers in its part of the window', () => {
  expect(turnRates([slice(1000, [10, 20])])).toEqual([20, 40]);
});

it('loads that do not wait for answers have the rate of what came, and in old journals of its time', () => {
  const growing = { ...slice(5400, [656], [540]), load: { rate: 150 } };
  expect(turnRates([growing])).toEqual([100]);
  expect(sampleOf([measured(growing)], null, () => undefined).came).toBe(540);
  expect(turnCounts(growing)).toEqual([540]);
  // 803 requests were sent in the window.
  expect(rateMs(growing, 803)).toBeCloseTo(8030);
  expect(turnRates([{ ...slice(1000, [100]), load: { rate: 150 } }])).toEqual([100]);
});

it('of k6 the rate is that of whole iterations, and in old journals what came', () => {
  const load = { users: 10, of: 'vus' } as const;
  const turns = { turnMs: 5000, ok: [160], okByTime: [240], busyMs: [34_000], gapMaxMs: 0 };
  const one = { ...slice(4500, []), load, turns };
  expect(turnRates([one])[0]).toBeCloseTo(80 / 1.7);
  expect(rateMs(one, 160)).toBeCloseTo(3400);
  expect(turnRates([{ ...slice(4500, [240], [225]), load }])).toEqual([50]);
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
