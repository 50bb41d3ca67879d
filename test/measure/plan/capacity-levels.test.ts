import { describe, expect, it } from 'vitest';
import {
  isSwept,
  type SweptLevel,
  searchSizes,
  sweptGuesses,
  sweptMs,
  sweptSizes,
} from '../../../src/measure/plan/capacity-levels.ts';
import { levelPlan } from '../../../src/measure/plan/level-plan.ts';

const range = { of: 'connections', from: 10, to: 2000 } as const;

const level = (size: number, ...stress: readonly (number | null)[]): SweptLevel => ({
  size,
  stress: new Map(stress.map((one, arm) => [`arm ${arm}`, one])),
});

describe('the way up through the range', () => {
  it('has both ends, equal factors, and whole numbers where things are counted', () => {
    expect(sweptSizes(range)).toEqual([10, 19, 38, 73, 141, 274, 532, 1031, 2000]);
    expect(sweptSizes({ of: 'rate', from: 1.5, to: 6 })).toEqual([1.5, 3, 6]);
    expect(sweptSizes({ of: 'users', from: 1, to: 2 })).toEqual([1, 2]);
  });

  it('has some pauses of users at each level, and no more than a slice', () => {
    expect(sweptMs({ sliceMs: 5000 })).toBe(2000);
    expect(sweptMs({ sliceMs: 500 })).toBe(500);
    expect(sweptMs({ sliceMs: 20_000, leastSliceMs: 20_000 })).toBe(8000);
  });

  it('ends where all arms are far beyond, or beyond twice in a row', () => {
    expect(isSwept([level(10, 0.1, 0.2), level(20, 0.5, 3)])).toBe(false);
    expect(isSwept([level(10, 0.1, 0.2), level(20, 2.1, 3)])).toBe(true);
    expect(isSwept([level(10, 0.1, 0.2), level(20, 1.2, 1.5)])).toBe(false);
    expect(isSwept([level(10, 1.1, 1.2), level(20, 1.2, 1.5)])).toBe(true);
    // The generator could not keep up with any: once that may be a neighbour's doing.
    expect(isSwept([level(10, null, null)])).toBe(false);
    expect(isSwept([level(10, 0.1, 0.2), level(20, null, null)])).toBe(false);
    expect(isSwept([level(10, 0.1, 0.2), level(20, null, null), level(40, null, null)])).toBe(true);
    // An arm that is overloaded makes the generator late, too.
    expect(isSwept([level(10, 3, 0.2), level(20, null, 3)])).toBe(true);
    expect(isSwept([level(10, 0.1, 0.2), level(20, null, 3)])).toBe(false);
  });

  it('guesses a limit between the last level that is kept and the first that is broken', () => {
    const swept = [level(10, 0.1, 0.5), level(20, 0.25, 4), level(40, 4, 16)];
    const [first, second] = sweptGuesses(swept, range);
    expect(first?.size).toBeCloseTo(28.3, 1);
    expect(second?.size).toBeCloseTo(12.6, 1);
  });

  it('guesses an end of the range where the limit lies beyond, and one level is enough', () => {
    const all = [level(10, 0.1, 3), level(2000, 0.5, 5)];
    expect(sweptGuesses(all, range)).toEqual([
      { arm: 'arm 0', size: 2000, width: 0 },
      { arm: 'arm 1', size: 10, width: 0 },
    ]);
  });

  it('is not led astray by one level that a neighbour has spoilt', () => {
    const swept = [level(10, 0.1), level(20, 3), level(40, 0.3), level(80, 2)];
    expect(sweptGuesses(swept, range)[0]?.size).toBeGreaterThan(40);
  });
});

describe('the levels of a round', () => {
  it('lie to both sides of where an arm is thought to reach its limit', () => {
    expect(searchSizes([{ arm: 'a', size: 100, width: 0.3 }], range)).toEqual([74, 90, 111, 135]);
  });

  it('are shared by arms that bear about the same, and more where they do not', () => {
    const alike = [100, 101, 103, 98].map((size) => ({ arm: String(size), size, width: 0.3 }));
    expect(searchSizes(alike, range)).toHaveLength(4);
    const apart = [100, 300].map((size) => ({ arm: String(size), size, width: 0.3 }));
    expect(searchSizes(apart, range)).toHaveLength(8);
  });

  it('of an arm that is known well stay four beside one that is not', () => {
    const precise = { arm: 'precise', size: 1000, width: 0.03 };
    const wide = { arm: 'wide', size: 1000 * Math.exp(0.06), width: 0.3 };
    const sizes = searchSizes([precise, wide], { of: 'rate', from: 10, to: 5000 });
    const near = sizes.filter((size) => Math.abs(Math.log(size / precise.size)) < 0.05);
    expect(near).toHaveLength(4);
    expect(sizes.length).toBeLessThanOrEqual(8);
  });

  it('stay within the range, and are distinct', () => {
    const sizes = searchSizes([{ arm: 'a', size: 11, width: 0.3 }], { of: 'connections', from: 10, to: 12 });
    expect(sizes).toEqual([10, 12]);
    expect(searchSizes([{ arm: 'a', size: 10, width: 0.02 }], range)).toEqual([10, 11, 12]);
    expect(searchSizes([{ arm: 'a', size: 20, width: 0.02 }], range)).toEqual([19, 20, 21, 22]);
  });

  it('are as many as a plan expects, the largest load among them', () => {
    const levels = levelPlan({ levels: [], sliceMs: 5000, capacity: { ...range, until: [] } }).expected;
    expect(levels).toHaveLength(4);
    expect(levels.at(-1)).toEqual({ connections: 2000 });
    expect(levelPlan({ levels: [{ connections: 3 }], sliceMs: 5000 }).expected).toEqual([{ connections: 3 }]);
  });
});
