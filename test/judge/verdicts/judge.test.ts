import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import type { Series } from '../../../src/judge/read/metrics/series.ts';
import { studentTQuantile } from '../../../src/judge/stats/distributions.ts';
import { levelsOf, sameLevel } from '../../../src/judge/stats/looks.ts';
import type { Skew } from '../../../src/judge/stats/skew.ts';
import { blockOf, familyOf } from '../../../src/judge/verdicts/family.ts';
import { type Judgement, judge as judgePaired, type Rules, wouldStand } from '../../../src/judge/verdicts/judge.ts';
import { pairUp } from '../../../src/judge/verdicts/pairs.ts';
import { normal } from '../journal-fixture.ts';

const rules = { marginPercent: 5, quick: false };

/** Two arms alone, in a run that is going on. */
function judge(control: Series, variant: Series, by: Rules, skew: Skew | null = null): Judgement {
  const paired = pairUp(control, variant);
  const block = blockOf(
    new Map([
      ['control', control.byRound],
      ['variant', variant.byRound],
    ]),
  );
  const member = { paired, block, control: ['control'], variant: 'variant', skew };
  const [evidence = null] = familyOf([member], { rounds: paired.pairs.length, ends: [] });
  return judgePaired(paired, by, evidence);
}

/** Student's, of two arms alone in a run that goes on. */
function quantile(level: number, rounds: number): number {
  return -studentTQuantile(level, 0.9 * (rounds - 1));
}

/** How many standard errors the margin has at least where a change of nothing is `same`: the more, the more may be spent. */
function leastMargin(rounds: number): number {
  const df = 0.9 * (rounds - 1);
  let margins = 1;
  while (quantile(sameLevel({ rounds, ends: [] }, 1, { margins, df }) ?? 0, rounds) > margins) margins += 0.001;
  return margins;
}

function series(values: readonly number[], firstRound = 1): Series {
  const entries = values.map(
    (value, i) => [firstRound + i, { value, log: value > 0 ? Math.log(value) : null }] as const,
  );
  return { byRound: new Map(entries), tooFew: null };
}

/** A control around 100 and a variant that is `ratio` times as much, each round with its own noise. */
function pair(rounds: number, ratio: number, noise = 0.01, seed = 1): [number[], number[]] {
  const random = createRandom(seed);
  const control = Array.from({ length: rounds }, () => 100 * Math.exp(noise * normal(random)));
  return [control, control.map((value) => value * ratio * Math.exp(noise * normal(random)))];
}

function judged(rounds: number, ratio: number, noise?: number): Judgement {
  const [control, value] = pair(rounds, ratio, noise);
  return judge(series(control), series(value), rules);
}

test('a comparison whose noise is skewed says at which end its interval reaches further', () => {
  const [control, value] = pair(8, 1);
  const notesOf = (third: number): Judgement['notes'] =>
    judge(series(control), series(value), rules, { third, within: 1e-4 }).notes;
  expect(notesOf(-1e-6)).toContainEqual({ kind: 'skewed', end: 'low' });
  expect(notesOf(1e-6)).toContainEqual({ kind: 'skewed', end: 'high' });
  expect(judge(series(control), series(value), rules).notes.map(({ kind }) => kind)).not.toContain('skewed');
  const [few, fewer] = pair(3, 1);
  expect(judge(series(few), series(fewer), rules, { third: 1e-6, within: 1e-4 }).notes).toEqual([
    { kind: 'few-rounds', rounds: 3, needed: 4 },
  ]);
});

test('no interval of a noise lies within the margin, as that of few rounds alone would', () => {
  const by = { ...rules, marginPercent: 20 };
  const found = Array.from({ length: 200 }, (_, seed) => {
    const [control, value] = pair(5 + (seed % 4), 1, 0.06, seed);
    return judge(series(control), series(value), by);
  });
  const noise = found.filter(
    ({ verdict, notes }) => verdict === 'noise' && notes.some((n) => n.kind === 'rounds-needed'),
  );
  expect(noise.length).toBeGreaterThan(20);
  expect(noise.filter(({ interval }) => interval && interval[0] >= 100 * (1 / 1.2 - 1) && interval[1] <= 20)).toEqual(
    [],
  );
});

