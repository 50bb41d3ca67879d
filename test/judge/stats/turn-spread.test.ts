import { expect, it } from 'vitest';
import { createRandom, type Random } from '../../../src/base/random.ts';
import { mean } from '../../../src/judge/stats/moments.ts';
import { turnSpread } from '../../../src/judge/stats/variance.ts';
import { normal } from '../journal-fixture.ts';

/** Turns of arms: each has its own rate, each cycle its own mood, and each turn its own luck of this much. */
function turns(random: Random, { arms = 5, cycles = 40, luck = 0.1, effect = 0, mood = 0 } = {}): number[][] {
  const moods = Array.from({ length: cycles }, () => mood * normal(random));
  return Array.from({ length: arms }, (_, arm) =>
    moods.map((one) => 1000 * Math.exp(one + effect * arm + luck * normal(random))),
  );
}

function variances(options: Parameters<typeof turns>[1]): number {
  const random = createRandom(7);
  return mean(Array.from({ length: 300 }, () => turnSpread(turns(random, options))?.variance ?? Number.NaN));
}

it('is the variance of an arm’s slice from the luck of its turns', () => {
  expect(variances({}) / (0.1 ** 2 / 40)).toBeCloseTo(1, 1);
  expect(variances({ arms: 3, cycles: 12, luck: 0.05 }) / (0.05 ** 2 / 12)).toBeCloseTo(1, 1);
});

it('has nothing in it of what cycles do to all arms, and of which arm is faster', () => {
  expect(variances({ mood: 0.3 }) / (0.1 ** 2 / 40)).toBeGreaterThan(0.95);
  expect(variances({ mood: 0.3 }) / (0.1 ** 2 / 40)).toBeLessThan(1.15);
  expect(variances({ effect: 0.2 }) / variances({})).toBeCloseTo(1, 5);
});

it('bears turns without an answer, and says what it is based on', () => {
  expect(
    turnSpread([
      [0, 2],
      [1, 1],
    ]),
  ).toEqual({ variance: 0.5, df: 1 });
  expect(turnSpread(turns(createRandom(1)))?.df).toBe(4 * 39);
});

it('needs two arms, two cycles, and answers in each arm', () => {
  expect(turnSpread([[1, 2, 3]])).toBeNull();
  expect(turnSpread([[1], [2]])).toBeNull();
  expect(turnSpread([[1, 2], [1]])).toBeNull();
  expect(
    turnSpread([
      [1, 2],
      [0, 0],
    ]),
  ).toBeNull();
});
