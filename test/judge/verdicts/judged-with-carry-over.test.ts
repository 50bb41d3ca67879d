import { describe, expect, it } from 'vitest';
import { requestsPerSecond } from '../../../src/judge/read/metrics/metrics.ts';
import type { CarryOver, LiveLevel } from '../../../src/judge/read/parts/live.ts';
import type { Judgement, Verdict } from '../../../src/judge/verdicts/judge.ts';
import { carryOver as rule } from '../../../src/judge/verdicts/withheld-verdicts.ts';
import { withheldBy } from '../../../src/judge/verdicts/withholding.ts';
import { noteWords } from '../../../src/report/words/note-words.ts';

const load = { connections: 4 };
const cell = (variant: string) => ({ variant, load, repeat: false });

const judged = (verdict: Verdict, interval: readonly [number, number]): Judgement => ({
  deltaPercent: (interval[0] + interval[1]) / 2,
  interval,
  verdict,
  rounds: 6,
  notes: [],
  logRatios: [],
  evidence: null,
});

function afterCarryOver(judgement: Judgement, carryOver: readonly CarryOver[], control = 'a', at = load): Judgement {
  const live = [{ load: at, carryOver } as unknown as LiveLevel];
  const contrast = { control: [cell(control)], cell: cell('b') };
  return withheldBy([rule], { live }, { marginPercent: 3 })({ metric: requestsPerSecond, contrast }, judgement);
}

const left = (variant: string, percent: number, half: number): CarryOver => ({
  variant,
  percent,
  interval: [percent - half, percent + half],
});

describe('what carries over', () => {
  it.each([
    ['higher', [2, 6]],
    ['lower', [-6, -2]],
    ['same', [-1, 2]],
  ] as const)('takes a verdict away that would not stand with it: %s', (verdict, interval) => {
    const judgement = judged(verdict, interval);
    expect(afterCarryOver(judgement, [left('b', 0.9, 0.1)])).toEqual(judgement);
    const taken = afterCarryOver(judgement, [left('b', -2.5, 0.3)]);
    expect(taken).toMatchObject({ verdict: 'unfit', interval, notes: [{ kind: 'carry-over', percent: 2.5 }] });
    expect(taken.notes.map(noteWords)).toEqual(['no verdict: about 2.50 % carry over from turn to turn']);
  });

  it('is nothing where that is not certain, of a setting that is not compared, or under another load', () => {
    const judgement = judged('lower', [-6, -2]);
    expect(afterCarryOver(judgement, [left('b', 5, 6), { variant: 'b', percent: 5, interval: null }])).toEqual(
      judgement,
    );
    expect(afterCarryOver(judgement, [left('c', 5, 1)])).toEqual(judgement);
    expect(afterCarryOver(judgement, [left('b', 5, 1)], 'a', { connections: 8 })).toEqual(judgement);
    const noise = judged('noise', [-2, 6]);
    expect(afterCarryOver(noise, [left('b', 5, 1)])).toEqual(noise);
  });

  it('counts of both sides where variants are compared with each other', () => {
    const judgement = judged('lower', [-9, -4]);
    expect(afterCarryOver(judgement, [left('b', 3, 1)], 'c')).toEqual(judgement);
    expect(afterCarryOver(judgement, [left('b', 3, 1), left('c', -3, 1)], 'c').verdict).toBe('unfit');
  });
});
