import { describe, expect, test } from 'vitest';
import { createRandom, type Random, seedOf } from '../../../src/base/random.ts';
import { controlSeries, type Series } from '../../../src/judge/read/metrics/series.ts';
import { blockOf, familyOf } from '../../../src/judge/verdicts/family.ts';
import { type Judgement, judge } from '../../../src/judge/verdicts/judge.ts';
import { pairUp } from '../../../src/judge/verdicts/pairs.ts';
import { normal } from '../journal-fixture.ts';

const rules = { marginPercent: 5, quick: false, subject: { of: 'starts', rate: true } } as const;
const SLOW = Math.log(0.6);

/** A session: two arms of the control and one of a variant, whose ln(rate) in each round is given. */
function session(rounds: number, seed: number, odd: (arm: number, round: number, random: Random) => number): Judgement {
  const random = createRandom(seedOf('odd starts', rounds, seed));
  const arms = [0, 1, 2].map((arm): Series => {
    const values = Array.from({ length: rounds }, (_, round) => 0.03 * normal(random) + odd(arm, round, random));
    return { byRound: new Map(values.map((log, round) => [round, { value: Math.exp(log), log }])), tooFew: null };
  });
  const [first, second, variant] = arms;
  if (first === undefined || second === undefined || variant === undefined) throw new Error('three arms are needed');
  const control = controlSeries(
    Array.from({ length: rounds }, (_, round) => round),
    [first, second],
  );
  const paired = pairUp(control, variant);
  const block = blockOf(
    new Map([
      ['control', first.byRound],
      ['control#2', second.byRound],
      ['variant', variant.byRound],
    ]),
  );
  const member = { paired, block, control: ['control', 'control#2'], variant: 'variant' };
  const [evidence = null] = familyOf([member], { rounds, ends: [] });
  return judge(paired, rules, evidence);
}

function sessions(
  rounds: number,
  count: number,
  odd: Parameters<typeof session>[2],
): { readonly same: number; readonly flaky: number } {
  const all = Array.from({ length: count }, (_, seed) => session(rounds, seed, odd));
  const flaky = all.filter(({ notes }) => notes.some(({ kind }) => kind === 'flaky'));
  return { same: all.filter(({ verdict }) => verdict === 'same').length, flaky: flaky.length };
}

const everyFifth = (size: number) => (arm: number, round: number) => (arm === 2 && round % 5 === 2 ? size : 0);

describe('every fifth start of a variant is slow', () => {
  test.each([6, 15])('by 40 per cent: after %d rounds it is hardly ever the same', (rounds) => {
    expect(sessions(rounds, 60, everyFifth(SLOW)).same).toBeLessThanOrEqual(3);
  });

  test('by 25 %: after 15 rounds it is hardly ever the same', () => {
    expect(sessions(15, 60, everyFifth(Math.log(0.75))).same).toBeLessThanOrEqual(3);
  });

  test('three of 15 are told, with the typical change and the plain mean', () => {
    const { verdict, deltaPercent, notes } = session(15, 2, everyFifth(SLOW));
    expect(verdict).toBe('noise');
    // Of two programs neither tells how noisy the other is: values are judged by the arm's scale, and count for more of what they are.
    expect(Math.abs(deltaPercent ?? -100)).toBeLessThan(6);
    const [note] = notes;
    expect(note).toMatchObject({
      kind: 'flaky',
      p: expect.closeTo(1 / 27, 5),
      odd: { side: 'variant', of: 'starts', rate: true, count: 3, among: 15 },
    });
    if (note?.kind !== 'flaky') throw new Error('no note');
    for (const off of note.odd.offPercent) expect(Math.abs(off + 40)).toBeLessThan(7);
    expect(Math.abs(note.meanPercent + 10)).toBeLessThan(4);
    expect(note.meanInterval?.[0]).toBeLessThan(-10);
    expect(sessions(15, 60, everyFifth(SLOW)).flaky).toBeGreaterThan(48);
  });

  test('one of six proves nothing, and keeps `same` from being said', () => {
    const kinds = Array.from({ length: 40 }, (_, seed) => session(6, seed, everyFifth(SLOW))).flatMap(({ notes }) =>
      notes.flatMap((note) => (note.kind === 'mean-differs' ? [note.odd] : [])),
    );
    expect(kinds.length).toBeGreaterThan(0);
    for (const odd of kinds) expect(odd).toMatchObject({ side: 'variant', count: 1, among: 6 });
  });
});

test('slow starts of the control keep `same` from being said, too', () => {
  const odd = (arm: number, round: number): number => (arm !== 2 && (round + 2 * arm) % 5 === 1 ? SLOW : 0);
  expect(sessions(15, 60, odd).same).toBeLessThanOrEqual(3);
});

test('odd starts that strike all arms alike cost hardly any `same`, and no arm is called flaky for them', () => {
  const odd = (_: number, __: number, random: Random): number =>
    random.next() < 0.03 ? Math.log1p(-0.1 - 0.1 * random.next()) : 0;
  const { same, flaky } = sessions(15, 60, odd);
  expect(same).toBeGreaterThanOrEqual(45);
  expect(flaky).toBeLessThanOrEqual(2);
});
