import { describe, expect, it } from 'vitest';
import { createPlaces, drawPlaces } from '../../../src/measure/plan/places.ts';
import { expectBalanced } from '../../fixtures/balanced-places.ts';

const named = (count: number): string[] => Array.from({ length: count }, (_, arm) => `arm ${arm}`);

/** This many rounds of these arms, after those before. */
function drawn(arms: readonly string[], rounds: number, seed: number, before: readonly string[][] = []): string[][] {
  const orders = [...before];
  for (let round = 0; round < rounds; round++) orders.push(drawPlaces(arms, orders, 1000 * seed + orders.length));
  return orders.slice(before.length);
}

describe('places', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 11, 20])(
    'of %i arms are balanced after every round, and never the same twice running',
    (count) => {
      for (let seed = 0; seed < 10; seed++) expectBalanced(drawn(named(count), 2 * count + 5, seed));
    },
  );

  it('are drawn by the seed', () => {
    const firsts = Array.from({ length: 200 }, (_, seed) => drawn(named(5), 1, seed)[0]?.[0]);
    for (const arm of named(5)) expect(firsts.filter((first) => first === arm).length).toBeGreaterThan(20);
    expect(drawn(named(5), 7, 3)).toEqual(drawn(named(5), 7, 3));
  });

  it('come in pairs of rounds, one the other backwards; with an odd number of arms as far as that can be', () => {
    const backwards = (arms: number): number[] => {
      const orders = drawn(named(arms), 4, 1);
      return [0, 2].map((first) => {
        const mirrored = [...(orders[first] ?? [])].reverse();
        return mirrored.filter((arm, place) => orders[first + 1]?.[place] === arm).length;
      });
    };
    expect(backwards(6)).toEqual([6, 6]);
    expect(Math.min(...backwards(5))).toBeGreaterThanOrEqual(2);
  });

  it('begin a new balance when arms leave, none at the place that it just had', () => {
    for (let seed = 0; seed < 10; seed++) {
      const before = drawn(named(6), 4, seed);
      const after = drawn(named(4), 9, seed, before);
      expectBalanced(after);
      for (const arm of named(4)) expect(after[0]?.indexOf(arm)).not.toBe(before.at(-1)?.indexOf(arm));
    }
  });

  it('of a session continue where those of the one before ended, and groups have their own', () => {
    const arms = named(7);
    const whole = createPlaces(5);
    const had = Array.from({ length: 8 }, (_, index) => {
      const places = whole.draw(index + 1, arms, 3);
      whole.take(places);
      return places;
    });
    expectBalanced(had.map((places) => places.arms));
    expectBalanced(had.map(({ groups = [] }) => groups));
    const resumed = createPlaces(5, had.slice(0, 4));
    expect(resumed.draw(5, arms, 3)).toEqual(had[4]);
    // A round that was not completed is drawn again as if it had not been.
    expect(resumed.draw(5, arms, 3)).toEqual(had[4]);
    expect(whole.draw(9, arms, 1)).not.toHaveProperty('groups');
  });
});
