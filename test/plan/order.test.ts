import { describe, expect, it } from 'vitest';
import type { Arm } from '../../src/plan/arms.ts';
import { orderSlices } from '../../src/plan/order.ts';

const arms = ['a', 'b', 'c', 'd', 'e'].map(
  (name): Arm => ({ name, variant: { name, factors: {}, env: {} }, repeat: false }),
);
const levels = [1, 25, 50].map((connections) => ({ connections }));
const order = (round: number, gap = 3, slicesPerRound = 1) =>
  orderSlices({ arms, levels, slicesPerRound, seed: 7, round, gap }).map(
    ({ arm, load }) => `${arm.name}${load.connections}`,
  );

describe('the order of a round', () => {
  it('has every cell once for each slice of the round', () => {
    expect(new Set(order(1)).size).toBe(15);
    const twice = order(1, 3, 2);
    expect(twice).toHaveLength(30);
    for (const cell of new Set(order(1))) expect(twice.filter((other) => other === cell)).toHaveLength(2);
  });

  it('begins with the bulk load, which comes once', () => {
    const mixed = [{ connections: 25, bulk: true as const }, { connections: 1 }, { connections: 50 }];
    for (const round of [1, 2, 3, 4]) {
      const slices = orderSlices({ arms, levels: mixed, slicesPerRound: 2, seed: 7, round, gap: 0 });
      expect(slices).toHaveLength(25);
      expect(slices.map(({ load }) => load.bulk === true)).toEqual([...slices.keys()].map((place) => place < 5));
    }
  });

  it('is the same for the same seed and round, and another for another round', () => {
    expect(order(1)).toEqual(order(1));
    expect(order(1)).not.toEqual(order(2));
  });

  it('measures all arms at one load level before the next', () => {
    const cells = order(3);
    for (const pass of [cells.slice(0, 5), cells.slice(5, 10), cells.slice(10)]) {
      expect(new Set(pass.map((cell) => cell.slice(1))).size).toBe(1);
    }
  });

  it('keeps the gap between two slices of an arm', () => {
    for (let round = 1; round <= 200; round++) {
      const names = order(round).map((cell) => cell[0]);
      names.forEach((name, place) => {
        const next = names.indexOf(name, place + 1);
        if (next >= 0) expect(next - place - 1, names.join('')).toBeGreaterThanOrEqual(3);
      });
    }
  });

  it('repeats the order where the gap leaves no other', () => {
    const names = order(1, 99).map((cell) => cell[0]);
    expect(names.slice(5, 10)).toEqual(names.slice(0, 5));
  });

  it('puts every arm in every place about equally often', () => {
    const rounds = 4000;
    const places = new Map<string, number[]>(arms.map(({ name }) => [name, [0, 0, 0, 0, 0]]));
    for (let round = 1; round <= rounds; round++) {
      order(round)
        .slice(5, 10)
        .forEach((cell, place) => {
          const counts = places.get(cell.slice(0, 1));
          if (counts) counts[place] = (counts[place] ?? 0) + 1;
        });
    }
    // Binomial with p = 1/5: five standard deviations are 126.
    for (const counts of places.values())
      for (const count of counts) expect(Math.abs(count - rounds / 5)).toBeLessThan(126);
  });
});
