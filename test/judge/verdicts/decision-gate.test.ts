import { describe, expect, test } from 'vitest';
import { loadSize } from '../../../src/journal/load-level.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { type DecisionResult, judgeDecision } from '../../../src/judge/verdicts/decision/decision-gate.ts';
import type { Decided, NoChoice, Recommendation, Undecided } from '../../../src/judge/verdicts/decision/recommend.ts';
import { type DecisionGate, parseGate } from '../../../src/judge/verdicts/gate.ts';
import { decideStop } from '../../../src/judge/verdicts/stop-rule.ts';
import type { Setting } from '../../../src/judge/verdicts/variant-order.ts';
import { type FixtureOptions, fixtureJournal, unfitOptions } from '../journal-fixture.ts';

const grid: FixtureOptions = {
  variants: ['pool=5', 'pool=10', 'pool=20'],
  control: 'pool=10',
  connections: [1, 25],
  rounds: 8,
  noise: 0.005,
};

const at25 =
  (effects: Readonly<Record<string, number>>): NonNullable<FixtureOptions['effect']> =>
  ({ variant, connections }) =>
    connections === 25 ? (effects[variant] ?? 0) : 0;

const asked = (options: FixtureOptions, ...texts: string[]): Summary =>
  summarize(fixtureJournal({ ...grid, ...options }), undefined, { gates: texts.map(parseGate), unclear: 'fail' });

/** The outcomes of a gate, by load level. */
const outcomes = (options: FixtureOptions, text: string): string[] =>
  asked(options, text).gates.map(({ load, outcome }) => `${loadSize(load)} ${outcome}`);

describe('a gate on the decision of a run', () => {
  test('passes for the setting that is recommended, by its name or its short one, and fails for any other', () => {
    expect(outcomes({}, 'recommended == pool=5')).toEqual(['1 pass', '25 pass']);
    expect(outcomes({}, 'recommended == 5')).toEqual(['1 pass', '25 pass']);
    const [result] = asked({}, 'recommended == 20').gates;
    expect(result).toMatchObject({
      kind: 'decision',
      gate: 'recommended == 20',
      variant: 'pool=20',
      outcome: 'fail',
      failed: true,
      recommended: 'pool=5',
      notes: [],
      moreMinutes: null,
    });
  });

  test('is about the setting for all load levels where it names none, else about that of its own', () => {
    // With one connection 5 will do, with 25 only 10: the one for both is 10.
    const options = { effect: at25({ 'pool=5': -0.2 }) };
    expect(asked(options).recommended.variant).toBe('pool=10');
    expect(outcomes(options, 'recommended == pool=10')).toEqual(['1 pass', '25 pass']);
    expect(outcomes(options, 'recommended == pool=5')).toEqual(['1 pass', '25 fail']);
    expect(outcomes(options, 'recommended == pool=10 at 1')).toEqual(['1 fail']);
    expect(outcomes(options, 'recommended == pool=5 at 1 connection')).toEqual(['1 pass']);
  });

  test('is unclear while its setting may be the one to take, and says how long it takes to know', () => {
    const { gates, recommendation } = asked({ noise: 0.05, rounds: 6 }, 'recommended == pool=5 at 25');
    const [one, ...others] = gates;
    expect(others).toEqual([]);
    expect(recommendation[1]).toMatchObject({ keep: null, candidates: ['pool=5', 'pool=10', 'pool=20'] });
    expect(one).toMatchObject({ outcome: 'unclear', failed: true, recommended: null });
    expect(one?.notes).toEqual(recommendation[1]?.notes);
    const [wait] = one?.notes ?? [];
    // A round of the fixture takes a minute.
    expect(one?.moreMinutes).toBe(wait?.kind === 'rounds-needed' ? (wait.rounds ?? 0) - 6 : null);
  });

  test.each<[string, FixtureOptions, string]>([
    ['a quick run', { quick: true }, 'quick'],
    ['an unfit session', unfitOptions, 'unfit'],
  ])('is unclear for %s', (_, options, kind) => {
    const { gates } = asked(options, 'recommended == pool=5');
    expect(gates).toMatchObject([0, 1].map(() => ({ outcome: 'unclear', candidates: [], notes: [{ kind }] })));
  });

  test('stands among gates on changes, in the order that they were given', () => {
    const { gates } = asked({}, 'recommended == 5 at 1', 'rps > -5% at 1 of pool=5', 'recommended == 10 at 1');
    expect(gates.map(({ gate, kind, outcome }) => [gate, kind, outcome])).toEqual([
      ['recommended == 5 at 1', 'decision', 'pass'],
      ['rps > -5% at 1 of pool=5', 'change', 'pass'],
      ['recommended == 10 at 1', 'decision', 'fail'],
    ]);
  });
});

