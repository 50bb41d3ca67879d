import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { studentTQuantile } from '../../../src/judge/stats/distributions.ts';
import {
  differenceInterval,
  type Evidence,
  halfWidthOf,
  type Interval,
  sameInterval,
  sharedAndOwnBounds,
  tInterval,
} from '../../../src/judge/stats/interval.ts';
import { levelsOf, sameLevel } from '../../../src/judge/stats/looks.ts';
import { mean, median, standardDeviation } from '../../../src/judge/stats/moments.ts';
import { normal } from '../journal-fixture.ts';

// SciPy 1.17.1, seeded: x = np.round(np.random.default_rng(647).normal(.03, .05, n), 4)
// stats.t.interval(1 - alpha, n - 1, x.mean(), stats.sem(x))
const student = [
  {
    alpha: 0.0044,
    low: -0.09944906882580007,
    high: 0.17349906882580007,
    x: [0.0578, 0.0754, 0.0112, 0.0037],
  },
  {
    alpha: 0.0054,
    low: -0.09537594284805048,
    high: 0.08887594284805093,
    x: [-0.0444, -0.0147, -0.0176, -0.028, -0.0061, 0.0913],
  },
  {
    alpha: 0.0062,
    low: -0.061805868272928194,
    high: 0.1536058682729282,
    x: [0.1417, 0.095, -0.0526, 0.1446, -0.0217, -0.0423, 0.0593, 0.0432],
  },
];

function draws(n: number, seed: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length: n }, () => 0.02 + 0.05 * normal(random));
}

describe('the centre', () => {
  test('nothing has no centre and one value no spread', () => {
    expect(median([])).toBeNaN();
    expect(standardDeviation([3])).toBeNaN();
  });
});

describe('intervals', () => {
  test.each(student)('t at alpha $alpha of $x', ({ x, alpha, low, high }) => {
    const range = tInterval(x, alpha);
    expect(range?.low).toBeCloseTo(low, 12);
    expect(range?.high).toBeCloseTo(high, 12);
  });

  /** A comparison with the noise that its own values show. */
  function evidence(n: number, seed: number, ended = false, comparisons = 1): Evidence {
    const ratios = draws(n, seed);
    const spread = { variance: standardDeviation(ratios) ** 2, df: n - 1 };
    return { ratios, weights: ratios.map(() => 1), spread, course: { rounds: n, ends: ended ? [n] : [] }, comparisons };
  }

  test('a comparison has none under 4 rounds', () => {
    for (const n of [0, 1, 2, 3]) {
      expect(differenceInterval(evidence(n, 1))).toBeNull();
      expect(sameInterval(evidence(n, 1), 0.05)).toBeNull();
    }
  });

  test('that of a difference is Student’s at the level of its look, and narrower where the run has ended', () => {
    for (const [ended, comparisons] of [
      [false, 1],
      [true, 1],
      [true, 9],
    ] as const) {
      const one = evidence(6, 1, ended, comparisons);
      const expected = tInterval(one.ratios, levelsOf(one.course, comparisons)?.difference ?? 1);
      expect(differenceInterval(one)?.low).toBeCloseTo(expected?.low ?? 0, 12);
      expect(differenceInterval(one)?.high).toBeCloseTo(expected?.high ?? 0, 12);
    }
    const [open, ended] = [differenceInterval(evidence(6, 1)), differenceInterval(evidence(6, 1, true))];
    expect((ended?.high ?? 9) - (ended?.low ?? 0)).toBeLessThan((open?.high ?? 0) - (open?.low ?? 0));
  });

  test('that of the same holds 0 and the estimate', () => {
    for (let seed = 0; seed < 20; seed++) {
      const range = sameInterval(evidence(8, seed), 0.05) ?? { low: 1, high: -1 };
      const centre = mean(draws(8, seed));
      expect(range.low).toBeLessThanOrEqual(Math.min(0, centre));
      expect(range.high).toBeGreaterThanOrEqual(Math.max(0, centre));
    }
    const far = evidence(8, 1);
    const moved = { ...far, ratios: far.ratios.map((ratio) => ratio + 5) };
    const error = standardDeviation(far.ratios) / Math.sqrt(8);
    const half = -studentTQuantile(sameLevel(far.course, 1, { margins: 0.05 / error, df: 7 }) ?? 1, 7) * error;
    expect(sameInterval(moved, 0.05)?.low).toBe(0);
    expect(sameInterval(moved, 0.05)?.high).toBeCloseTo(mean(moved.ratios) + half, 10);
  });

  test.each([4, 7, 9, 16, 41])('of %d values: moves and scales with the values', (n) => {
    for (let seed = 0; seed < 20; seed++) {
      const one = evidence(n, seed);
      const range = differenceInterval(one) ?? { low: Number.NaN, high: Number.NaN };
      const changed = differenceInterval({
        ...one,
        ratios: one.ratios.map((value) => 1 - 3 * value),
        spread: { ...one.spread, variance: 9 * one.spread.variance },
      });
      expect(changed?.low).toBeCloseTo(1 - 3 * range.high, 10);
      expect(changed?.high).toBeCloseTo(1 - 3 * range.low, 10);
    }
  });

  test('bounds after more rounds are narrower', () => {
    const one = evidence(6, 1, true, 9);
    const halfOf = (range: Interval | null | undefined): number => ((range?.high ?? 0) - (range?.low ?? 0)) / 2;
    const [now, later] = [sharedAndOwnBounds(one), sharedAndOwnBounds(one, { rounds: 24, ends: [24] })];
    expect(halfWidthOf(one)).toBeCloseTo(halfOf(now?.shared), 12);
    expect(halfOf(later?.shared)).toBeLessThan(halfOf(now?.shared) / 1.5);
    expect(halfOf(later?.own)).toBeLessThan(halfOf(now?.own) / 1.5);
    const same = [one.course, { rounds: 24, ends: [24] }].map((course) => sameInterval(one, 0.05, course)?.high ?? 0);
    expect(same[1]).toBeLessThan(same[0] ?? 0);
    expect(sharedAndOwnBounds(evidence(1, 1))).toBeNull();
  });
});
