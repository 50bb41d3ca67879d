import { describe, expect, test } from 'vitest';
import type { Variant } from '../../../src/journal/scenario-record.ts';
import { summarize } from '../../../src/judge/summary.ts';
import type { Recommendation } from '../../../src/judge/verdicts/decision/recommend.ts';
import { twoWaysOf } from '../../../src/report/tables/two-way-tables.ts';
import { adviceWords, answerOf, cheapestLine, recommendationOf } from '../../../src/report/words/recommendation.ts';
import { type FixtureOptions, fixtureJournal, unfitOptions } from '../journal-fixture.ts';

const grid: FixtureOptions = {
  variants: ['pool=10', 'pool=25', 'pool=35', 'pool=50'],
  control: 'pool=10',
  connections: [25],
  rounds: 8,
  noise: 0.005,
};

const byVariant =
  (effects: Readonly<Record<string, number>>): NonNullable<FixtureOptions['effect']> =>
  ({ variant }) =>
    effects[variant] ?? 0;

/** The advice for the first load level, as data and in words. */
function recommended(options: FixtureOptions): Recommendation & { readonly text: string } {
  const { recommendation, run } = summarize(fixtureJournal({ ...grid, ...options }));
  const [first] = recommendation;
  if (first === undefined) throw new Error('no load level');
  return { ...first, text: adviceWords(first, run) };
}

