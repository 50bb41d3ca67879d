import { describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../../src/base/random.ts';
import { toConfirm } from '../../../src/judge/tune/confirm.ts';
import type { Seen } from '../../../src/judge/tune/landscape.ts';
import { type Prospect, propose, type Searched } from '../../../src/judge/tune/propose.ts';
import { numberOf, type Point, pointOf, type Space, spaceOf } from '../../../src/judge/tune/space.ts';
import { spread } from '../../../src/judge/tune/spread.ts';

const pools = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90, 100];
const byRatio = { size: pools.length, places: pools.map((pool) => Math.log(pool) / Math.log(100)) };
const onePool = spaceOf([byRatio]);
const control: Point = [pools.indexOf(10)];
const poolAt = ([place = 0]: Point): number => pools[place] ?? 0;
const rules = { slots: 6, marginLog: Math.log(1.05), seed: 1 };

interface Played {
  readonly rounds: readonly (readonly Point[])[];
  readonly searched: Searched;
  readonly last: Prospect;
}

/** A search of that landscape, until it would end. */
function search(truth: (point: Point) => number, own: Partial<Searched> = {}, noise = 0.02, slots = 6): Played {
  const random: Random = createRandom(7);
  const seen: Seen[] = [];
  const rounds: (readonly Point[])[] = [];
  const searched: Searched = { space: onePool, control, out: new Set(), ...own, seen };
  for (;;) {
    const last = propose(searched, { ...rules, slots, round: rounds.length + 1 });
    if ((last.known !== null && last.known.missed < 0.1) || rounds.length === 30) return { rounds, searched, last };
    rounds.push(last.next);
    for (const point of [searched.control, searched.control, ...last.next]) {
      const scatter = noise * (random.next() + random.next() + random.next() - 1.5) * 2;
      seen.push({ round: rounds.length, point, value: 5 + rounds.length / 10 + truth(point) + scatter });
    }
  }
}

const peak = (point: Point): number => -0.1 * Math.log2(poolAt(point) / 25) ** 2;

describe('a search', () => {
  it('spreads its first points over the range, and tries none twice nor the control', () => {
    const { next, known } = propose({ space: onePool, control, seen: [], out: new Set() }, { ...rules, round: 1 });
    expect(known).toBeNull();
    const sizes = next.map(poolAt).sort((a, b) => a - b);
    expect(sizes).toHaveLength(6);
    expect(new Set(sizes).size).toBe(6);
    expect(sizes).not.toContain(10);
    const gaps = sizes.slice(1).map((size, place) => size / (sizes[place] ?? 1));
    // Two that are next to each other are less than two sixths of the range apart.
    expect(Math.max(...gaps)).toBeLessThan(100 ** (2 / 6));
  });

  it('finds the peak within the margin, in few rounds, however high the level of a round is', () => {
    const { rounds, last } = search(peak);
    expect(rounds.length).toBeLessThanOrEqual(4);
    expect(peak(last.known?.best ?? [])).toBeGreaterThan(-Math.log(1.05));
  });

  it('tries only what may be the best as soon as it knows enough', () => {
    const { rounds } = search(peak, {}, 0.06);
    for (const points of rounds.slice(2)) for (const point of points) expect(poolAt(point)).toBeGreaterThan(5);
  });

  it('ends soon where all is alike, and then expects to gain nothing', () => {
    const { rounds, last } = search(() => 0);
    expect(rounds.length).toBeLessThanOrEqual(2);
    expect(last.known?.gain).toBeLessThan(Math.log(1.05));
  });

  it('takes no point that was refused', () => {
    const out = new Set(pools.flatMap((pool, place) => (pool >= 20 && pool <= 30 ? [place] : [])));
    const { rounds, last } = search(peak, { out });
    for (const point of [...rounds.flat(), last.known?.best ?? []]) expect(out).not.toContain(numberOf(onePool, point));
  });

  it('is no further misled by one odd start than by its round', () => {
    const calm = search(peak);
    const odd = calm.searched.seen.map((one, place) => (place === 4 ? { ...one, value: one.value + 0.8 } : one));
    const { known } = propose({ ...calm.searched, seen: odd }, { ...rules, round: 9 });
    expect(peak(known?.best ?? [])).toBeGreaterThan(-Math.log(1.1));
  });

  it('proposes the same from the same, and ends where it has to', () => {
    const { searched } = search(peak);
    const once = propose(searched, { ...rules, round: 4 });
    expect(propose(searched, { ...rules, round: 4 }).next).toEqual(once.next);
    const early = { ...searched, seen: searched.seen.slice(0, 5) };
    expect(propose(early, { ...rules, round: 2 }).known).toBeNull();
    expect(propose(early, { ...rules, round: 2, isLast: true }).known).not.toBeNull();
  });

  describe.each([1, 2, 3])('with few slots (%i)', (slots) => {
    const two = spaceOf([byRatio, byRatio]);
    const spaces = [
      { space: onePool, control: [pools.indexOf(10)], truth: peak },
      { space: two, control: [9, 9], truth: (point: Point) => peak(point) + peak([point[1] ?? 0]) },
    ];
    it.each(spaces)('measures other points round by round, and gets near the peak', ({ truth, ...own }) => {
      const { rounds, last } = search(truth, own, 0.02, slots);
      const spreadRounds = Math.ceil((2 * own.space.factors.length + 1) / slots);
      for (const points of rounds.slice(0, spreadRounds)) expect(points).toHaveLength(slots);
      const first = rounds.slice(0, spreadRounds).flat();
      const numbers = first.map((point) => numberOf(own.space, point));
      expect(new Set([...numbers, numberOf(own.space, own.control)]).size).toBe(first.length + 1);
      for (const points of rounds) expect(points.length).toBeGreaterThan(0);
      expect(rounds.length).toBeLessThan(30);
      expect(truth(last.known?.best ?? [])).toBeGreaterThan(-Math.log(1.05));
    });
  });

  it('tries a challenger of the best in every second round where one slot is all there is', () => {
    const seen = [2, 3, 5, 7].flatMap((pool, round): Seen[] => [
      { round, point: control, value: 5 },
      { round, point: [pools.indexOf(pool)], value: 5 + peak([pools.indexOf(pool)]) - peak(control) },
    ]);
    const tried = [10, 11].map((round) => {
      const { next, known } = propose({ space: onePool, control, seen, out: new Set() }, { ...rules, slots: 1, round });
      return next.map((point) => numberOf(onePool, point) === numberOf(onePool, known?.best ?? []));
    });
    expect(tried).toEqual([[false], [true]]);
  });

  it('of five factors finds the two that matter', () => {
    const flag = { size: 2, places: null };
    const space: Space = spaceOf([byRatio, byRatio, flag, byRatio, flag]);
    const truth = (point: Point): number =>
      peak([point[0] ?? 0]) - 0.1 * Math.log2((pools[point[1] ?? 0] ?? 1) / 4) ** 2;
    const { rounds, last } = search(truth, { space, control: [9, 9, 0, 9, 0] });
    expect(rounds.length).toBeLessThanOrEqual(15);
    expect(truth(last.known?.best ?? [])).toBeGreaterThan(-Math.log(1.1));
  });
});

