import { describe, expect, test } from 'vitest';
import { createRandom } from '../../src/base/random.ts';
import { batchMeans } from '../../src/stats/batch-means.ts';
import { mser5Truncation, mserTruncation } from '../../src/stats/mser.ts';
import { isWarm } from '../../src/stats/warm-up.ts';
import { normal } from '../analysis/journal-fixture.ts';

/**
 * NumPy, seeded: np.round(np.concatenate([100 * (1 - np.exp(-np.arange(30) / 6)), 100 * np.ones(70)]) +
 * np.random.default_rng(5).normal(0, 2, 100), 2)
 */
const rising = [
  -1.6, 12.7, 27.85, 40.19, 50.93, 56.76, 62.11, 67.29, 75.14, 80.96, 81.66, 81.55, 84.55, 91.74, 90.71, 88.33, 92.88,
  91.79, 93.76, 94.81, 95.01, 98.09, 97.32, 96.66, 98.99, 100.11, 95.4, 98.38, 97.1, 98.86, 97.42, 100.04, 99.92, 99.39,
  97.9, 99.21, 97.82, 97.29, 100.45, 97.78, 102.34, 101.43, 96.0, 100.54, 97.8, 100.07, 100.09, 96.02, 99.53, 99.49,
  101.92, 97.64, 101.48, 97.8, 99.34, 98.32, 102.9, 101.14, 104.86, 101.28, 101.69, 101.68, 98.79, 99.86, 102.7, 99.21,
  100.38, 99.96, 101.22, 99.27, 99.7, 100.48, 100.21, 98.27, 101.79, 97.4, 97.6, 97.44, 101.93, 99.28, 98.06, 97.73,
  100.84, 97.89, 97.46, 101.23, 97.61, 99.36, 99.99, 99.11, 99.89, 102.68, 98.97, 97.48, 96.33, 99.59, 99.3, 100.53,
  99.07, 99.04,
];

describe('truncation', () => {
  test('batch means leave out what fills no batch', () => {
    expect(batchMeans([1, 3, 5, 7, 100], 2)).toEqual([2, 6]);
    expect(batchMeans([1], 2)).toEqual([]);
  });

  test('is where the standard error of the rest is smallest', () => {
    // NumPy: argmin over d <= n - 5 of ((x[d:] - x[d:].mean()) ** 2).sum() / (n - d) ** 2; of x.reshape(-1, 5).mean(1) times 5.
    expect(mserTruncation(rising)).toBe(21);
    expect(mser5Truncation(rising)).toBe(75);
  });

  test('is nothing for rates that are flat, and unknown for too few', () => {
    expect(mserTruncation([5, 5, 5, 5, 5, 5, 5, 5])).toBe(0);
    expect(mserTruncation([1, 2, 3, 4])).toBeNull();
    expect(mser5Truncation(rising.slice(0, 24))).toBeNull();
    expect(mser5Truncation(rising.slice(0, 25))).not.toBeNull();
  });
});

describe('a process is warm', () => {
  const rates = (count: number, curve: (batch: number) => number, seed: number): number[] => {
    const random = createRandom(seed);
    return Array.from({ length: count }, (_, batch) => 1000 * curve(batch) * (1 + 0.02 * normal(random)));
  };
  const warmShare = (count: number, curve: (batch: number) => number): number =>
    Array.from({ length: 200 }, (_, seed) => isWarm(rates(count, curve, seed))).filter(Boolean).length / 200;

  test('when its rate is flat, and not before 8 batches', () => {
    expect(isWarm(new Array<number>(7).fill(1000))).toBe(false);
    expect(isWarm(new Array<number>(8).fill(1000))).toBe(true);
    expect(isWarm([])).toBe(false);
    for (const count of [8, 12, 20, 40]) expect(warmShare(count, () => 1)).toBeGreaterThan(0.75);
  });

  test('a while after a steep start, not during it', () => {
    const steep = (batch: number): number => 1 - 0.6 * Math.exp(-batch / 3);
    expect(warmShare(8, steep)).toBeLessThan(0.3);
    expect(warmShare(40, steep)).toBeGreaterThan(0.7);
  });

  test('not while it still climbs or falls', () => {
    for (const direction of [0.01, -0.01]) expect(warmShare(20, (batch) => 1 + direction * batch)).toBeLessThan(0.05);
  });

  test('a rate of 0 throughout is flat: waiting would not mend it', () => {
    expect(isWarm(new Array<number>(10).fill(0))).toBe(true);
  });
});
