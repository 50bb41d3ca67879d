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
    expect(df).toBeCloseTo(6, 10);
    expect(differenceOfMeans(sessions(1, 1.1, 1, 1.1), sessions(0, 0, 0, 0)).df).toBeCloseTo(80, 10);
  });

  it('has the scatter of each side by itself, as Welch has it', () => {
    // Variances 20/3 of four and 0.3 of six: of the means 5/3 and 0.05.
    const { variance, df } = differenceOfMeans(sessions(1, 3, 5, 7), sessions(0, 0, 0, 1, 1, 1));
    expect(variance).toBeCloseTo(5 / 3 + 0.05, 10);
    expect(df).toBeCloseTo((5 / 3 + 0.05) ** 2 / ((5 / 3) ** 2 / 3 + 0.05 ** 2 / 5), 10);
  });

  it('of two or three has what they scatter by: known like their own noise while that explains it, else by itself', () => {
    // Squares 0.08 + 0.08 over 1 each, over 2: 0.08, where own noise has 0.04.
    const explained = differenceOfMeans(sessions(1, 1.4), sessions(0, 0.4));
    expect(explained.variance).toBeCloseTo(0.08, 10);
    expect(explained.df).toBeCloseTo(40, 10);
    const disagreeing = differenceOfMeans(sessions(1, 3), sessions(0, 2));
    expect(disagreeing.variance).toBeCloseTo(2, 10);
    expect(disagreeing.df).toBeCloseTo(2, 10);
  });

  it('of one against many takes it to scatter like the many', () => {
    const { variance, df } = differenceOfMeans(sessions(0), sessions(0, 1, 2, 3, 4));
    expect(variance).toBeCloseTo(2.5 * 1.2, 10);
    expect(df).toBeCloseTo(4, 10);
  });
});

/** How often sessions with no difference have one, where they scatter by so much; their own noise is 1 %. */
function falseAlarms(
  [first, second]: readonly [number, number],
  scatter: readonly [number, number],
  pairs = 2000,
): number {
  const random = createRandom(seedOf('scatter', first, second, ...scatter));
  const level = levelsOfOneLook(1);
  const side = (count: number, sd: number): Estimate[] =>
    Array.from({ length: count }, () => ({
      value: Math.hypot(sd, 0.01) * normal(random),
      variance: 0.01 ** 2,
      df: 15,
    }));
  const alarms = Array.from({ length: pairs }, () => {
    const { value, ...spread } = differenceOfMeans(side(first, scatter[0]), side(second, scatter[1]));
    return Math.abs(value) > widthsAt(level, spread, 1).difference;
  }).filter(Boolean).length;
  return alarms / pairs;
}

describe('sessions that scatter by more than their own noise', () => {
  // 5 % and two standard errors.
  it.each<[readonly [number, number], readonly [number, number]]>([
    [
      [4, 20],
      [0.05, 0.01],
    ],
    [
      [20, 4],
      [0.01, 0.05],
    ],
    [
      [4, 4],
      [0.05, 0.05],
    ],
    [
      [5, 8],
      [0.02, 0.05],
    ],
    [
      [4, 4],
      [0, 0],
    ],
  ])('%j a side that scatter by %j more differ falsely in 5 of 100 at most', (counts, scatter) => {
    expect(falseAlarms(counts, scatter)).toBeLessThan(0.06);
  });

  // By their own noise alone 15 to 70 % would.
  it.each<[readonly [number, number], readonly [number, number]]>([
    [
      [2, 2],
      [0.05, 0.05],
    ],
    [
      [2, 2],
      [0.01, 0.01],
    ],
    [
      [3, 3],
      [0.02, 0.02],
    ],
    [
      [1, 6],
      [0.02, 0.02],
    ],
  ])(
    '%j a side, too few to show it well, that scatter by %j more differ falsely in 10 of 100 at most',
    (counts, scatter) => {
      expect(falseAlarms(counts, scatter)).toBeLessThan(0.1);
    },
  );
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
