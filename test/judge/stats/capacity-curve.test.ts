import { describe, expect, it } from 'vitest';
import { type CurvePoint, crossingOf } from '../../../src/judge/stats/capacity-curve.ts';
import { mean } from '../../../src/judge/stats/moments.ts';
import { capacityOf, p95, type Queue } from '../../support/queues.ts';

const queue: Queue = { workers: 4, meanMs: 10 };

function pointsOf(
  rounds: number,
  loads: readonly number[],
  stress: (load: number, round: number) => number,
): CurvePoint[] {
  return Array.from({ length: rounds }, (_, round) =>
    loads.map((load) => ({ round, load, stress: stress(load, round) })),
  ).flat();
}

function crossedAt(points: readonly CurvePoint[]): number {
  const found = crossingOf(points, points);
  if (found.kind !== 'crossed') throw new Error(`it is ${found.kind}`);
  return Math.exp(mean([...found.byRound.values()]));
}

describe('the crossing of a metric with its limit', () => {
  // From a fifth of the workers' time to nearly all of it.
  it.each([0.3, 0.6, 0.8, 0.9, 0.95, 0.98])("is where theory has it, at %f of the workers' time", (use) => {
    const limit = p95(queue, { rate: 400 * use });
    const width = Math.min(0.3, (0.44 * (1 - use)) / use);
    const loads = [-1, -1 / 3, 1 / 3, 1].map((place) => 400 * use * Math.exp(width * place));
    const points = pointsOf(4, loads, (load) => p95(queue, { rate: load }) / limit);
    expect(Math.abs(Math.log(crossedAt(points) / (400 * use)))).toBeLessThan(0.005);
  });

  it('is where theory has it for clients that send again at once', () => {
    const truth = capacityOf(queue, 'connections', 200);
    const loads = [0.75, 0.9, 1.1, 1.3].map((share) => share * truth);
    const points = pointsOf(4, loads, (connections) => p95(queue, { connections }) / 200);
    expect(crossedAt(points) / truth).toBeCloseTo(1, 2);
  });

  it('is read along the shared slope in a round whose levels lie beside it', () => {
    const shifts = [0, 0.1, -0.1, 0.05];
    const loads = [90, 97, 104, 111];
    const points = pointsOf(4, loads, (load, round) => (load / (100 * Math.exp(shifts[round] ?? 0))) ** 4);
    const found = crossingOf(points, points);
    expect(found.kind).toBe('crossed');
    if (found.kind !== 'crossed') return;
    for (const [round, log] of found.byRound) expect(log - Math.log(100)).toBeCloseTo(shifts[round] ?? 0, 1);
  });

  it('of failures is found where they begin, beyond which everything fails', () => {
    const points = pointsOf(5, [80, 90, 100, 110, 120], (load) => (load < 100 ? 0 : (load - 99) / 1));
    const at = crossedAt(points);
    expect(at).toBeGreaterThan(90);
    expect(at).toBeLessThan(110);
  });

  it('takes what is beyond all measure for what it is', () => {
    const points = pointsOf(5, [80, 95, 105, 120], (load) => (load > 100 ? Number.POSITIVE_INFINITY : 0.5));
    expect(Math.abs(crossedAt(points) - 100)).toBeLessThan(6);
  });

  it('is not said where there is none', () => {
    expect(crossingOf([], [])).toEqual({ kind: 'nothing' });
    const low = pointsOf(3, [10, 20], () => 0.5);
    expect(crossingOf(low, low)).toEqual({ kind: 'beyond' });
    const high = pointsOf(3, [10, 20], () => 2);
    expect(crossingOf(high, high)).toEqual({ kind: 'below' });
  });

  it('is shapeless where more load does not make it worse near where it is crossed', () => {
    const sweep = pointsOf(1, [10, 1000], (load) => (load === 10 ? 0.5 : 2));
    const wanted = pointsOf(4, [90, 110], (load) => (load === 90 ? 1.2 : 0.9));
    expect(crossingOf([...sweep, ...wanted], wanted).kind).toBe('shapeless');
  });
});
