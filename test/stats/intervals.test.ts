import { describe, expect, test } from 'vitest';
import { createRandom } from '../../src/base/random.ts';
import { hodgesLehmann, WalshAverages } from '../../src/stats/hodges-lehmann.ts';
import {
  differenceInterval,
  type Evidence,
  expectedHalfWidths,
  sameInterval,
  tInterval,
} from '../../src/stats/interval.ts';
import { levelsOf } from '../../src/stats/looks.ts';
import { mean, median, standardDeviation } from '../../src/stats/moments.ts';
import { studentTQuantile } from '../../src/stats/student-t.ts';
import { normal } from '../analysis/journal-fixture.ts';

/**
 * SciPy 1.17.1 / NumPy, seeded: x = np.round(np.random.default_rng(647).normal(.03, .05, n), 4), one after the other;
 * the estimate is np.median of the Walsh averages.
 */
const centres = [
  { estimate: 0.022, x: [0.051, -0.0267, 0.0448, -0.007, -0.0078, -0.0581, 0.1183, 0.1047, 0.0092] },
  { estimate: 0.00615, x: [0.0105, 0.0401, -0.0464, 0.1152, -0.0173, 0.0016, -0.0278, 0.0618, 0.0189, -0.0496] },
  {
    estimate: 0.019025,
    x: [-0.0122, -0.0469, 0.0602, 0.0146, 0.0149, 0.078, -0.0054, 0.0483, -0.0143, 0.0233, 0.0994, 0.0043],
  },
  {
    estimate: 0.03135,
    x: [
      0.0008, 0.0357, -0.0171, 0.0451, 0.0763, 0.0007, 0.1064, 0.0667, 0.0325, 0.0371, 0.0581, -0.0214, -0.0421, 0.092,
      -0.0152,
    ],
  },
  {
    estimate: 0.0203,
    x: [
      0.1304, 0.0817, 0.0149, 0.064, 0.0221, 0.0256, 0.1076, 0.0113, 0.0577, -0.033, -0.002, -0.0394, -0.0204, -0.0064,
      -0.0135, -0.0076, 0.0089, 0.0598, -0.0959, 0.0553, 0.0736, -0.0236,
    ],
  },
  { estimate: 0.0257, x: [0.054, -0.0141, 0.03, 0.0656, 0.0002, 0.0257, 0.0424, -0.0012, 0.0185] },
];

// SciPy 1.17.1, the same draws: stats.t.interval(1 - alpha, n - 1, x.mean(), stats.sem(x))
const student = [
  {
    alpha: 0.0044,
    low: -0.09944906882580007,
    high: 0.17349906882580007,
    estimate: 0.037025,
    x: [0.0578, 0.0754, 0.0112, 0.0037],
  },
  {
    alpha: 0.0054,
    low: -0.09537594284805048,
    high: 0.08887594284805093,
    estimate: -0.01615,
    x: [-0.0444, -0.0147, -0.0176, -0.028, -0.0061, 0.0913],
  },
  {
    alpha: 0.0062,
    low: -0.061805868272928194,
    high: 0.1536058682729282,
    estimate: 0.04785,
    x: [0.1417, 0.095, -0.0526, 0.1446, -0.0217, -0.0423, 0.0593, 0.0432],
  },
];

function draws(n: number, seed: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length: n }, () => 0.02 + 0.05 * normal(random));
}

