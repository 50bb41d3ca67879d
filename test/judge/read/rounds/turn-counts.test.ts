import { expect, it } from 'vitest';
import { rateMs, turnCounts, turnRate } from '../../../../src/judge/read/rounds/turn-rates.ts';
import { mean, sum } from '../../../../src/judge/stats/moments.ts';

const turns = { turnMs: 100, ok: [40, 40, 20], okByTime: [40, 40, 19.2], busyMs: [200, 200, 600], gapMaxMs: 0 };
const closed = { load: { connections: 2 }, windowMs: 300, turns };

it('the rate of a closed loop is connections x answers / busy time, of all turns and of some', () => {
  expect(turnRate(closed)).toBeCloseTo((2 * 100 * 1000) / 1000);
  expect(turnRate(closed, { from: 0, to: 2 })).toBeCloseTo((2 * 80 * 1000) / 400);
  expect(turnRate(closed, { from: 2, to: 3 })).toBeCloseTo((2 * 20 * 1000) / 600);
  expect(rateMs(closed, 100)).toBeCloseTo(500);
});

it('of other loads it is what came within the window', () => {
  const { busyMs: _, ...counted } = turns;
  const users = { load: { users: 2 }, windowMs: 300, turns: counted };
  expect(turnRate(users)).toBeCloseTo(99.2 / 0.3);
  expect(turnRate(users, { from: 2, to: 3 })).toBeCloseTo(192);
  expect(turnCounts(users)).toEqual(counted.okByTime);
});

it('without turns the answers of the window are what there is', () => {
  expect(rateMs({ load: { connections: 2 }, windowMs: 300 }, 100)).toBe(300);
  expect(turnRate({ load: { connections: 2 }, windowMs: 300 })).toBeNaN();
});

it('what turns add to a ratio adds up to its answers, and scatters as the ratio does', () => {
  const counts = turnCounts(closed);
  expect(sum(counts)).toBeCloseTo(100);
  // The turn with the long wait adds less than nothing.
  expect(counts[2]).toBeLessThan(0);
  // Leaving a turn out changes ln(rate) by what the linear part says, up to terms of second order.
  const many = Array.from({ length: 50 }, (_, i) => ({ ok: 40 - (i % 5), busyMs: 200 + 3 * (i % 7) }));
  const slice = {
    load: { connections: 2 },
    windowMs: 5000,
    turns: { ...turns, ok: many.map(({ ok }) => ok), busyMs: many.map(({ busyMs }) => busyMs) },
  };
  const linear = turnCounts(slice);
  const without = {
    ...slice,
    turns: { ...slice.turns, ok: slice.turns.ok.slice(1), busyMs: slice.turns.busyMs.slice(1) },
  };
  const expected = ((linear[0] ?? 0) / mean(linear) - 1) / 49;
  expect(Math.log(turnRate(slice) / turnRate(without))).toBeCloseTo(expected, 4);
});
