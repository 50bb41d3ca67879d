import { describe, expect, it } from 'vitest';
import { createRandom, seedOf } from '../../../src/base/random.ts';
import { boundsAround, widthsAt } from '../../../src/judge/stats/interval.ts';
import { levelsOfOneLook } from '../../../src/judge/stats/looks.ts';
import { mean } from '../../../src/judge/stats/moments.ts';
import { robustFit } from '../../../src/judge/stats/robust-fit.ts';
import { differenceOf, differenceOfMeans, type Estimate } from '../../../src/judge/stats/welch.ts';
import { normal } from '../journal-fixture.ts';

describe('the difference of two estimates', () => {
  it('is that of Welch: df as in his formula', () => {
    // n = 10 and 15, s^2 = 4 and 9: variances of the means 0.4 and 0.6, df 9 and 14.
    const { value, variance, df } = differenceOf(
      { value: 5, variance: 0.4, df: 9 },
      { value: 3, variance: 0.6, df: 14 },
    );
    expect([value, variance]).toEqual([2, 1]);
    expect(df).toBeCloseTo(1 / (0.16 / 9 + 0.36 / 14), 10);
  });

  it('has the degrees of freedom of both where both are alike', () => {
    expect(differenceOf({ value: 0, variance: 1, df: 7 }, { value: 0, variance: 1, df: 7 }).df).toBeCloseTo(14, 10);
  });

  it('is exact without noise', () => {
    expect(differenceOf({ value: 1, variance: 0, df: 3 }, { value: 1, variance: 0, df: 4 })).toEqual({
      value: 0,
      variance: 0,
      df: 7,
    });
  });
});

describe('the difference of means of sessions', () => {
  const sessions = (...values: number[]): Estimate[] => values.map((value) => ({ value, variance: 0.04, df: 10 }));

  it('is known the better the more there are', () => {
    const { value, variance, df } = differenceOfMeans(sessions(1, 1), sessions(0, 0));
    expect(value).toBe(1);
    expect(variance).toBeCloseTo(0.04, 10);
    expect(df).toBeCloseTo(40, 10);
  });

  it('of four a side has what they scatter by, where that is more', () => {
    const { variance, df } = differenceOfMeans(sessions(1, 3, 5, 7), sessions(0, 2, 4, 6));
    // Squares 20 + 20 over 6 degrees of freedom, times 1/4 + 1/4.
    expect(variance).toBeCloseTo((40 / 6) * 0.5, 10);
    expect(df).toBe(6);
    expect(differenceOfMeans(sessions(1, 1.1, 1, 1.1), sessions(0, 0, 0, 0)).df).toBeCloseTo(80, 10);
  });
});

/** A session of `rounds` rounds with two arms, ended by its budget. */
function estimateFrom(seed: string, rounds: number, sd: number): Estimate {
  const random = createRandom(seedOf('welch', seed));
  const rows = Array.from({ length: rounds }, () => [sd * normal(random), sd * normal(random)]);
  const fit = robustFit(rows);
  if (fit === null) throw new Error('no fit');
  const value = mean(fit.values.map(([control, other]) => (other ?? 0) - (control ?? 0)));
  return { value, variance: (2 * fit.noise.variance) / rounds, df: fit.noise.df };
}

// 5 % less what is not spent, +- 3 standard errors of 0.7 %.
it.each([
  { rounds: [8, 8], noise: [0.03, 0.03] },
  { rounds: [5, 12], noise: [0.03, 0.03] },
  { rounds: [6, 6], noise: [0.01, 0.06] },
])('sessions of $rounds rounds with noise $noise differ falsely in about 4.5 %', ({ rounds, noise }) => {
  const sessions = 1000;
  const levels = levelsOfOneLook(1);
  const [first = 0, second = 0] = rounds;
  const [one = 0, other = 0] = noise;
  const alarms = Array.from({ length: sessions }, (_, seed) => {
    const [a, b] = [estimateFrom(`a${seed}`, first, one), estimateFrom(`b${seed}`, second, other)];
    const { value, ...spread } = differenceOf(a, b);
    const { shared } = boundsAround(value, widthsAt(levels, spread, 1));
    return shared.low > 0 || shared.high < 0;
  }).filter(Boolean).length;
  expect(alarms / sessions).toBeGreaterThan(0.025);
  expect(alarms / sessions).toBeLessThan(0.066);
});