describe('the centre', () => {
  test.each([...centres, ...student])('Hodges-Lehmann of $x', ({ x, estimate }) => {
    expect(hodgesLehmann(x)).toBeCloseTo(estimate, 12);
  });

  test('Hollander & Wolfe, example 3.3 (depression scores): estimate -0.46', () => {
    const before = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
    const after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    const differences = after.map((value, i) => value - (before[i] ?? 0));
    expect(hodgesLehmann(differences)).toBeCloseTo(-0.46, 10);
  });

  test('one outlier moves it far less than the mean; one and two values are their mean', () => {
    expect(hodgesLehmann([1, 2, 3, 4, 1000])).toBeLessThan(4);
    expect(hodgesLehmann([7])).toBe(7);
    expect(hodgesLehmann([1, 4])).toBe(2.5);
  });

  test('Walsh averages by their place are those of the sorted list, whatever ties and zeros there are', () => {
    const all = (values: readonly number[]): number[] => {
      const averages = new WalshAverages(values);
      return Array.from({ length: averages.length }, (_, place) => averages.at(place));
    };
    expect(all([4, 1, 2])).toEqual([1, 1.5, 2, 2.5, 3, 4]);
    expect(all([0, 0, 0, 0.1])).toEqual([0, 0, 0, 0, 0, 0, 0.05, 0.05, 0.05, 0.1]);
    expect(all([-1, 1, 1e-17])[2]).toBe(0);
    expect(new WalshAverages([1, 2]).at(3)).toBeNaN();
    // Of 40 equal values there are 820 equal averages, which no halving tells apart.
    const equal = all([...new Array<number>(40).fill(0.25), -0.5, 0.75]);
    expect(equal.slice(0, 2)).toEqual([-0.5, -0.125]);
    expect(new Set(equal.slice(42, 862))).toEqual(new Set([0.25]));
    expect(equal.slice(861, 863)).toEqual([0.25, 0.5]);
    for (let seed = 0; seed < 30; seed++) {
      const values = draws(1 + seed, seed).map((value) => Number(value.toFixed(seed % 3 === 0 ? 2 : 12)));
      const pairs = values.flatMap((value, i) => values.slice(i).map((other) => (value + other) / 2));
      // + 0 since -0 is no other value.
      expect(all(values).map((one) => one + 0)).toEqual(pairs.map((one) => one + 0).sort((a, b) => a - b));
    }
  });

  test('nothing has no centre and one value no spread', () => {
    expect(hodgesLehmann([])).toBeNaN();
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
    return { ratios, spread, course: { rounds: n, ends: ended ? [n] : [] }, comparisons };
  }

  test('a comparison has none under 4 rounds', () => {
    for (const n of [0, 1, 2, 3]) {
      expect(differenceInterval(evidence(n, 1))).toBeNull();
      expect(sameInterval(evidence(n, 1))).toBeNull();
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

  test('that of the same holds 0 and the estimate, and heeds no family', () => {
    for (let seed = 0; seed < 20; seed++) {
      const range = sameInterval(evidence(8, seed)) ?? { low: 1, high: -1 };
      const centre = mean(draws(8, seed));
      expect(range.low).toBeLessThanOrEqual(Math.min(0, centre));
      expect(range.high).toBeGreaterThanOrEqual(Math.max(0, centre));
      expect(sameInterval(evidence(8, seed, false, 20))).toEqual(range);
    }
    const far = evidence(8, 1);
    const moved = { ...far, ratios: far.ratios.map((ratio) => ratio + 5) };
    const tail = levelsOf(far.course, 1)?.same ?? 1;
    const half = (-studentTQuantile(tail, 7) * standardDeviation(far.ratios)) / Math.sqrt(8);
    expect(sameInterval(moved)?.low).toBe(0);
    expect(sameInterval(moved)?.high).toBeCloseTo(mean(moved.ratios) + half, 10);
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

  test('the expected half-widths are those of now, and smaller after more rounds', () => {
    const one = evidence(6, 1, true, 9);
    const range = differenceInterval(one);
    const now = expectedHalfWidths(one);
    expect(now?.difference).toBeCloseTo(((range?.high ?? 0) - (range?.low ?? 0)) / 2, 12);
    const later = expectedHalfWidths(one, { rounds: 24, ends: [24] });
    expect(later?.difference).toBeLessThan((now?.difference ?? 0) / 1.5);
    expect(later?.same).toBeLessThan((now?.same ?? 0) / 1.5);
    expect(expectedHalfWidths(evidence(1, 1))).toBeNull();
  });
});
