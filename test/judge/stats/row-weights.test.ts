import { describe, expect, test } from 'vitest';
import { createRandom, type Random, seedOf } from '../../../src/base/random.ts';
import { mean, standardDeviation, weightedMean } from '../../../src/judge/stats/moments.ts';
import { robustFit } from '../../../src/judge/stats/robust-fit.ts';
import { rowWeights } from '../../../src/judge/stats/row-weights.ts';
import { normal } from '../journal-fixture.ts';

const CYCLES = 15;
const ARMS = 5;

/** What turns show of a noise with a standard deviation: as its estimate from this many turns. */
function shown(sd: number, random: Random): { readonly variance: number; readonly df: number } {
  const df = (ARMS - 1) * (CYCLES - 1);
  const squares = Array.from({ length: df }, () => normal(random) ** 2);
  return { variance: (sd ** 2 * squares.reduce((sum, square) => sum + square, 0)) / df, df };
}

/** Rounds of five equal arms, with noise between starts and, by round, within them. */
function session(seed: number, between: number, withins: readonly number[]) {
  const random = createRandom(seedOf('row weights', seed));
  const table = withins.map((within) => {
    const level = normal(random);
    return Array.from({ length: ARMS }, () => level + between * normal(random) + within * normal(random));
  });
  return { table, noise: withins.map((within) => shown(within, random)) };
}

const calm = [0.03, 0.03, 0.03, 0.03, 0.03, 0.03];
const disturbed = [0.03, 0.12, 0.03, 0.03, 0.03, 0.03];

describe('weights of rounds', () => {
  test('are 1 on average, and all 1 where the noise of some round is not known', () => {
    const { table, noise } = session(1, 0.02, disturbed);
    expect(mean(rowWeights(table, noise))).toBeCloseTo(1, 12);
    expect(rowWeights(table, [null, ...noise.slice(1)])).toEqual([1, 1, 1, 1, 1, 1]);
    expect(rowWeights(table.slice(0, 2), noise.slice(0, 2))).toEqual([1, 1]);
    expect(rowWeights([], [])).toEqual([]);
  });

  test('are those of the columns that have values, and all 1 where none has', () => {
    const { table, noise } = session(1, 0.02, disturbed);
    const without = (columns: number) => table.map((row) => row.map((value, at) => (at < columns ? value : null)));
    expect(rowWeights(without(3), noise)).toEqual(
      rowWeights(
        table.map((row) => row.slice(0, 3)),
        noise,
      ),
    );
    expect(rowWeights(without(0), noise)).toEqual(rowWeights(without(1), noise));
    expect(rowWeights(without(0), noise.fill(noise[0] ?? shown(1, createRandom(1))))).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('a round beside a noisy neighbour counts for a fraction, equal rounds about alike', () => {
    const seeds = Array.from({ length: 100 }, (_, seed) => seed);
    const noisy = seeds.map((seed) => {
      const { table, noise } = session(seed, 0.02, disturbed);
      return rowWeights(table, noise)[1] ?? 1;
    });
    expect(mean(noisy)).toBeLessThan(0.25);
    const equal = seeds.flatMap((seed) => {
      const { table, noise } = session(seed, 0.02, calm);
      return rowWeights(table, noise);
    });
    expect(standardDeviation(equal)).toBeLessThan(0.1);
  });

  test('where starts differ by more than turns do, rounds count about alike', () => {
    const { table, noise } = session(3, 0.3, disturbed);
    for (const weight of rowWeights(table, noise)) expect(Math.abs(weight - 1)).toBeLessThan(0.3);
  });

  test('moving rounds and arms, or giving some values none, changes nothing that it should not', () => {
    const { table, noise } = session(4, 0.02, disturbed);
    const weights = rowWeights(table, noise);
    const moved = table.map((row, i) => row.map((value, arm) => value + 5 * i - 2 * arm));
    rowWeights(moved, noise).forEach((weight, i) => {
      expect(weight).toBeCloseTo(weights[i] ?? 0, 6);
    });
    const holed = rowWeights(
      table.map((row, i) => (i === 3 ? [null, ...row.slice(1)] : row)),
      noise,
    );
    expect(holed.every(Number.isFinite)).toBe(true);
  });
});

describe('a weighted fit', () => {
  test('is the fit without weights where all are 1', () => {
    const { table } = session(5, 0.02, disturbed);
    expect(robustFit(table, [1, 1, 1, 1, 1, 1])).toEqual(robustFit(table));
  });

  test('its estimates scatter less beside a neighbour, and about as its noise says', () => {
    const seeds = Array.from({ length: 400 }, (_, seed) => seed);
    const [equal, weighted, scores]: [number[], number[], number[]] = [[], [], []];
    for (const seed of seeds) {
      const { table, noise } = session(seed, 0.01, disturbed);
      const weights = rowWeights(table, noise);
      const [plain, fit] = [robustFit(table), robustFit(table, weights)];
      const difference = (values: NonNullable<typeof fit>['values']): number[] =>
        values.map((row) => (row[1] ?? 0) - (row[0] ?? 0));
      if (plain === null || fit === null) throw new Error('no fit');
      equal.push(mean(difference(plain.values)));
      const estimate = weightedMean(difference(fit.values), weights);
      weighted.push(estimate);
      scores.push(estimate / Math.sqrt((2 * fit.noise.variance) / table.length));
    }
    // 0.82 of it, beside a fit that pulls in what is odd; the error of the quotient is 0.03.
    expect(standardDeviation(weighted) / standardDeviation(equal)).toBeLessThan(0.92);
    // As t with some 18 degrees of freedom: 1.06, with an error of 0.04.
    expect(standardDeviation(scores)).toBeGreaterThan(0.9);
    expect(standardDeviation(scores)).toBeLessThan(1.2);
  });
});
