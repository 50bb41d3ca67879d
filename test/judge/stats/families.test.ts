import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { inverseTrigamma, trigamma } from '../../../src/judge/stats/distributions.ts';
import { mean } from '../../../src/judge/stats/moments.ts';
import { robustFit, type Table } from '../../../src/judge/stats/robust-fit.ts';
import { blockNoise, moderated, priorDf } from '../../../src/judge/stats/variance.ts';

// statsmodels 0.14: smf.ols('y ~ C(round) + C(arm)', data).fit().mse_resid, .df_resid
const rows = [
  [0.021, -0.0367, 0.1148, -0.137],
  [-0.0378, -0.0681, 0.1883, -0.0253],
  [-0.0208, 0.0005, 0.1101, -0.1764],
  [0.0852, -0.0273, 0.0716, -0.1578],
  [0.0318, 0.0089, 0.0204, -0.1422],
];

describe('the noise of an arm in a round', () => {
  test('is the residue of the two-way analysis of variance', () => {
    expect(blockNoise(rows)?.variance).toBeCloseTo(0.0032579013333333337, 14);
    expect(blockNoise(rows)?.df).toBe(12);
  });

  test('does not heed how fast a round or an arm is', () => {
    const moved = rows.map((row, i) => row.map((value, arm) => value + 3 * i - 7 * arm));
    expect(blockNoise(moved)?.variance).toBeCloseTo(0.0032579013333333337, 10);
  });

  test('of two arms is half the variance of their difference', () => {
    const pairs = rows.map((row) => row.slice(0, 2));
    const differences = pairs.map(([a, b]) => (a ?? 0) - (b ?? 0));
    const centre = differences.reduce((sum, value) => sum + value, 0) / 5;
    const variance = differences.reduce((sum, value) => sum + (value - centre) ** 2, 0) / 4;
    expect(blockNoise(pairs)?.variance).toBeCloseTo(variance / 2, 14);
  });

  test('needs two rounds and two arms', () => {
    expect(blockNoise([])).toBeNull();
    expect(blockNoise([[1, 2, 3]])).toBeNull();
    expect(blockNoise([[1], [2]])).toBeNull();
  });
});