describe('a gate on a decision that is not complete', () => {
  const settings: Setting[] = ['a', 'b', 'c', 'd'].map((variant) => ({ variant, label: variant, factors: {} }));
  const base: Undecided = {
    load: { connections: 1 },
    state: 'open',
    keep: null,
    candidates: ['a', 'b'],
    against: 'a',
    othersBetterPercent: null,
    same: [],
    slower: [],
    better: [],
    notBetter: [],
    failing: [],
    undecided: ['b'],
    open: [],
    notes: [{ kind: 'rounds-needed', rounds: 9, most: 40 }],
  };
  const keep = (variant: string): Decided => ({
    ...base,
    state: 'decided',
    asGood: [],
    keep: variant,
    candidates: [variant],
    against: variant,
    undecided: [],
    open: [],
    notes: [],
  });
  const kept = keep('b');
  const none: NoChoice = {
    ...base,
    state: 'none',
    candidates: [],
    against: null,
    undecided: [],
    open: [],
    notes: [{ kind: 'none-sustained' }],
  };
  const judged = (text: string, recommendation: readonly Recommendation[]): DecisionResult[] => {
    const gate = parseGate(text) as DecisionGate;
    const advice = {
      recommended: { variant: null, othersBetterPercent: null, cheapestBy: 'listed' as const },
      recommendation,
    };
    return judgeDecision(gate, { advice, settings, rounds: 6 }, { gates: [gate], unclear: 'pass', roundMs: 60_000 });
  };

  test.each<[string, readonly Recommendation[], readonly DecisionResult['outcome'][]]>([
    ['recommended == a', [base], ['unclear']],
    // The one for all load levels is the largest of theirs: another one may call for c.
    ['recommended == c', [base], ['unclear']],
    ['recommended == c at 1', [base], ['fail']],
    ['recommended == c', [{ ...base, failing: ['c'] }], ['fail']],
    ['recommended == a', [{ ...base, candidates: ['b', 'c'], against: 'b' }], ['fail']],
    ['recommended == c', [kept, { ...base, load: { connections: 25 } }], ['unclear', 'unclear']],
    ['recommended == a', [kept, { ...base, load: { connections: 25 } }], ['fail', 'unclear']],
    ['recommended == c', [kept, { ...keep('c'), load: { connections: 25 } }], ['fail', 'pass']],
    ['recommended == a', [none], ['fail']],
  ])('%s, case %#', (text, recommendation, expected) => {
    expect(judged(text, recommendation).map(({ outcome }) => outcome)).toEqual(expected);
  });

  test('fails only where unclear gates are to fail, and waits for nothing where it fails', () => {
    expect(judged('recommended == a', [base])).toMatchObject([{ failed: false, moreMinutes: 3 }]);
    expect(judged('recommended == c at 1', [base])).toMatchObject([{ failed: true, moreMinutes: null, notes: [] }]);
  });
});

describe('a sweep of named changes', () => {
  const options: FixtureOptions = { ...grid, rounds: 6, noise: 0.03, question: 'changes', end: null };

  test('goes on until the decision that a gate is about', () => {
    const open = fixtureJournal({ ...options, connections: [25] });
    expect(decideStop(open).choices).toBeUndefined();
    const { choices, undecided, stop } = decideStop(open, { gates: [parseGate('recommended == pool=5')] });
    expect(choices).toHaveLength(1);
    expect(undecided).toBe(decideStop(open).undecided + 1);
    expect(stop).toBe(false);
  });

  test('does not wait for other load levels than those that the gate is about', () => {
    const { choices } = decideStop(fixtureJournal(options), { gates: [parseGate('recommended == pool=5 at 25')] });
    expect(choices?.map(({ load }) => loadSize(load))).toEqual([25]);
  });

  test('ends as without the gate once that is decided', () => {
    const decided = fixtureJournal({ ...grid, question: 'changes', end: null });
    const gates = [parseGate('recommended == pool=20')];
    expect(decideStop(decided, { gates })).toMatchObject({ stop: true, undecided: 0, choices: [] });
  });
});
