import { describe, expect, it } from 'vitest';
import { agreementOf, overMachines, type Sample } from '../../../src/judge/stats/machines.ts';
import { mean } from '../../../src/judge/stats/moments.ts';

function sampleOf(
  groups: readonly (readonly number[])[],
  variance = 1,
): [Sample, { machine: number; logRatio: number }[]] {
  const ratios = groups.flat();
  const rounds = groups.flatMap((group, machine) => group.map((logRatio) => ({ machine, logRatio })));
  return [{ ratios, weights: ratios.map(() => 1), spread: { variance, df: 40 } }, rounds];
}

describe('whether machines agree', () => {
  it('of two machines of equal noise is a t test', () => {
    const found = agreementOf([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(found).toMatchObject({ machines: 2, disagree: true });
    expect(found?.q).toBeCloseTo(13.5, 10);
    // t = 3.674 with 4 degrees of freedom, both sides.
    expect(found?.p).toBeCloseTo(0.0213, 4);
  });

  it('of three machines of equal noise is near the analysis of variance', () => {
    // F = 7 with 2 and 6 degrees of freedom: (1 + 2 * 7 / 6) ** -3.
    const found = agreementOf([
      [1, 2, 3],
      [2, 3, 4],
      [4, 5, 6],
    ]);
    expect(found?.q).toBeCloseTo(14, 10);
    expect(Math.abs((found?.p ?? 0) - 0.027)).toBeLessThan(0.005);
  });

  it('is not told of one machine, nor of single rounds', () => {
    expect(agreementOf([[1, 2, 3]])).toBeNull();
    expect(agreementOf([[1], [2], [3]])).toBeNull();
  });

  it('holds single rounds against the noise of the others', () => {
    expect(agreementOf([[1, 2, 3, 2], [2]])).toMatchObject({ disagree: false });
    expect(agreementOf([[1, 2, 3, 2], [20]])).toMatchObject({ disagree: true });
  });

  it('is exact without noise', () => {
    expect(
      agreementOf([
        [1, 1],
        [1, 1],
      ]),
    ).toMatchObject({ q: 0, p: 1, disagree: false });
    expect(
      agreementOf([
        [1, 1],
        [2, 2],
      ]),
    ).toMatchObject({ p: 0, disagree: true });
  });
});

describe('a change over machines', () => {
  it('of machines that agree closely is that of all rounds', () => {
    const [sample, rounds] = sampleOf([
      [1, 3, 2],
      [2, 1, 3],
    ]);
    const { machines, ...same } = overMachines(sample, rounds);
    expect(same).toEqual(sample);
    expect(machines?.disagree).toBe(false);
  });

  it('of machines that scatter by more than their rounds tell has their scatter as noise', () => {
    const [sample, rounds] = sampleOf([
      [0, 2, 4],
      [2, 4, 6],
    ]);
    const over = overMachines(sample, rounds);
    expect(over.machines?.disagree).toBe(false);
    expect(over.ratios).toEqual(sample.ratios);
    // Means 2 and 4, three rounds each: 3 (1 + 1) of one degree of freedom.
    expect(over.spread).toEqual({ variance: 6, df: 40 });
  });

  it('of machines that disagree is the mean of their means, each counted once', () => {
    const groups = [[0.1, 0.11, 0.09, 0.1, 0.1], [0.3, 0.31], [0.2]];
    const over = overMachines(...sampleOf(groups));
    expect(over.machines?.disagree).toBe(true);
    expect(over.ratios).toEqual(groups.map(mean));
    expect(over.weights).toEqual([1, 1, 1]);
    expect(over.spread.df).toBe(2);
    expect(over.spread.variance).toBeCloseTo(
      ((0.1 - 0.605 / 3) ** 2 + (0.305 - 0.605 / 3) ** 2 + (0.2 - 0.605 / 3) ** 2) / 2,
      10,
    );
  });

  it('of one machine is left alone', () => {
    const [sample, rounds] = sampleOf([[1, 2, 3]]);
    expect(overMachines(sample, rounds)).toEqual(sample);
  });
});