describe('odd values pulled in', () => {
  const columns = (values: Table | undefined): number[] =>
    [0, 1, 2, 3].map((arm) => mean((values ?? []).flatMap((row) => row[arm] ?? [])));
  const withOdd = (value: number): number[][] =>
    rows.map((row, i) => (i === 4 ? row.map((own, arm) => (arm === 2 ? value : own)) : row));

  test('the estimates and the noise of a table with one odd start', () => {
    const fit = robustFit(withOdd(-0.3204));
    // 400 steps of the same iteration in another program (Python 3).
    const expected = [0.01588, -0.02454, 0.08979464, -0.12774];
    columns(fit?.values).forEach((value, arm) => {
      expect(value).toBeCloseTo(expected[arm] ?? 0, 6);
    });
    expect(fit?.noise.variance).toBeCloseTo(0.005234321580657328, 7);
    expect(fit?.noise.df).toBeCloseTo(0.9 * 12, 10);
    expect(fit?.byArm.map((arm) => arm?.variance.toFixed(6))).toEqual(['0.004652', '0.003456', '0.009634', '0.003194']);
  });

  test('where none is, it is the analysis of variance', () => {
    const calm = [
      [0, 1, 2],
      [0.1, 1, 1.9],
      [0, 1.1, 1.9],
      [0.1, 1.1, 2],
    ];
    expect(robustFit(calm)?.values.flat()).toEqual(calm.flat().map((value) => expect.closeTo(value, 12)));
    expect(robustFit(calm)?.noise.variance).toBeCloseTo(blockNoise(calm)?.variance ?? 0, 12);
  });

  test('how odd a start is makes no difference beyond some point', () => {
    // The scale is at least a fifth of the usual one, so that a value may not be odd without end.
    const [odd, odder] = [robustFit(withOdd(-0.6)), robustFit(withOdd(-0.9))];
    expect(columns(odd?.values)[2]).toBeCloseTo(columns(odder?.values)[2] ?? 0, 3);
    expect(odd?.noise.variance).toBeCloseTo(odder?.noise.variance ?? 0, 3);
    expect(columns(odd?.values)[0]).toBeCloseTo(columns(rows)[0] ?? 0, 12);
  });

  test('does not heed how fast a round or an arm is, nor the order, nor the sign', () => {
    const table = withOdd(-0.3204);
    const fit = robustFit(table);
    const moved = robustFit(table.map((row, i) => row.map((value, arm) => 3 * i - 7 * arm - value)));
    expect(moved?.noise.variance).toBeCloseTo(fit?.noise.variance ?? 0, 10);
    const order = createRandom(3).shuffle([0, 1, 2, 3, 4]);
    const shuffled = robustFit(order.map((i) => table[i] ?? []));
    expect(shuffled?.noise.variance).toBeCloseTo(fit?.noise.variance ?? 0, 10);
    expect(columns(shuffled?.values)).toEqual(columns(fit?.values).map((value) => expect.closeTo(value, 10)));
  });

  test('an arm may lack rounds', () => {
    const table = rows.map((row, i): (number | null)[] => (i < 2 ? [null, ...row.slice(1)] : row));
    const fit = robustFit(table);
    expect(fit?.values.slice(0, 2).map(([first]) => first)).toEqual([null, null]);
    // 18 values, 5 rounds, 4 arms.
    expect(fit?.noise.df).toBeCloseTo(0.9 * 10, 10);
    // Of three rounds two degrees of freedom, of which the rounds' means took a quarter.
    expect(fit?.byArm[0]?.df).toBeCloseTo(0.9 * 1.5, 10);
  });

  test('equal values have no noise; of one round or one arm nothing is known', () => {
    const equal = [0, 0.1, 0.7, 1.3].map((level) => [level, 0.3 + level, 0.1 + level]);
    expect(robustFit(equal)?.noise.variance).toBe(0);
    expect(robustFit([[1, 2, 3]])).toBeNull();
    expect(robustFit([[1], [2], [3]])).toBeNull();
    expect(robustFit([])).toBeNull();
  });
});

describe('moderated variances', () => {
  const spreads = (variances: readonly number[]) => variances.map((variance) => ({ variance, df: 5 }));

  test('the trigamma function and its inverse', () => {
    // SciPy 1.17.1: special.polygamma(1, [.5, 3, 20])
    expect([0.5, 3, 20].map(trigamma)).toEqual(
      [4.93480220054468, 0.39493406684822646, 0.051270822935203124].map((value) => expect.closeTo(value, 8)),
    );
    for (const x of [0.2, 1, 7, 300]) expect(inverseTrigamma(trigamma(x)) / x).toBeCloseTo(1, 7);
  });

  test('unlike arms say little of each other, alike ones much', () => {
    // SciPy 1.17.1: optimize.brentq on polygamma(1, d0 / 2) = the variance of ln s^2 within groups - polygamma(1, 2.5)
    expect(priorDf([spreads([1, 2, 9, 0.5]), spreads([3, 1, 30, 2])])).toBeCloseTo(2.2840065873574353, 6);
    expect(priorDf([spreads([1, 1.2, 0.9, 1.1])])).toBe(25);
    expect(priorDf([])).toBe(0);
    expect(priorDf([[null], [null]])).toBe(0);
    expect(priorDf([spreads([0, 0, 0])])).toBe(25);
  });

  test('a level of load may be noisier than another', () => {
    const quiet = [1, 1.2, 0.9, 1.1];
    expect(priorDf([spreads(quiet), spreads(quiet.map((variance) => 50 * variance))])).toBe(25);
  });

  test('own and pooled are weighed by what they are worth', () => {
    const [own, pooled] = [
      { variance: 4, df: 5 },
      { variance: 1, df: 18 },
    ];
    expect(moderated(own, pooled, 10)).toEqual({ variance: 2, df: 15 });
    expect(moderated(own, pooled, 25).df).toBe(18);
  });
});
