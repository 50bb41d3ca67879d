import { describe, expect, test } from 'vitest';
import { type Evidence, nonInferiorityBound, sameInterval } from '../../../src/judge/stats/interval.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { advantageIn, percentIn } from '../../../src/judge/verdicts/decision/advantage.ts';
import { errorShare } from '../../../src/judge/verdicts/decision/decide.ts';
import { decideStop } from '../../../src/judge/verdicts/stop-rule.ts';
import { type FixtureOptions, fixtureJournal } from '../journal-fixture.ts';

const grid: FixtureOptions = {
  variants: ['pool=5', 'pool=10', 'pool=20', 'pool=40'],
  control: 'pool=10',
  connections: [25],
  rounds: 8,
  noise: 0.005,
};

const effectsOf =
  (effects: Readonly<Record<string, number>>): NonNullable<FixtureOptions['effect']> =>
  ({ variant }) =>
    effects[variant] ?? 0;

const judged = (options: FixtureOptions) => summarize(fixtureJournal({ ...grid, ...options }));

describe('a decision', () => {
  test('takes the smallest setting that is worse than the best by less than the margin, though it is shown to be worse', () => {
    const { recommended, recommendation, comparisons } = judged({
      effect: effectsOf({ 'pool=5': -0.025 }),
      noise: 0.004,
    });
    expect(comparisons.find(({ metric }) => metric === 'requests_per_s')?.verdict).toBe('lower');
    expect(recommended.variant).toBe('pool=5');
    expect(recommendation[0]?.candidates).toEqual(['pool=5']);
    expect(recommendation[0]?.better.map(({ variant }) => variant)).toContain('pool=10');
  });

  test('has a bound that is below the margin, and holds for every rival', () => {
    const { recommended, recommendation } = judged({});
    const [advice] = recommendation;
    expect(recommended.variant).toBe('pool=5');
    expect(recommended.othersBetterPercent).toBe(advice?.othersBetterPercent);
    expect(advice?.othersBetterPercent).toBeGreaterThan(0);
    expect(advice?.othersBetterPercent).toBeLessThan(5);
  });

  test('does not take a setting that another beats by more than the margin', () => {
    const { recommended, recommendation } = judged({ effect: effectsOf({ 'pool=5': -0.08, 'pool=10': -0.08 }) });
    expect(recommended.variant).toBe('pool=20');
    expect(recommendation[0]?.candidates).toEqual(['pool=20']);
  });

  test('is of lower latencies where a rate is given', () => {
    const journal = fixtureJournal({ ...grid, effect: effectsOf({ 'pool=5': -0.2 }) });
    const load = { rate: 100 };
    const rated = JSON.parse(
      JSON.stringify(journal).replaceAll('"load":{"connections":25}', `"load":${JSON.stringify(load)}`),
    );
    const levels = { ...rated.run.scenario.load, levels: [load], openLoop: { inFlight: 64, arrivals: 'poisson' } };
    const run = { ...rated.run, scenario: { ...rated.run.scenario, load: levels } };
    const { recommendation, run: shown } = summarize({ ...rated, run });
    expect(shown.judgedBy).toBe('latency_mean_ms');
    expect(recommendation[0]?.keep).toBe('pool=10');
  });

  test('waits for the fifth round: one odd start in five must have had its chance', () => {
    expect(judged({ rounds: 4 }).recommended.variant).toBeNull();
    expect(judged({ rounds: 5 }).recommended.variant).toBe('pool=5');
  });
});

describe('the question of a run', () => {
  const stopOf = (question: 'best' | undefined, options: FixtureOptions, all = false) => {
    return decideStop(fixtureJournal({ ...grid, ...options, question: question ?? 'changes', end: null }), { all });
  };
  // Larger pools are worse by 3 %: not lower for certain yet, nor the same, but not better by the margin.
  const open: FixtureOptions = {
    noise: 0.02,
    rounds: 6,
    effect: effectsOf({ 'pool=5': -0.3, 'pool=20': -0.03, 'pool=40': -0.03 }),
  };

  test('best: the run ends when it is decided which setting to take, though changes have no verdict', () => {
    expect(stopOf(undefined, open)).toMatchObject({ stop: false });
    expect(stopOf(undefined, open)).not.toHaveProperty('choices');
    expect(stopOf('best', open)).toMatchObject({ stop: true, undecided: 0, choices: [], open: [] });
  });

  test('best with --settle all: it ends when changes have their verdicts as well', () => {
    const { stop, undecided, choices, open: changes } = stopOf('best', open, true);
    expect({ stop, choices }).toEqual({ stop: false, choices: [] });
    expect(undecided).toBe(changes.length);
  });

  test('best: it says which setting may still be better, and by how much', () => {
    const { stop, undecided, choices } = stopOf('best', {
      noise: 0.05,
      rounds: 6,
      effect: effectsOf({ 'pool=10': 0.03 }),
    });
    expect({ stop, undecided }).toEqual({ stop: false, undecided: 1 });
    expect(choices).toMatchObject([
      { load: { connections: 25 }, setting: '5', rival: { percent: expect.any(Number) } },
    ]);
    expect(choices?.[0]?.rival?.percent).toBeGreaterThan(5);
  });
});

describe('the share of the error', () => {
  test.each([2, 3, 4, 20, 40])('of %i settings: those that could be taken wrongly share all of it', (settings) => {
    const shares = Array.from({ length: settings - 1 }, (_, before) => errorShare(before, settings));
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 10);
    expect(shares.every((share, i) => share <= (shares[i - 1] ?? 1))).toBe(true);
  });

  test('of two settings only one can be wrong, so that either has all of it', () => {
    expect([0, 1].map((before) => errorShare(before, 2))).toEqual([1, 1]);
  });

  test('a test with a smaller share has a bound that is further out', () => {
    const ratios = [0.01, -0.01, 0.02, -0.02, 0, 0.01, -0.01, 0];
    const weights = ratios.map(() => 1);
    const evidence: Evidence = {
      ratios,
      weights,
      spread: { variance: 0.0003, df: 20 },
      course: { rounds: 8, ends: [8] },
      comparisons: 1,
    };
    const marginLog = Math.log1p(0.05);
    const half = (share: number): number =>
      nonInferiorityBound(evidence, { marginLog, comparisons: 1, share, sign: 1 }) ?? Number.NaN;
    const same = sameInterval(evidence, marginLog)?.high ?? Number.NaN;
    expect(half(0.9)).toBeGreaterThan(half(1));
    expect(half(0.1)).toBeGreaterThan(half(0.9));
    // A decision may spend four fifths of what one side of `same` may.
    expect(half(1)).toBeGreaterThan(same);
    expect(half(1.25) / same).toBeCloseTo(1, 1);
  });
});

test.each([
  ['higher', Math.log(1.05)],
  ['lower', -Math.log(0.95)],
] as const)('of a metric whose better is %s, what counts is what it is in percent', (better, log) => {
  expect(advantageIn({ better }, 5)).toBeCloseTo(log, 12);
  expect(percentIn({ better })(advantageIn({ better }, 5))).toBeCloseTo(5, 9);
  expect(Number.isFinite(advantageIn({ better }, 250))).toBe(true);
});
