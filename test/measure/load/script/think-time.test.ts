import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import { meanThinkMs, type ThinkTime } from '../../../../src/journal/script-spec.ts';
import { restOfPauseMs, thinkMs } from '../../../../src/measure/load/script/script.ts';

const draws = (think: ThinkTime | undefined, seed = 1): number[] => {
  const random = createRandom(seed);
  return Array.from({ length: 20_000 }, () => thinkMs(think, random));
};
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const shareBelow = (values: readonly number[], limit: number): number =>
  values.filter((value) => value < limit).length / values.length;

describe('think time', () => {
  it('is none, or always the same', () => {
    expect(new Set(draws(undefined))).toEqual(new Set([0]));
    expect(new Set(draws({ kind: 'constant', ms: 250 }))).toEqual(new Set([250]));
  });

  it('is exponential, with its mean and its quantiles', () => {
    const drawn = draws({ kind: 'exponential', meanMs: 2000 });
    expect(mean(drawn)).toBeCloseTo(2000, -2);
    // The median is mean x ln 2, and a twentieth is above mean x ln 20.
    expect(shareBelow(drawn, 2000 * Math.log(2))).toBeCloseTo(0.5, 1);
    expect(shareBelow(drawn, 2000 * Math.log(20))).toBeCloseTo(0.95, 2);
  });

  it('is anything between two limits alike', () => {
    const drawn = draws({ kind: 'uniform', fromMs: 1000, toMs: 3000 });
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...drawn)).toBeLessThan(3000);
    expect(shareBelow(drawn, 1500)).toBeCloseTo(0.25, 1);
  });

  it('is the same for the same seed', () => {
    const think = { kind: 'exponential', meanMs: 100 } as const;
    expect(draws(think)).toEqual(draws(think));
    expect(draws(think, 2)).not.toEqual(draws(think));
  });

  it('is met at any moment: the rest of it is what renewal theory knows', () => {
    const rests = (pause?: ThinkTime): number[] => {
      const random = createRandom(1);
      return Array.from({ length: 20_000 }, () => restOfPauseMs(pause, random));
    };
    expect(rests()[0]).toBe(0);
    const [constant, exponential, uniform]: ThinkTime[] = [
      { kind: 'constant', ms: 400 },
      { kind: 'exponential', meanMs: 200 },
      { kind: 'uniform', fromMs: 100, toMs: 300 },
    ];
    // E[X^2] / (2 E[X]): half of what never differs, all of what has no memory, 43333 / 400 here.
    for (const [pause, expected] of [
      [constant, 200],
      [exponential, 200],
      [uniform, 108.3],
    ] as const)
      expect(mean(rests(pause as ThinkTime)) / expected).toBeCloseTo(1, 1);
    expect(shareBelow(rests(constant as ThinkTime), 100)).toBeCloseTo(0.25, 1);
    expect(Math.max(...rests(uniform as ThinkTime))).toBeLessThan(300);
  });

  it('has a mean over the steps of a script', () => {
    const step = (think?: ThinkTime) => {
      const request = { name: 'x', method: 'GET', path: '/', headers: {} };
      return { kind: 'step', step: { ...request, ...(think && { think }) } } as const;
    };
    const parts = [
      step({ kind: 'constant', ms: 100 }),
      step({ kind: 'exponential', meanMs: 300 }),
      step({ kind: 'uniform', fromMs: 300, toMs: 500 }),
      step(),
    ];
    expect(meanThinkMs({ parts })).toBe(200);
  });
});