describe('the recommendation', () => {
  test('keeps the smallest setting that none is better than', () => {
    const { keep, text } = recommended({ effect: byVariant({ 'pool=50': -0.09 }) });
    expect(keep).toBe('pool=10');
    expect(text).toMatch(/^keep 10: 25 and 35 are the same within 5 %, 50 is \d\.\d-\d+(\.\d)? % slower$/);
  });

  test('is never the arg max: of equals the smallest', () => {
    const { keep, text } = recommended({ effect: byVariant({ 'pool=25': 0.2, 'pool=35': 0.2, 'pool=50': 0.2 }) });
    expect(keep).toBe('pool=25');
    expect(text).toMatch(/^take 25: 35 and 50 are the same within 5 %, 10 is 1\d-1\d % slower$/);
  });

  test('goes by number, not by the order of the scenario or of the letters', () => {
    const variants = ['pool=100', 'pool=9', 'pool=20'];
    expect(recommended({ variants, control: 'pool=100' }).keep).toBe('pool=9');
    expect(recommended({ variants, control: 'pool=100' }).text).toBe('take 9: 20 and 100 are the same within 5 %');
  });

  test('of pool and instances goes by the connections of all instances, and names both', () => {
    const variants = ['pool=20, instances=1', 'pool=20, instances=4', 'pool=5, instances=1', 'pool=5, instances=4'];
    const numbers = (name: string): [number, number] => {
      const [pool = 0, instances = 0] = [...name.matchAll(/\d+/g)].map(Number);
      return [pool, instances];
    };
    const of = (effects: Readonly<Record<string, number>>) => {
      const journal = fixtureJournal({
        ...grid,
        variants,
        control: 'pool=20, instances=1',
        factors: Object.fromEntries(
          variants.map((name) => [name, { pool: numbers(name)[0], instances: numbers(name)[1] }]),
        ),
        effect: byVariant(effects),
      });
      const { scenario } = journal.run;
      const counted = scenario.variants.map((variant) => ({ ...variant, instances: numbers(variant.name)[1] }));
      return summarize({ ...journal, run: { ...journal.run, scenario: { ...scenario, variants: counted } } });
    };
    const same = of({});
    expect(same.run.settings.map(({ variant, instances }) => [variant, instances])).toEqual([
      ['pool=5, instances=1', 1],
      ['pool=20, instances=1', 1],
      ['pool=5, instances=4', 4],
      ['pool=20, instances=4', 4],
    ]);
    expect(same.recommendation[0]?.keep).toBe('pool=5, instances=1');
    const better = of({ 'pool=5, instances=4': 0.3, 'pool=20, instances=4': 0.3 });
    const [advice] = better.recommendation;
    expect(advice && adviceWords(advice, better.run)).toMatch(
      /^take pool=5, instances=4: pool=20, instances=4 is the same within 5 %; /,
    );
    const [table] = twoWaysOf(better);
    expect(table).toMatchObject({ corner: 'pool', rows: ['20', '5'], columns: ['1', '4'] });
  });

  test('of named variants names all that are good enough, since none is cheaper for its place in the file', () => {
    const options = { variants: ['Control', 'No index', 'No lock'], control: 'Control' };
    expect(recommended(options).text).toBe(
      'take Control, No index or No lock: No index and No lock are the same within 5 %',
    );
    const faster = recommended({ ...options, effect: byVariant({ 'No lock': 0.15 }) });
    expect(faster.keep).toBe('No lock');
    expect(faster.text).toMatch(/^take No lock: Control is 1\d-1\d % slower, No index is 1\d-1\d % slower$/);
  });

  test('of releases says what was found, and to take either where that is less than counts', () => {
    const said = (change: (name: string) => Partial<Variant>, options: FixtureOptions = {}) => {
      const releases = { variants: ['4.12.12', '4.14.0'], control: '4.12.12', connections: [1, 25] };
      const journal = fixtureJournal({ ...grid, ...releases, ...options });
      const { scenario } = journal.run;
      const variants = scenario.variants.map((variant) => ({ ...variant, ...change(variant.name) }));
      const summary = summarize({ ...journal, run: { ...journal.run, scenario: { ...scenario, variants } } });
      return [answerOf(summary), cheapestLine(summary)];
    };
    const command = (name: string) => ({ command: `npx postgraphile@${name}` });
    expect(said(command)).toEqual([
      'No difference within 5 %: take either, 4.12.12 or 4.14.0 (1 and 25 connections).',
      null,
    ]);
    expect(said(command, { variants: ['4.12.12', '4.13.0', '4.14.0'] })[0]).toBe(
      'No difference within 5 %: take any of 4.12.12, 4.13.0 or 4.14.0 (1 and 25 connections).',
    );
    expect(said(command, { effect: byVariant({ '4.14.0': 0.1 }) })[0]).toMatch(
      /^4\.14\.0 is 10\.\d(?: to 10\.\d)? % faster \[\d\.\d, 1\d\.\d\] at 1 and 25 connections\.$/,
    );
    const little = { effect: byVariant({ '4.14.0': 0.03 }), noise: 0.002 };
    const either =
      /^Either: 4\.14\.0 is [\d.to ]+ % faster \[2\.\d, 3\.\d\] at 1 and 25 connections, less than the 5 % that count\.$/;
    expect(said(command, little)[0]).toMatch(either);
    expect(said(command, { ...little, question: 'best' })[0]).toMatch(either);
    const same = '4.14.0: the same within ±5 % at 1 and 25 connections.';
    expect(said((name) => ({ ...command(name), env: { RELEASE: name } }))[0]).toBe(same);
    expect(said(() => ({}))[0]).toBe(same);
  });

  test('says what is open, and how long it would take', () => {
    const { keep, against, candidates, slower, text } = recommended({
      noise: 0.04,
      effect: byVariant({ 'pool=25': 0.04, 'pool=50': -0.4 }),
    });
    expect({ keep, against }).toEqual({ keep: null, against: 'pool=10' });
    expect(candidates).toEqual(['pool=10', 'pool=25']);
    expect(slower.map(({ variant }) => variant)).toEqual(['pool=50']);
    expect(text).toMatch(
      /^not decided yet, 10 or 25: 25 may still be up to \d+(\.\d)? % better than 10 \(would take (about|more than) \d+ rounds\); 50 is \d+-\d+ % slower/,
    );
  });

  test('a setting that fails more is not recommended, and beats nobody', () => {
    const { keep, text } = recommended({
      effect: byVariant({ 'pool=50': 0.2 }),
      failures: ({ variant }, requests) =>
        variant === 'pool=50' ? { statuses: { 500: Math.round(requests * 0.05) } } : {},
    });
    expect(keep).toBe('pool=10');
    expect(text).toBe('keep 10: 25 and 35 are the same within 5 %, more requests fail with 50');
  });

  test.each<[string, FixtureOptions]>([
    ['unfit', unfitOptions],
    ['quick', { quick: true, rounds: 1 }],
    ['no-variants', { variants: ['pool=10'] }],
  ])('there is none: %s', (kind, options) => {
    expect(recommended(options)).toMatchObject({ keep: null, against: null, undecided: [], notes: [{ kind }] });
    const { recommended: forAll } = summarize(fixtureJournal({ ...grid, ...options }));
    expect(forAll).toEqual({ variant: null, othersBetterPercent: null, cheapestBy: 'level' });
  });
});

