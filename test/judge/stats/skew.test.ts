import { expect, test } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { reachOf, skewnessOfMean, skewOf } from '../../../src/judge/stats/skew.ts';
import { normal } from '../journal-fixture.ts';

/** Rounds of turns, of the sum of so many exponential values each, so that their third cumulant is twice as many. */
function rounds(count: number, turns: number, sumOf = 1): number[][] {
  const random = createRandom('skew');
  const exponential = (): number => -Math.log1p(-random.next());
  return Array.from({ length: count }, () =>
    Array.from({ length: turns }, () => Array.from({ length: sumOf }, exponential).reduce((a, b) => a + b)),
  );
}

test('turns show the third cumulant and the variance of their mean, whatever moves whole rounds', () => {
  const moved = rounds(4000, 12, 3).map((turns, round) => turns.map((value) => value + (round % 7)));
  const skew = skewOf(moved);
  expect((skew?.third ?? 0) * 12 ** 2).toBeCloseTo(6, 0);
  expect((skew?.within ?? 0) * 12).toBeCloseTo(3, 1);
  const mirrored = skewOf(moved.map((turns) => turns.map((value) => -value)));
  expect(mirrored?.third).toBeCloseTo(-(skew?.third ?? 0), 12);
});

test('turns without skewness, too few of them, and a single odd one show none', () => {
  const random = createRandom('calm');
  const calm = Array.from({ length: 8 }, () => Array.from({ length: 12 }, () => normal(random)));
  expect(skewOf(calm)).toBeNull();
  expect(skewOf(calm.map((turns, round) => (round === 3 ? turns.with(2, -40) : turns)))).toBeNull();
  expect(skewOf(rounds(40, 2))).toBeNull();
  expect(skewOf([])).toBeNull();
  expect(skewOf([[1, 1, 1, 1]])).toBeNull();
});

test('the mean of more rounds is less skewed', () => {
  // Eight exponential values of variance 1 and third cumulant 2.
  const skew = { third: 2, within: 1 };
  expect(skewnessOfMean(skew, 1, 1)).toBeCloseTo(2, 12);
  expect(skewnessOfMean(skew, 16, 1 / 16)).toBeCloseTo(2 / 4, 12);
  // Rounds that scatter by next to nothing do not make it skewed beyond measure.
  expect(skewnessOfMean(skew, 16, 1e-9)).toBeCloseTo((2 / 4) * 2 ** 1.5, 12);
});

test('an interval reaches further where values are skewed to, and nowhere less far than Student’s', () => {
  expect(reachOf(2, 0)).toBe(2);
  expect(reachOf(Number.POSITIVE_INFINITY, 0)).toBe(Number.POSITIVE_INFINITY);
  expect(reachOf(2, -0.5)).toBe(2);
  expect(reachOf(2, 0.5)).toBeCloseTo(2 + 0.75, 12);
});
