import { describe, expect, test } from 'vitest';
import { gammaTails, incompleteBeta } from '../../../src/judge/stats/distributions.ts';
import {
  chanceOfMore,
  rateDifferenceInterval,
  rateInterval,
  shareBounds,
} from '../../../src/judge/stats/poisson-rates.ts';

// SciPy 1.17.1: stats.chi2.ppf(alpha / 2, 2 * k) / 2, stats.chi2.ppf(1 - alpha / 2, 2 * k + 2) / 2
const garwood = [
  [0, 0.05, 0, 3.6888794541139354],
  [0, 0.001, 0, 7.600902459542192],
  [1, 0.05, 0.025317807984289876, 5.571643390938898],
  [1, 0.001, 0.0005001250416822983, 9.998677497623925],
  [7, 0.05, 2.8143630515198654, 14.422675361702376],
  [7, 0.001, 1.3483639876184517, 20.65403685856882],
  [250, 0.05, 219.9679956309373, 282.98770504231607],
  [250, 0.001, 201.2238264468318, 306.4277320228599],
  [14599, 0.05, 14363.133332680825, 14837.769074446682],
  [14599, 0.001, 14204.690683714856, 15000.874573900004],
] as const;

// SciPy 1.17.1: stats.gamma.cdf(x, a), stats.gamma.sf(x, a)
const gamma = [
  [0.5, 0.2, 0.47291074313446196, 0.5270892568655381],
  [3, 1, 0.08030139707139418, 0.9196986029286058],
  [3, 12, 0.9994777419499671, 0.0005222580500328981],
  [200, 150, 5.709688574208249e-5, 0.9999429031142579],
  [200, 260, 0.999952499875557, 4.750012444300866e-5],
  [14599, 14400, 0.0492903473638687, 0.9507096526361313],
] as const;

function near(value: number, expected: number, tolerance: number): void {
  expect(Math.abs(value / expected - 1)).toBeLessThan(tolerance);
}

describe('rates of counted events', () => {
  test.each(garwood)('%d events at alpha %d', (count, alpha, low, high) => {
    const range = rateInterval({ count, seconds: 4 }, alpha);
    if (low === 0) expect(range.low).toBe(0);
    else near(range.low * 4, low, 1e-9);
    near(range.high * 4, high, 1e-9);
  });

  test.each(gamma)('the tails of gamma(%d) at %d', (a, x, below, above) => {
    near(gammaTails(a, x).below, below, 1e-10);
    near(gammaTails(a, x).above, above, 1e-10);
  });

  // SciPy 1.17.1: stats.beta.cdf(x, a, b)
  test.each([
    [0.3, 2, 5, 0.5798250000000003],
    [0.9, 40, 3, 0.19510765482693676],
    [0.01, 0.5, 100, 0.843224134575559],
  ])('the incomplete beta function I_%d(%d, %d)', (x, a, b, expected) =>
    near(incompleteBeta(x, a, b), expected, 1e-12),
  );

  test('a difference: nothing against nothing holds 0, some against nothing does not', () => {
    const none = { count: 0, seconds: 10 };
    const range = rateDifferenceInterval(none, none, 0.05);
    expect(range.low).toBe(-range.high);
    // -ln(0.0125) events in 10 s.
    expect(range.high).toBeCloseTo(0.4382026635, 8);
    expect(rateDifferenceInterval({ count: 40, seconds: 10 }, none, 0.05).low).toBeGreaterThan(1);
    expect(rateDifferenceInterval(none, { count: 40, seconds: 10 }, 0.05).high).toBeLessThan(-1);
  });
});

// Exact rational sums of P(X >= a) for X binomial of a + b trials, in Python's fractions.
test.each([
  [1, 200, 0, 400, 0.3333333333333333],
  [5, 100, 9, 100, 0.91021728515625],
  [3, 1000, 0, 10, 0.9705901479276444],
  [30, 500, 0, 1000, 4.8569357496188614e-15],
  [40, 2000, 4, 4000, 2.3171287808568383e-15],
  [0, 5, 3, 5, 1],
  [0, 5, 0, 5, 1],
])('%d among %d are no more frequent than %d among %d with a chance of the exact one', (a, ofA, b, ofB, chance) => {
  const found = chanceOfMore({ count: a, among: ofA }, { count: b, among: ofB });
  expect(Math.abs(found / chance - 1)).toBeLessThan(1e-9);
});

test('bounds of a share are those of Clopper and Pearson', () => {
  expect(shareBounds({ count: 0, among: 500 }, 0.05)).toEqual({ low: 0, high: expect.closeTo(0.0059735, 6) });
  // Of 3 among 10 the interval at 90 % is [0.0873, 0.6066].
  expect(shareBounds({ count: 3, among: 10 }, 0.05)).toEqual({
    low: expect.closeTo(0.0873, 4),
    high: expect.closeTo(0.6066, 4),
  });
  const { low, high } = shareBounds({ count: 7, among: 10 }, 0.05);
  expect([1 - high, 1 - low]).toEqual([expect.closeTo(0.0873, 4), expect.closeTo(0.6066, 4)]);
  expect(shareBounds({ count: 10, among: 10 }, 0.05).high).toBe(1);
  // As many requests as a long run has.
  const many = shareBounds({ count: 5000, among: 1_000_000 }, 0.05);
  expect(many).toEqual({ low: expect.closeTo(0.0048845, 5), high: expect.closeTo(0.0051177, 5) });
});
