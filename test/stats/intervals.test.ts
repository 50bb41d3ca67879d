import { describe, expect, test } from 'vitest';
import { createRandom } from '../../src/base/random.ts';
import { hodgesLehmann, WalshAverages } from '../../src/stats/hodges-lehmann.ts';
import { expectedHalfWidth, interval, tInterval } from '../../src/stats/interval.ts';
import { median, standardDeviation } from '../../src/stats/moments.ts';
import { signedRankCdf, signedRankInterval } from '../../src/stats/signed-rank.ts';
import { normal } from '../analysis/journal-fixture.ts';

/**
 * SciPy 1.17.1 / NumPy, seeded: x = np.round(np.random.default_rng(647).normal(.03, .05, n), 4), one after the other.
 * Each end is that of the means m between neighbouring Walsh averages for which
 * stats.wilcoxon(x - m, method='exact').pvalue > alpha; the estimate is np.median of the Walsh averages.
 */
const signedRank = [
  {
    alpha: 0.007,
    low: -0.0581,
    high: 0.1183,
    estimate: 0.022,
    x: [0.051, -0.0267, 0.0448, -0.007, -0.0078, -0.0581, 0.1183, 0.1047, 0.0092],
  },
  {
    alpha: 0.007,
    low: -0.0464,
    high: 0.07765,
    estimate: 0.00615,
    x: [0.0105, 0.0401, -0.0464, 0.1152, -0.0173, 0.0016, -0.0278, 0.0618, 0.0189, -0.0496],
  },
  {
    alpha: 0.0076,
    low: -0.016,
    high: 0.06315,
    estimate: 0.019025,
    x: [-0.0122, -0.0469, 0.0602, 0.0146, 0.0149, 0.078, -0.0054, 0.0483, -0.0143, 0.0233, 0.0994, 0.0043],
  },
  {
    alpha: 0.0085,
    low: -0.00815,
    high: 0.06855,
    estimate: 0.03135,
    x: [
      0.0008, 0.0357, -0.0171, 0.0451, 0.0763, 0.0007, 0.1064, 0.0667, 0.0325, 0.0371, 0.0581, -0.0214, -0.0421, 0.092,
      -0.0152,
    ],
  },
  {
    alpha: 0.0103,
    low: -0.0112,
    high: 0.0565,
    estimate: 0.0203,
    x: [
      0.1304, 0.0817, 0.0149, 0.064, 0.0221, 0.0256, 0.1076, 0.0113, 0.0577, -0.033, -0.002, -0.0394, -0.0204, -0.0064,
      -0.0135, -0.0076, 0.0089, 0.0598, -0.0959, 0.0553, 0.0736, -0.0236,
    ],
  },
  {
    alpha: 0.05,
    low: 0.0002,
    high: 0.0478,
    estimate: 0.0257,
    x: [0.054, -0.0141, 0.03, 0.0656, 0.0002, 0.0257, 0.0424, -0.0012, 0.0185],
  },
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
  test.each([...signedRank, ...student])('Hodges-Lehmann of $x', ({ x, estimate }) => {
    expect(hodgesLehmann(x)).toBeCloseTo(estimate, 12);
  });

  test('Hollander & Wolfe, example 3.3 (depression scores): estimate -0.46, interval -0.786 to -0.010 at 96.1 %', () => {
    const before = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
    const after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    const differences = after.map((value, i) => value - (before[i] ?? 0));
    expect(hodgesLehmann(differences)).toBeCloseTo(-0.46, 10);
    const range = signedRankInterval(differences, 0.04);
    expect(range?.low).toBeCloseTo(-0.786, 10);
    expect(range?.high).toBeCloseTo(-0.01, 10);
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
  test.each(signedRank)('signed-rank at alpha $alpha of $x', ({ x, alpha, low, high }) => {
    const range = signedRankInterval(x, alpha);
    expect(range?.low).toBeCloseTo(low, 12);
    expect(range?.high).toBeCloseTo(high, 12);
  });

  test.each(student)('t at alpha $alpha of $x', ({ x, alpha, low, high }) => {
    const range = tInterval(x, alpha);
    expect(range?.low).toBeCloseTo(low, 12);
    expect(range?.high).toBeCloseTo(high, 12);
    expect(interval(x)).toEqual(range);
  });

  test('the null distribution of 3 values: sums 0, 1, 2, 3 twice, 4, 5, 6', () => {
    expect([...signedRankCdf(3)]).toEqual([1, 2, 3, 5, 6, 7, 8].map((count) => count / 8));
    expect(signedRankCdf(60).at(-1)).toBeCloseTo(1, 12);
  });

  test('signed-rank cannot reach 1 % with 7 values, and can with 8', () => {
    expect(signedRankInterval(draws(7, 1), 0.01)).toBeNull();
    expect(signedRankInterval(draws(8, 1), 0.01)).not.toBeNull();
    expect(signedRankInterval([1, 2, 3, 4, 5], 0.0625)).toEqual({ low: 1, high: 5 });
  });

  test('a comparison has none under 4 rounds, t to 15 and signed-rank from 16', () => {
    for (const n of [0, 1, 2, 3]) expect(interval(draws(n, 1))).toBeNull();
    expect(interval(draws(8, 1))).toEqual(tInterval(draws(8, 1), 0.0062));
    expect(interval(draws(15, 1))).toEqual(tInterval(draws(15, 1), 0.0085));
    expect(interval(draws(16, 1))).toEqual(signedRankInterval(draws(16, 1), 0.0093));
    expect(interval(draws(22, 1))).toEqual(signedRankInterval(draws(22, 1), 0.0103));
  });

  test('one among many spends its share, and t where signed-rank cannot reach that', () => {
    const among = (share: number) => ({ share, pooled: null });
    expect(interval(draws(6, 1), among(0.1))).toEqual(tInterval(draws(6, 1), 0.0054 * 0.1));
    expect(interval(draws(18, 1), among(0.1))).toEqual(signedRankInterval(draws(18, 1), 0.0093 * 0.1));
    expect(interval(draws(18, 1), among(0.0001))).toEqual(tInterval(draws(18, 1), 0.0093 * 0.0001));
  });

  test('a calm comparison takes the pooled spread, a noisy one its own, both with the pooled degrees of freedom', () => {
    const values = draws(5, 1);
    const own = standardDeviation(values) ** 2;
    const half = (variance: number): number => {
      const range = tInterval(values, 0.05, { variance, df: 40 });
      return range === null ? Number.NaN : (range.high - range.low) / 2;
    };
    // SciPy 1.17.1: stats.t.ppf(.975, 40)
    expect(half(4 * own)).toBeCloseTo(2.021075390306273 * Math.sqrt((4 * own) / 5), 12);
    expect(half(own / 4)).toBeCloseTo(2.021075390306273 * Math.sqrt(own / 5), 12);
    expect(tInterval(values, 0.05, { variance: 9, df: 4 })).toEqual(tInterval(values, 0.05));
  });

  test.each([4, 7, 9, 16, 41])(
    'of %d values: holds its estimate, moves and scales with the values, and does not heed their order',
    (n) => {
      for (let seed = 0; seed < 20; seed++) {
        const values = draws(n, seed);
        const range = interval(values) ?? { low: Number.NaN, high: Number.NaN };
        expect(range.low).toBeLessThanOrEqual(hodgesLehmann(values));
        expect(range.high).toBeGreaterThanOrEqual(hodgesLehmann(values));
        const changed = interval(
          createRandom(seed)
            .shuffle(values)
            .map((value) => 1 - 3 * value),
        );
        expect(changed?.low).toBeCloseTo(1 - 3 * range.high, 10);
        expect(changed?.high).toBeCloseTo(1 - 3 * range.low, 10);
      }
    },
  );

  test.each([1, 0.05])('the expected half-width is that of real draws, on average (share %d)', (share) => {
    const family = { share, pooled: { variance: 0.05 ** 2, df: 30 } };
    expect(expectedHalfWidth(3, draws(3, 1), family)).toBeNull();
    expect(expectedHalfWidth(8, [1], family)).toBeNull();
    for (const n of [6, 10, 15, 18, 32]) {
      const all = Array.from({ length: 300 }, (_, seed) => {
        const values = draws(n, 1000 + seed);
        const range = interval(values, family);
        const expected = expectedHalfWidth(n, values, family);
        return range === null || expected === null ? Number.NaN : (range.high - range.low) / 2 / expected;
      });
      expect(Math.abs(all.reduce((sum, ratio) => sum + ratio, 0) / all.length - 1)).toBeLessThan(0.12);
    }
  });
});
