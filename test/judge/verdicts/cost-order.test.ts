import { describe, expect, test } from 'vitest';
import type { Journal } from '../../../src/journal/journal.ts';
import type { ResolvedScenario } from '../../../src/journal/scenario-record.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { equalShare } from '../../../src/judge/verdicts/decision/decide.ts';
import { parseGate } from '../../../src/judge/verdicts/gate.ts';
import { decideStop, needsProbes } from '../../../src/judge/verdicts/stop-rule.ts';
import { cheapestLine } from '../../../src/report/words/recommendation.ts';
import { type FixtureOptions, fixtureJournal, unfitOptions } from '../journal-fixture.ts';

const named: FixtureOptions = {
  variants: ['a', 'b', 'c'],
  control: 'a',
  connections: [1, 25],
  rounds: 8,
  noise: 0.005,
};

/** A run whose variants are all as good as each other, unless effects are planted. */
function journalOf(change: (scenario: ResolvedScenario) => Partial<ResolvedScenario>, options: FixtureOptions = {}) {
  const journal = fixtureJournal({ ...named, ...options });
  return {
    ...journal,
    run: { ...journal.run, scenario: { ...journal.run.scenario, ...change(journal.run.scenario) } },
  };
}

const priced =
  (costs: Readonly<Record<string, number>>) =>
  ({ variants }: ResolvedScenario): Partial<ResolvedScenario> => ({
    variants: variants.map((variant) => ({ ...variant, cost: costs[variant.name] ?? 0 })),
  });

const taken = (journal: Journal): Pick<Summary['recommended'], 'variant' | 'cheapestBy'> => {
  const { variant, cheapestBy } = summarize(journal).recommended;
  return { variant, cheapestBy };
};

const memory =
  (mb: Readonly<Record<string, number>>): NonNullable<FixtureOptions['probes']> =>
  ({ variant }) => ({
    processes: { service_memory_max_bytes: (mb[variant] ?? 100) * 2 ** 20, postgres_memory_max_bytes: 50 * 2 ** 20 },
  });