describe('a verdict', () => {
  test.each([5, 8, 9, 20])('after %d rounds: higher, lower, same, noise', (rounds) => {
    expect(judged(rounds, 1.3).verdict).toBe('higher');
    expect(judged(rounds, 0.7).verdict).toBe('lower');
    expect(judged(rounds, 1.0, 0.002).verdict).toBe('same');
    expect(judged(rounds, 1.0, 0.3).verdict).toBe('noise');
  });

  test('of four rounds is never `same`: one odd start in five has not had its chance', () => {
    expect(judged(4, 1.0, 0.002)).toMatchObject({ verdict: 'noise', notes: [{ kind: 'rounds-needed', rounds: 5 }] });
  });

  test('says the percent change and its interval', () => {
    const [control, value] = [
      [100, 110, 90, 105],
      [90, 99.2, 81.3, 94.1],
    ];
    const { deltaPercent, interval, rounds, notes } = judge(series(control), series(value), rules);
    // NumPy 2.4: 100 * np.expm1 of the mean of the logarithms, which has a standard error of sd / 2; none of them is odd.
    expect(deltaPercent).toBeCloseTo(-9.966846037, 6);
    const half = 0.5 * 0.0034249054169094464 * quantile((levelsOf({ rounds: 4, ends: [] }, 1)?.difference ?? 1) / 2, 4);
    expect(interval?.[0]).toBeCloseTo(100 * Math.expm1(-0.10499220612552626 - half), 5);
    expect(interval?.[1]).toBeCloseTo(100 * Math.expm1(-0.10499220612552626 + half), 5);
    expect({ rounds, notes }).toEqual({ rounds: 4, notes: [] });
  });

  test('an interval that excludes 0 is an effect even within the margin', () => {
    const [control, value] = pair(8, 1.02, 0.001);
    expect(judge(series(control), series(value), rules)).toMatchObject({ verdict: 'higher', notes: [] });
  });

  test('the margin is as wide down as up, in logarithms', () => {
    // Within ln(1.05) = 0.0488, beyond -ln(0.95) = 0.0513 it is not.
    const spread = (size: number): number[] => [1, -1, 1, -1, 1, -1, 1, -1].map((sign) => 100 * Math.exp(sign * size));
    const flat = series(new Array<number>(8).fill(100));
    const widest = (Math.log(1.05) * Math.sqrt(7)) / leastMargin(8);
    expect(judge(flat, series(spread(0.99 * widest)), rules).verdict).toBe('same');
    expect(judge(flat, series(spread(1.01 * widest)), rules).verdict).toBe('noise');
  });

  test('stands as `same` of another interval by that margin: -4.76 % is as far as +5 %', () => {
    expect(wouldStand('same', [-4.7, 4.9], 5)).toBe(true);
    expect(wouldStand('same', [-4.9, 1], 5)).toBe(false);
    expect(wouldStand('same', [-1, 5.1], 5)).toBe(false);
    // What carries over may be more than all of it.
    expect(wouldStand('same', [-101, 1], 5)).toBe(false);
  });

  test('no verdict under 4 rounds, and none in a quick run however long', () => {
    expect(judged(1, 2)).toMatchObject({
      verdict: 'noise',
      interval: null,
      notes: [{ kind: 'few-rounds', rounds: 1, needed: 4 }],
    });
    expect(judged(3, 2)).toMatchObject({
      verdict: 'noise',
      interval: null,
      notes: [{ kind: 'few-rounds', rounds: 3, needed: 4 }],
    });
    expect(judged(1, 2).deltaPercent).toBeCloseTo(100, -1);
    const [control, value] = pair(8, 2);
    const quick = judge(series(control), series(value), { ...rules, quick: true });
    expect(quick).toMatchObject({ verdict: 'noise', interval: null, notes: [{ kind: 'quick' }] });
  });

  test('noise says how many rounds it would take', () => {
    const [note] = judged(4, 1.0, 0.06).notes;
    expect(note).toMatchObject({ kind: 'rounds-needed', most: 40 });
    expect([5, 6, 8, 10, 12]).toContain(note?.kind === 'rounds-needed' && note.rounds);
    const wild = [100, 400, 25, 100, 390, 26, 99, 101];
    expect(judge(series(new Array<number>(8).fill(100)), series(wild), rules).notes).toEqual([
      { kind: 'rounds-needed', rounds: null, most: 40 },
    ]);
  });

  test('equal values differ by 0, whatever the computer adds', () => {
    const control = [0.1 + 0.2, 0.7, 1.1, 3, 1e6];
    const value = [0.3, 0.7000000000000001, 1.1, 3, 1e6 + 1e-9];
    expect(judge(series(control), series(value), rules)).toMatchObject({
      deltaPercent: 0,
      interval: [0, 0],
      verdict: 'same',
    });
  });
});

