import { describe, expect, it } from 'vitest';
import type { Variant } from '../../../src/journal/scenario-record.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { changesUnlike } from '../../../src/judge/verdicts/control-apart.ts';
import { type FixtureOptions, fixtureJournal } from '../journal-fixture.ts';
import { comparison } from '../small-run.ts';

const variant = (name: string, changes: Partial<Variant> = {}): Variant => ({ name, factors: {}, env: {}, ...changes });
const dropping = (name: string, ...dropIndex: string[]): Variant =>
  variant(name, { treatment: { settings: {}, dropIndex, createIndex: [], hideIndex: [], sql: [] } });

describe('variants', () => {
  const control = variant('control', { env: { POOL_MAX: '10' } });
  const like = control.env;
  const unlike = [
    control,
    { ...dropping('no a', 'ix_a'), env: like },
    { ...dropping('no b', 'ix_b'), env: like },
    variant('locks', { env: { ...like, LOCK: 'share' } }),
  ];

  it('change unlike things where no setting is another than the control’s in more than half of them', () => {
    expect(changesUnlike({ variants: unlike, control: 'control' })).toBe(true);
    expect(changesUnlike({ variants: unlike.slice(0, 3), control: 'control' })).toBe(false);
  });

  it('do not where they are levels of a factor, or the control has what no other has', () => {
    const pools = ['10', '25', '35', '50'].map((size) =>
      variant(size, { factors: { pool: size }, env: { POOL_MAX: size } }),
    );
    expect(changesUnlike({ variants: pools, control: '10' })).toBe(false);
    const odd = unlike.map((one) => (one === control ? { ...one, env: { POOL_MAX: '1' } } : one));
    expect(changesUnlike({ variants: odd, control: 'control' })).toBe(false);
    expect(
      changesUnlike({ variants: unlike.map((one) => ({ ...one, url: `http://${one.name}` })), control: 'control' }),
    ).toBe(false);
  });
});

describe('a control that is apart', () => {
  const names = ['control', 'a', 'b', 'c', 'd', 'e'];
  const run = (effect: FixtureOptions['effect'] & {}, options: FixtureOptions = {}) => {
    const journal = fixtureJournal({ variants: names, control: 'control', connections: [25], effect, ...options });
    const { scenario } = journal.run;
    const variants = scenario.variants.map((one) =>
      one.name === 'control' ? one : { ...one, env: { [one.name]: '1' } },
    );
    return { ...journal, run: { ...journal.run, scenario: { ...scenario, variants } } };
  };
  const verdictsOf = (summary: ReturnType<typeof summarize>): string[] =>
    names.slice(1).map((name) => comparison(summary, 'requests_per_s', name).verdict);

  it('leaves no verdict but of what is beyond the others, and the session says so', () => {
    const summary = summarize(run(({ variant }) => (variant === 'control' ? 0.12 : variant === 'e' ? -0.5 : 0)));
    expect(verdictsOf(summary)).toEqual(['unfit', 'unfit', 'unfit', 'unfit', 'lower']);
    const note = summary.notes.find(({ kind }) => kind === 'control-stands-apart');
    expect(note).toMatchObject({ load: { connections: 25 }, variants: 5 });
    if (note?.kind !== 'control-stands-apart') throw new Error('no note');
    expect(note.metrics).toContain('requests_per_s');
    expect(note.percent).toBeGreaterThan(-15);
    expect(note.percent).toBeLessThan(-8);
  });

  it('is one that the variants may well differ from where each does so by as much as it likes', () => {
    const steps: Record<string, number> = { a: 0.04, b: 0.1, c: 0.22, d: 0.35, e: 0.6 };
    const summary = summarize(run(({ variant }) => steps[variant] ?? 0));
    expect(verdictsOf(summary)).toEqual(Array(5).fill('higher'));
  });

  it('is not where one of them lies on its other side, or all change the same thing', () => {
    const mixed = run(({ variant }) => (variant === 'control' ? 0.12 : variant === 'e' ? 0.3 : 0));
    expect(verdictsOf(summarize(mixed))).toEqual(['lower', 'lower', 'lower', 'lower', 'higher']);
    const grid = fixtureJournal({ connections: [25], effect: ({ variant }) => (variant === 'pool=10' ? 0.12 : 0) });
    expect(comparison(summarize(grid), 'requests_per_s', 'pool=50').verdict).toBe('lower');
  });

  it('is seldom found where nothing differs', () => {
    let found = 0;
    for (let seed = 1; seed <= 25; seed++) {
      const journal = run(() => 0, { seed, windowMs: 1000, noise: 0.04, perRequest: () => null });
      if (summarize(journal).notes.some(({ kind }) => kind === 'control-stands-apart')) found++;
    }
    expect(found).toBeLessThanOrEqual(2);
  });
});
