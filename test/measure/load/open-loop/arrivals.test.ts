import { describe, expect, it } from 'vitest';
import { mean } from '../../../../src/judge/stats/moments.ts';
import { createArrivals } from '../../../../src/measure/load/open-loop/rate-stream.ts';

const RATE = 200;
const take = (count: number, arrivals: 'constant' | 'poisson', seed = 1): number[] => {
  const { next } = createArrivals({ arrivals, rate: RATE, seed });
  return Array.from({ length: count }, next);
};

/** How many are due in each stretch of this many milliseconds. */
function countsIn(timesMs: readonly number[], stretchMs: number): number[] {
  const counts = new Array<number>(Math.floor((timesMs.at(-1) ?? 0) / stretchMs)).fill(0);
  for (const ms of timesMs) {
    const at = Math.floor(ms / stretchMs);
    if (at < counts.length) counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}

function varianceOf(values: readonly number[]): number {
  const middle = mean(values);
  return mean(values.map((value) => (value - middle) ** 2));
}

describe('arrivals', () => {
  it('constant ones are at equal distances, the first at once', () => {
    expect(take(4, 'constant')).toEqual([0, 5, 10, 15]);
  });

  it('Poisson ones have the rate in the mean, and in any stretch the variance of their mean', () => {
    // 200,000 gaps: their mean has a standard error of 0.22 %, the ratio of 10,000 counts one of 1.4 %.
    const times = take(200_000, 'poisson');
    expect(times.at(-1) ?? 0).toBeGreaterThan(0.99 * (200_000 / RATE) * 1000);
    expect(times.at(-1) ?? 0).toBeLessThan(1.01 * (200_000 / RATE) * 1000);
    const counts = countsIn(times, 100);
    expect(varianceOf(counts) / mean(counts)).toBeGreaterThan(0.93);
    expect(varianceOf(counts) / mean(counts)).toBeLessThan(1.07);
  });

  it('Poisson gaps are exponential: 1 / e of them are longer than the mean', () => {
    const times = take(100_000, 'poisson');
    const longer = times.filter((ms, i) => ms - (times[i - 1] ?? 0) > 1000 / RATE).length;
    expect(longer / times.length).toBeGreaterThan(Math.exp(-1) - 0.01);
    expect(longer / times.length).toBeLessThan(Math.exp(-1) + 0.01);
  });

  it('the same seed gives the same times, another one others', () => {
    expect(take(50, 'poisson', 7)).toEqual(take(50, 'poisson', 7));
    expect(take(50, 'poisson', 7)).not.toEqual(take(50, 'poisson', 8));
  });

  it('times never go back', () => {
    const times = take(10_000, 'poisson');
    expect(times.every((ms, i) => ms >= (times[i - 1] ?? 0))).toBe(true);
  });
});