/** With one connection a pool of 50 is worse. */
const worseAt1: NonNullable<FixtureOptions['effect']> = ({ variant, connections }) =>
  connections === 1 && variant === 'pool=50' ? -0.2 : 0;

describe('in the report', () => {
  const decision = (options: FixtureOptions): string | null =>
    answerOf(summarize(fixtureJournal({ ...grid, connections: [1, 50], requestsPerSecond: 400, ...options })));

  const lines = (options: FixtureOptions): string[] =>
    recommendationOf(summarize(fixtureJournal({ ...grid, connections: [1, 50], requestsPerSecond: 400, ...options })));

  test('one sentence a load level, and one for all where one setting is good enough for all', () => {
    expect(lines({})).toEqual([
      '1 connection: keep 10: 25, 35 and 50 are the same within 5 %.',
      '50 connections: keep 10: 25, 35 and 50 are the same within 5 %.',
    ]);
    expect(decision({})).toMatch(/^Take 10: nothing tried is more than \d(\.\d)? % better \(1 and 50 connections\)\.$/);
    expect(decision({ connections: [1] })).toMatch(/^Take 10: .* \(1 connection\)\.$/);
  });

  test('says nothing of settings that cannot be taken: they may be better', () => {
    const failing = (...names: readonly string[]): FixtureOptions => ({
      effect: byVariant({ 'pool=50': 0.2 }),
      failures: ({ variant }, requests) =>
        names.includes(variant) ? { statuses: { 500: Math.round(requests * 0.05) } } : {},
    });
    expect(decision(failing('pool=50'))).toMatch(
      /^Take 10: nothing else that can be taken is more than \d(\.\d)? % better \(1 and 50 connections\)\.$/,
    );
    const slower = { ...failing('pool=50'), effect: byVariant({ 'pool=50': -0.2 }) };
    expect(decision(slower)).toMatch(/^Take 10: nothing tried is more than /);
    expect(decision(failing('pool=25', 'pool=35', 'pool=50'))).toBe(
      'Take 10: nothing else tried can be taken (1 and 50 connections).',
    );
  });

  test('says where they do not', () => {
    const effect: NonNullable<FixtureOptions['effect']> = ({ variant, connections }) =>
      connections === 50 && variant === 'pool=50' ? 0.2 : 0;
    expect(decision({ effect: (cell) => effect(cell) + worseAt1(cell) })).toMatch(
      /^Take 10 with 1 connection \(nothing tried is more than \d\.\d % better\), take 50 with 50 connections \(nothing tried is better\)\.$/,
    );
    expect(decision({ rounds: 2 })).toBe(
      'Not decided yet, 10, 25, 35 or 50: it is open whether 25, 35 and 50 are better than 10 (1 and 50 connections).',
    );
    expect(decision({ quick: true, rounds: 1 })).toBeNull();
    expect(lines({ quick: true, rounds: 1 })).toEqual([]);
  });

  test('takes the larger setting for all load levels where it is good enough for each', () => {
    const effect: NonNullable<FixtureOptions['effect']> = ({ variant, connections }) =>
      connections === 50 && variant === 'pool=50' ? 0.2 : 0;
    expect(decision({ effect })).toMatch(
      /^Take 50: nothing tried is more than \d(\.\d)? % better \(1 and 50 connections\)\.$/,
    );
    expect(lines({ effect })[0]).toMatch(/^1 connection: keep 10: /);
  });
});