describe('a judgement', () => {
  test('does not heed the order of rounds or the unit', () => {
    const [control, value] = pair(9, 1.04, 0.02);
    const expected = judge(series(control), series(value), rules);
    const entries = [...series(value).byRound];
    const shuffled: Series = { byRound: new Map(createRandom(5).shuffle(entries)), tooFew: null };
    const other = judge(series(control), shuffled, rules);
    expect(other.deltaPercent).toBeCloseTo(expected.deltaPercent ?? 0, 9);
    expect(other.verdict).toBe(expected.verdict);
    const scale = (values: readonly number[]): Series => series(values.map((one) => one * 1234.5));
    const scaled = judge(scale(control), scale(value), rules);
    expect(scaled.deltaPercent).toBeCloseTo(expected.deltaPercent ?? 0, 9);
    expect(scaled.interval?.[0]).toBeCloseTo(expected.interval?.[0] ?? 0, 9);
  });

  test.each([0.8, 0.97, 1, 1.03, 1.2])('turns round when control and variant change places (ratio %d)', (ratio) => {
    for (const rounds of [5, 10]) {
      const [control, value] = pair(rounds, ratio);
      const there = judge(series(control), series(value), rules);
      const back = judge(series(value), series(control), rules);
      const turned = (percent: number): number => 100 * (1 / (1 + percent / 100) - 1);
      expect(back.deltaPercent).toBeCloseTo(turned(there.deltaPercent ?? 0), 9);
      expect(back.interval?.[0]).toBeCloseTo(turned(there.interval?.[1] ?? 0), 9);
      const opposite = {
        higher: 'lower',
        lower: 'higher',
        same: 'same',
        noise: 'noise',
        unfit: 'unfit',
      } as const;
      expect(back.verdict).toBe(opposite[there.verdict]);
    }
  });

  test('pairs by round: rounds that only one has are left out', () => {
    const judgement = judge(series([100, 200, 300, 400]), series([220, 330, 440, 550], 2), rules);
    expect(judgement.rounds).toBe(3);
    expect(judgement.deltaPercent).toBeCloseTo(10, 9);
  });

  test('nothing in common is not measured', () => {
    const none = { deltaPercent: null, interval: null, verdict: 'noise', rounds: 0, notes: [{ kind: 'not-measured' }] };
    expect(judge(series([]), series([1, 2, 3, 4]), rules)).toMatchObject(none);
  });

  test('too few samples in one round of either is n/a for all, with the fewest there were', () => {
    const some = { ...series([1, 2, 3, 4]), tooFew: { samples: 1240, needed: 10_000 } };
    const fewer = { ...series([1, 2, 3, 4]), tooFew: { samples: 240, needed: 10_000 } };
    for (const judgement of [judge(some, fewer, rules), judge(fewer, series([1, 2, 3, 4]), rules)]) {
      expect(judgement).toMatchObject({ deltaPercent: null, interval: null, verdict: 'noise' });
      expect(judgement.notes).toEqual([{ kind: 'few-samples', needed: 10_000, samples: 240 }]);
    }
  });
});

describe('zeros', () => {
  test('a control of 0 has no percentage', () => {
    expect(judge(series([0, 0, 0, 0]), series([4, 4.02, 4.01, 4.01]), rules)).toMatchObject({
      deltaPercent: null,
      interval: null,
      verdict: 'noise',
      notes: [{ kind: 'from-zero', value: 4.01 }],
    });
  });

  test('0 in every round of both is the same, from as many rounds on as any same', () => {
    const zeros = (rounds: number): Series => series(new Array<number>(rounds).fill(0));
    expect(judge(zeros(5), zeros(5), rules)).toMatchObject({
      deltaPercent: null,
      verdict: 'same',
      notes: [{ kind: 'both-zero' }],
    });
    expect(judge(zeros(4), zeros(4), rules)).toMatchObject({
      deltaPercent: null,
      verdict: 'noise',
      notes: [{ kind: 'both-zero' }, { kind: 'few-rounds', rounds: 4, needed: 5 }],
    });
    expect(judge(zeros(4), zeros(4), { ...rules, sameFirst: true }).verdict).toBe('same');
    expect(judge(zeros(5), zeros(5), { ...rules, quick: true }).verdict).toBe('noise');
  });

  test('a 0 in some rounds leaves the ratio of the means, and no verdict', () => {
    const judgement = judge(series([2, 2, 2, 2, 2]), series([0, 3, 3, 3, 0]), rules);
    expect(judgement.deltaPercent).toBeCloseTo(-10, 9);
    expect(judgement).toMatchObject({
      interval: null,
      verdict: 'noise',
      rounds: 5,
      notes: [{ kind: 'zeros', zeros: 2, rounds: 5 }],
    });
    expect(judge(series([2, 2, 2, 2]), series([0, 0, 0, 0]), rules)).toMatchObject({
      deltaPercent: -100,
      verdict: 'noise',
    });
  });
});