describe('the cheapest of settings that are as good', () => {
  test('goes by their costs in the scenario', () => {
    expect(taken(journalOf(priced({ a: 3, b: 2, c: 1 })))).toEqual({ variant: 'c', cheapestBy: 'cost' });
    expect(taken(journalOf(priced({ a: 3, b: 0.5, c: 1 })))).toEqual({ variant: 'b', cheapestBy: 'cost' });
  });

  test('of the same cost is the first in their order, and without costs as well', () => {
    expect(taken(journalOf(priced({ a: 2, b: 1, c: 1 })))).toEqual({ variant: 'b', cheapestBy: 'cost' });
    expect(taken(journalOf(() => ({})))).toEqual({ variant: 'a', cheapestBy: 'listed' });
    const grid = { variants: ['pool=10', 'pool=5'], control: 'pool=10' };
    expect(taken(journalOf(() => ({}), grid))).toEqual({ variant: 'pool=5', cheapestBy: 'level' });
    expect(taken(journalOf(priced({ 'pool=10': 1, 'pool=5': 2 }), grid)).variant).toBe('pool=10');
  });

  test('is not taken where another is better by the margin', () => {
    const effect: FixtureOptions['effect'] = ({ variant }) => (variant === 'c' ? -0.2 : 0);
    expect(taken(journalOf(priced({ a: 3, b: 2, c: 1 }), { effect })).variant).toBe('b');
  });

  test('for all load levels is the most expensive of theirs', () => {
    const effect: FixtureOptions['effect'] = ({ variant, connections }) =>
      variant === 'c' && connections === 25 ? -0.2 : 0;
    const { recommended, recommendation } = summarize(journalOf(priced({ a: 3, b: 2, c: 1 }), { effect }));
    expect(recommendation.map(({ keep }) => keep)).toEqual(['c', 'b']);
    expect(recommended.variant).toBe('b');
  });

  test('goes by measured memory of the service and its database', () => {
    const probes = memory({ a: 200, b: 150, c: 100 });
    expect(taken(journalOf(() => ({ cost: 'memory_mb' }), { probes }))).toEqual({
      variant: 'c',
      cheapestBy: 'memory_mb',
    });
  });

  test('goes by measured CPU time of a request', () => {
    const work: FixtureOptions['work'] = ({ variant }) => ({
      serviceCpuMs: variant === 'b' ? 1 : 2,
      postgresCpuMs: 1,
      walBytes: 100,
    });
    expect(taken(journalOf(() => ({ cost: 'cpu' }), { work }))).toEqual({ variant: 'b', cheapestBy: 'cpu' });
  });

  test('that was measured differs by the margin at least: less is noise, and the order tells', () => {
    const probes = memory({ a: 100, b: 99.5, c: 99 });
    expect(taken(journalOf(() => ({ cost: 'memory_mb' }), { probes })).variant).toBe('a');
  });

  test('goes by the order where it was not measured of every setting', () => {
    const probes: FixtureOptions['probes'] = (cell) => (cell.variant === 'b' ? {} : memory({ c: 50 })(cell));
    const cost = () => ({ cost: 'memory_mb' as const });
    expect(taken(journalOf(cost, { probes }))).toEqual({ variant: 'a', cheapestBy: 'listed' });
    expect(taken(journalOf(cost))).toEqual({ variant: 'a', cheapestBy: 'listed' });
  });

  test('is what a gate on the decision asks for, and what a run ends with', () => {
    const journal = journalOf(priced({ a: 3, b: 2, c: 1 }));
    const gates = [parseGate('recommended == c')];
    expect(summarize(journal, undefined, { gates, unclear: 'fail' }).gates.map(({ outcome }) => outcome)).toEqual([
      'pass',
      'pass',
    ]);
    const scenario = { ...journal.run.scenario, question: 'best' as const };
    const effect: FixtureOptions['effect'] = ({ variant }) => (variant === 'a' ? 0 : -0.045);
    const open = journalOf(priced({ a: 3, b: 2, c: 1 }), { effect, noise: 0.03, rounds: 5, end: null });
    const { choices } = decideStop({
      ...open,
      run: { ...open.run, scenario: { ...open.run.scenario, question: 'best' } },
    });
    expect(choices?.map(({ setting }) => setting)).toContain('c');
    expect(decideStop({ ...journal, run: { ...journal.run, scenario } }).choices).toEqual([]);
  });
});

test('a cost that is measured needs probes in every round, one that is given does not', () => {
  expect(needsProbes([], journalOf(() => ({ cost: 'memory_mb' })).run.scenario)).toBe(true);
  expect(needsProbes([], journalOf(() => ({ cost: 'cpu' })).run.scenario)).toBe(true);
  expect(needsProbes([], journalOf(priced({})).run.scenario)).toBe(false);
});

test('settings whose order may change share the error equally: one less than all can be wrong', () => {
  expect([1, 2, 3, 11].map(equalShare)).toEqual([1, 1, 0.5, 0.1]);
});

describe('the report', () => {
  const line = (change: (scenario: ResolvedScenario) => Partial<ResolvedScenario>, options?: FixtureOptions) =>
    cheapestLine(summarize(journalOf((scenario) => ({ question: 'best', ...change(scenario) }), options)));

  test('says in a phrase what the cheapest goes by', () => {
    const probes = memory({});
    const work: FixtureOptions['work'] = () => ({ serviceCpuMs: 1, postgresCpuMs: 1, walBytes: 100 });
    expect(line(() => ({}), { variants: ['pool=5', 'pool=10'], control: 'pool=5' })).toBe('cheapest: smallest pool');
    expect(line(priced({}))).toBe('cheapest: lowest cost in the scenario');
    expect(line(() => ({ cost: 'memory_mb' }), { probes })).toBe('cheapest: least memory');
    expect(line(() => ({ cost: 'cpu' }), { work })).toBe('cheapest: least CPU a request');
  });

  test('says nothing where none is cheaper, and where nothing is decided', () => {
    expect(line(() => ({}))).toBeNull();
    expect(line(() => ({}), { quick: true })).toBeNull();
    expect(line(() => ({}), unfitOptions)).toBeNull();
  });
});
