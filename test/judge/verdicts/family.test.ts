import { describe, expect, it } from 'vitest';
import { createRandom, seedOf } from '../../../src/base/random.ts';
import type { Series } from '../../../src/judge/read/metrics/series.ts';
import type { Evidence } from '../../../src/judge/stats/interval.ts';
import { mean } from '../../../src/judge/stats/moments.ts';
import { type Block, blockOf, familyOf } from '../../../src/judge/verdicts/family.ts';
import { pairUp } from '../../../src/judge/verdicts/pairs.ts';
import { normal } from '../journal-fixture.ts';

const arms = ['control', 'control#2', 'first', 'second', 'third'];
const programs = new Map(arms.map((arm) => [arm, arm.replace('#2', '')]));

/** The values of arms that are all as noisy, by arm. */
function seriesOf(
  rounds: number,
  seed: number,
  isMissing = (_arm: string, _round: number) => false,
): Map<string, Series> {
  const random = createRandom(seedOf('family', seed));
  return new Map(
    arms.map((arm) => {
      const logs = Array.from({ length: rounds }, (_, round) => [round, 0.03 * normal(random)] as const);
      const known = logs.filter(([round]) => !isMissing(arm, round));
      return [
        arm,
        { byRound: new Map(known.map(([round, log]) => [round, { value: Math.exp(log), log }])), tooFew: null },
      ];
    }),
  );
}

function evidenceOf(
  series: ReadonlyMap<string, Series>,
  against: readonly string[],
  variant: string,
): [Evidence, Block] {
  const [control, own] = [against[0], variant].map((arm) => series.get(arm ?? ''));
  if (control === undefined || own === undefined) throw new Error('both sides are needed');
  const block = blockOf(new Map([...series].map(([arm, { byRound }]) => [arm, byRound])), { programs });
  const rounds = own.byRound.size;
  const [evidence] = familyOf([{ paired: pairUp(control, own), block, control: against, variant }], {
    rounds,
    ends: [],
  });
  if (!evidence) throw new Error('no evidence');
  return [evidence, block];
}

describe('the noise of a ratio', () => {
  it('of two arms of one program is known no better than that of the program', () => {
    const [{ spread }, { noise }] = evidenceOf(seriesOf(8, 1), ['control'], 'control#2');
    const [first, second] = noise;
    expect(first).toEqual(second);
    expect(spread).toEqual({ variance: 2 * (first?.variance ?? 0), df: first?.df });
  });

  it('of two programs is known better, and no better than that of all arms', () => {
    const [{ spread }, { noise, fit, columns }] = evidenceOf(seriesOf(8, 1), ['first'], 'second');
    const dfs = ['first', 'second'].map((arm) => noise[columns.get(arm) ?? -1]?.df ?? 0);
    expect(spread.df).toBeGreaterThan(Math.max(...dfs));
    expect(spread.df).toBeLessThanOrEqual(fit?.noise.df ?? 0);
  });
});

describe('the weight of a round', () => {
  it("in which one of the control's arms is missing is less, as its ratio is noisier", () => {
    const isMissing = (arm: string, round: number): boolean => arm === 'control#2' && round % 3 === 0;
    const both = ['control', 'control#2'];
    // 2 instead of 1.5 times the variance of an arm, where all are as noisy.
    const weights = Array.from(
      { length: 10 },
      (_, seed) => evidenceOf(seriesOf(12, seed, isMissing), both, 'first')[0].weights,
    );
    const ofRounds = (isWanted: (round: number) => boolean): number[] =>
      weights.flatMap((own) => own.filter((_, round) => isWanted(round)));
    expect(Math.abs(mean(ofRounds((round) => round % 3 === 0)) - 1.5 / 2)).toBeLessThan(0.05);
    for (const weight of ofRounds((round) => round % 3 !== 0)) expect(weight).toBeCloseTo(1, 10);
    expect(evidenceOf(seriesOf(12, 1), both, 'first')[0].weights).toEqual(new Array(12).fill(1));
  });

  it('is as large with one arm of the control, where that is all there are', () => {
    const isMissing = (arm: string, round: number): boolean => arm === 'control#2' && round % 3 === 0;
    const [{ weights }] = evidenceOf(seriesOf(12, 2, isMissing), ['control'], 'first');
    expect(weights).toEqual(new Array(12).fill(1));
  });
});
