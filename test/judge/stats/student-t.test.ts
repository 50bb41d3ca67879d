import { describe, expect, test } from 'vitest';
import { studentTCdf, studentTQuantile } from '../../../src/judge/stats/distributions.ts';

// SciPy 1.17.1: python -c "from scipy import stats; print([(p, df, stats.t.ppf(p, df)) for p in (.0022, .025, .3, .95, .99995) for df in (1, 3, 7, 39)])"
const quantiles = [
  [0.0022, 1, -144.6840080597736],
  [0.0022, 3, -7.791389972445018],
  [0.0022, 7, -4.130722728723638],
  [0.0022, 39, -3.0236819413037175],
  [0.025, 1, -12.706204736174705],
  [0.025, 3, -3.1824463052837086],
  [0.025, 7, -2.3646242515927844],
  [0.025, 39, -2.022690920036761],
  [0.3, 1, -0.7265425280053609],
  [0.3, 39, -0.5287141924449242],
  [0.95, 3, 2.3533634348018233],
  [0.95, 7, 1.8945786050900062],
  [0.99995, 1, 6366.197671316637],
  [0.99995, 7, 7.884584262416738],
] as const;

// SciPy 1.17.1: stats.t.cdf(t, df)
const probabilities = [
  [-8, 1, 0.039583424160565546],
  [-8, 3, 0.002038288793892733],
  [-8, 7, 4.557460585437679e-5],
  [-8, 30.5, 2.779077200918083e-9],
  [-2.5, 3, 0.04385332350403278],
  [-0.1, 7, 0.4615740298023962],
  [0, 3, 0.5],
  [1.3, 1, 0.7912855998398473],
  [1.3, 30.5, 0.8983299555544394],
  [40, 1, 0.9920439100879742],
  [40, 7, 0.999999999204891],
] as const;

describe("Student's t", () => {
  test.each(quantiles)('quantile of %d with %d degrees of freedom', (p, df, expected) => {
    expect(Math.abs(studentTQuantile(p, df) / expected - 1)).toBeLessThan(1e-10);
  });

  test.each(probabilities)('distribution function at %d with %d degrees of freedom', (t, df, expected) => {
    expect(Math.abs(studentTCdf(t, df) / expected - 1)).toBeLessThan(1e-11);
  });

  test('the quantile turns the distribution function round, on both sides', () => {
    for (const df of [1, 2, 3.5, 9, 100]) {
      for (const p of [1e-6, 0.01, 0.4, 0.5, 0.6, 0.999]) {
        expect(studentTCdf(studentTQuantile(p, df), df)).toBeCloseTo(p, 12);
        expect(studentTQuantile(p, df)).toBeCloseTo(-studentTQuantile(1 - p, df), 4);
      }
    }
  });

  test('what has no quantile is NaN', () => {
    for (const [p, df] of [
      [0, 3],
      [1, 3],
      [0.5, 0],
      [Number.NaN, 3],
    ] as const)
      expect(studentTQuantile(p, df)).toBeNaN();
  });
});