describe('what is confirmed', () => {
  it('is the best, and the smallest value that is as good', () => {
    const from = (least: number) => (point: Point) =>
      poolAt(point) >= least ? 0.3 : 0.3 - 0.4 * Math.log2(least / poolAt(point));
    const { searched, last } = search(from(12));
    const sizes = toConfirm(searched, last.known, { ...rules, round: 9 }).map(poolAt);
    expect(sizes.length).toBeLessThanOrEqual(2);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(10);
    expect(Math.min(...sizes)).toBeLessThanOrEqual(18);
    expect(sizes).not.toContain(10);
  });

  it('is the next best where the control is the best', () => {
    const { searched, last } = search((point) => -0.2 * Math.log2(poolAt(point) / 10) ** 2);
    expect(poolAt(last.known?.best ?? [])).toBe(10);
    const [other] = toConfirm(searched, last.known, { ...rules, round: 9 }).map(poolAt);
    expect(other).not.toBe(10);
    expect(Math.abs(Math.log2((other ?? 1) / 10))).toBeLessThan(1);
  });

  it('is of several factors the best, and the plainest that is as good', () => {
    const space = spaceOf([byRatio, { size: 2, places: null }, { size: 2, places: null }]);
    const truth = (point: Point): number => peak([point[0] ?? 0]) + 0.2 * (point[1] ?? 0);
    const own: Point = [pools.indexOf(6), 0, 0];
    const { searched, last } = search(truth, { space, control: own });
    const points = toConfirm(searched, last.known, { ...rules, round: 9 });
    // The third factor does nothing.
    expect(points[0]?.slice(1)).toEqual([1, 0]);
    expect(points.length).toBeLessThanOrEqual(2);
  });
});

describe('a spread', () => {
  it('takes all that is free where little is, and fills several factors evenly', () => {
    const random = createRandom(3);
    const small = spaceOf([
      { size: 2, places: null },
      { size: 2, places: null },
    ]);
    expect(spread(small, { count: 6, taken: [0] }, random).map((point) => numberOf(small, point))).toEqual([1, 2, 3]);
    const two = spaceOf([byRatio, byRatio]);
    const points = spread(two, { count: 6, taken: [] }, random);
    for (const factor of [0, 1]) expect(new Set(points.map((point) => point[factor])).size).toBe(6);
    expect(points).toEqual(points.map((point) => pointOf(two, numberOf(two, point))));
  });

  it('has as many points as asked for wherever the others lie', () => {
    const random = createRandom(3);
    const withDefault = { size: 3, places: [-1, 0, 1] };
    const space = spaceOf([withDefault, withDefault]);
    // No design reaches the place of a default.
    for (const taken of [[0], [0, 4, 5, 7, 8]])
      for (const count of [1, 2]) {
        const numbers = spread(space, { count, taken }, random).map((point) => numberOf(space, point));
        expect(new Set([...numbers, ...taken]).size).toBe(count + taken.length);
      }
  });
});
