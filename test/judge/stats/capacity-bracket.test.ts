import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { bracketOf, readingsWithin } from '../../../src/judge/stats/capacity-bracket.ts';
import type { CurvePoint } from '../../../src/judge/stats/capacity-curve.ts';
import { normal } from '../../support/queues.ts';

function pointsOf(
  rounds: number,
  loads: readonly number[],
  stress: (load: number, round: number) => number,
): CurvePoint[] {
  return Array.from({ length: rounds }, (_, round) =>
    loads.map((load) => ({ round, load, stress: stress(load, round) })),
  ).flat();
}

const sure = { tail: 0.01, leastRounds: 4 };
/** Four slots of 20 ms for connections that wait in line, against 200 ms. */
const staircase = (load: number): number => (20.1 * Math.ceil(load / 4)) / 200;

describe('the loads between which a limit lies', () => {
  it('are neighbours where a metric jumps over it', () => {
    expect(bracketOf(pointsOf(4, [35, 36, 37, 38], staircase), sure)).toEqual({ low: 36, high: 37 });
  });

  it('are those that were measured, however far apart', () => {
    expect(bracketOf(pointsOf(4, [28, 35, 42, 52], staircase), sure)).toEqual({ low: 35, high: 42 });
  });

  it('are found where levels moved from round to round', () => {
    const rounds = [
      [28, 35, 42, 52],
      [33, 36, 39, 42],
      [35, 36, 37, 38],
      [35, 36, 37, 38],
    ];
    const points = [...rounds, ...rounds.slice(2)].flatMap((loads, round) =>
      loads.map((load) => ({ round, load, stress: staircase(load) })),
    );
    expect(bracketOf(points, sure)).toEqual({ low: 36, high: 37 });
  });

  it('have no end on a side that nothing is sure of', () => {
    expect(
      bracketOf(
        pointsOf(4, [10, 20], () => 0.5),
        sure,
      ),
    ).toEqual({ low: 20, high: null });
    expect(
      bracketOf(
        pointsOf(4, [10, 20], () => Number.POSITIVE_INFINITY),
        sure,
      ),
    ).toEqual({ low: null, high: 10 });
    expect(bracketOf(pointsOf(3, [10, 20], staircase), sure)).toEqual({ low: null, high: null });
    expect(bracketOf([], sure)).toEqual({ low: null, high: null });
  });

  it('are known by their sign after one round, where that is enough', () => {
    const points = pointsOf(1, [28, 35, 42, 52], staircase);
    expect(bracketOf(points, { tail: 0.15, leastRounds: 1 })).toEqual({ low: 35, high: 42 });
  });

  it('leave the limit outside no more often than promised, where noise hides it', () => {
    const random = createRandom('bracket');
    let outside = 0;
    for (let session = 0; session < 400; session++) {
      const shifts = Array.from({ length: 6 }, () => 0.03 * normal(random));
      const points = pointsOf(
        6,
        [92, 96, 98, 99, 101, 103, 106, 110],
        (load, round) => (load / 100) ** 4 * Math.exp((shifts[round] ?? 0) + 0.1 * normal(random)),
      );
      const { low, high } = bracketOf(points, { tail: 0.05, leastRounds: 4 });
      if ((low ?? 0) > 100 || (high ?? 200) < 100) outside++;
    }
    // Both ends: 10 %, and four standard errors.
    expect(outside / 400).toBeLessThan(0.16);
  });
});

describe('where a round by itself has the limit within', () => {
  it('is halfway between what it kept and what it broke', () => {
    const points = pointsOf(2, [30, 36, 37, 40, 50], (load, round) => (load <= (round === 0 ? 36 : 37) ? 0.9 : 1.1));
    const found = [...readingsWithin(points, 30, 50)].map(([round, log]) => [round, Math.exp(log)]);
    expect(found).toEqual([
      [0, expect.closeTo(Math.sqrt(36 * 37), 6)],
      [1, expect.closeTo(Math.sqrt(37 * 40), 6)],
    ]);
  });

  it('is the middle where it measured nothing within', () => {
    expect(Math.exp(readingsWithin(pointsOf(1, [30, 50], staircase), 36, 37).get(0) ?? 0)).toBeCloseTo(36.5, 1);
  });
});
