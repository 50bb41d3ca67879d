import { describe, expect, test } from 'vitest';
import { createRandom } from '../../src/base/random.ts';
import { blockNoise } from '../../src/stats/block-noise.ts';
import { signFlipAlpha } from '../../src/stats/sign-flips.ts';
import { signedRankTails } from '../../src/stats/signed-rank.ts';
import { normal } from '../analysis/journal-fixture.ts';

describe('the noise of an arm in a round', () => {
  // statsmodels 0.14: smf.ols('y ~ C(round) + C(arm)', data).fit().mse_resid, .df_resid
  const rows = [
    [0.021, -0.0367, 0.1148, -0.137],
    [-0.0378, -0.0681, 0.1883, -0.0253],
    [-0.0208, 0.0005, 0.1101, -0.1764],
    [0.0852, -0.0273, 0.0716, -0.1578],
    [0.0318, 0.0089, 0.0204, -0.1422],
  ];

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

describe('sign flips over all cells', () => {
  const cells = [
    [-0.0401, 0.0121, -0.0828, 0.0328, 0.0572, -0.0226, 0.0215, 0.0125, -0.0197, -0.0431],
    [-0.0471, 0.0036, -0.0823, 0.0322, 0.049, -0.0191, 0.0278, 0.0198, -0.013, -0.0433],
    [-0.0199, 0.0093, -0.0761, 0.1172, -0.0047, -0.0193, 0.0405, -0.0446, 0.0384, -0.0586],
  ];

  /**
   * NumPy and SciPy 1.17.1, all 1,024 patterns: W = S @ (rankdata(|d|) * sign(d)) for each cell, its exact two-sided p,
   * the smallest of the three; of its values the largest that is reached with a chance of at most alpha.
   */
  test.each([
    [0.1, 0.048828125],
    [0.05, 0.01953125],
  ])('at alpha %d each cell may spend what all patterns together leave', (alpha, expected) => {
    const allowed = signFlipAlpha(cells, alpha);
    // 4,000 of the patterns are tried: one step of the discrete p to either side.
    expect(allowed).toBeGreaterThan(expected * 0.8);
    expect(allowed).toBeLessThan(expected * 1.3);
    expect(allowed).toBeGreaterThan(alpha / 3);
  });

  function draws(count: number, rounds: number, likeness: number, seed: number): number[][] {
    const random = createRandom(seed);
    const shared = Array.from({ length: rounds }, () => normal(random));
    return Array.from({ length: count }, () => shared.map((one) => likeness * one + (1 - likeness) * normal(random)));
  }

  test('never less than Bonferroni, and the more the more alike the cells', () => {
    const alone = signFlipAlpha(draws(20, 22, 0, 1), 0.0103);
    const alike = signFlipAlpha(draws(20, 22, 0.8, 1), 0.0103);
    const same = signFlipAlpha(draws(20, 22, 1, 1), 0.0103);
    expect(alone).toBeGreaterThanOrEqual(0.0103 / 20);
    expect(alone).toBeLessThan(0.0103 / 8);
    expect(alike).toBeGreaterThan(2 * alone);
    expect(same).toBeGreaterThan(0.008);
    expect(same).toBeLessThanOrEqual(0.0103);
  });

  test('a cell alone has it all; too many to try have an equal share', () => {
    expect(signFlipAlpha(draws(1, 22, 0, 1), 0.0103)).toBe(0.0103);
    expect(signFlipAlpha(draws(1000, 22, 1, 1), 0.0103)).toBe(0.0103 / 1000);
    expect(signFlipAlpha([], 0.0103)).toBe(0.0103);
  });

  test('does not heed the order of rounds, nor which way the signs point', () => {
    const values = draws(6, 18, 0.3, 7);
    const expected = signFlipAlpha(values, 0.0093);
    const order = createRandom(3).shuffle([...Array(18).keys()]);
    expect(
      signFlipAlpha(
        values.map((cell) => order.map((i) => cell[i] ?? 0)),
        0.0093,
      ),
    ).toBe(expected);
    expect(
      signFlipAlpha(
        values.map((cell) => cell.map((value) => -value)),
        0.0093,
      ),
    ).toBe(expected);
  });

  test('a cell may lack rounds that others have', () => {
    const values = draws(6, 22, 0.3, 7).map((cell, i) =>
      cell.map((value, round) => (i === 2 && round < 4 ? null : value)),
    );
    const allowed = signFlipAlpha(values, 0.0103);
    expect(allowed).toBeGreaterThanOrEqual(0.0103 / 6);
    expect(allowed).toBeLessThan(0.0103);
  });

  test('the p of a sum of signed ranks: of 3 values 6, 4, 2 and 0 in 2, 4, 6 and all of 8 patterns', () => {
    const tails = signedRankTails(3);
    expect([6, 4, 2, 0].map((score) => tails[score])).toEqual([2 / 8, 4 / 8, 6 / 8, 1]);
  });
});
