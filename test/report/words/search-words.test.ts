import { describe, expect, it } from 'vitest';
import { formatDelta, formatInterval } from '../../../src/judge/format.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import type { SearchSummary } from '../../../src/judge/tune/summarize-search.ts';
import type { Undecided } from '../../../src/judge/verdicts/decision/recommend.ts';
import { documentOf } from '../../../src/report/document.ts';
import { searchCurves } from '../../../src/report/pictures/search-curves.ts';
import { searchTable } from '../../../src/report/tables/search-table.ts';
import { nextSteps } from '../../../src/report/words/next-steps.ts';
import { answerOf } from '../../../src/report/words/recommendation.ts';
import {
  isSearching,
  pasteLine,
  searchedLines,
  searchFacts,
  searchLine,
} from '../../../src/report/words/search-words.ts';
import { play } from '../../judge/tune/played-search.ts';

const search: SearchSummary = {
  rounds: 3,
  confirmed: null,
  best: { best: 'pool=12', percent: 30.4, range: [23, 39], gainPercent: 1.2 },
  trials: [
    {
      variant: 'pool=12',
      factors: { pool: 12 },
      rounds: 2,
      measuredPercent: 31,
      change: { percent: 30.4, range: [23, 39] },
    },
    {
      variant: 'pool=3',
      factors: { pool: 3 },
      rounds: 1,
      measuredPercent: -66,
      change: { percent: -67.6, range: [-70.6, -64.4] },
    },
    { variant: 'pool=90', factors: { pool: 90 }, rounds: 0, measuredPercent: null, refused: 'too many connections' },
  ],
  curves: [],
};
const confirmed: SearchSummary = {
  ...search,
  confirmed: [
    { variant: 'pool=12', env: { POOL_MAX: '12' }, settings: { work_mem: '16MB' }, hideIndex: ['ix_a'] },
    { variant: 'pool=9', env: { POOL_MAX: '9' }, settings: {}, hideIndex: [] },
  ],
};
const played = summarize({ ...play(30), warnings: [] });
/** The summary of a run whose pools of 9 and 12 were confirmed, and one of them is to be taken. */
const taken = (variant: string | null, own: Partial<Summary> = {}): Summary => ({
  ...played,
  search: confirmed,
  recommended: { variant, othersBetterPercent: 2.4, cheapestBy: 'listed' },
  ...own,
});

describe('a search', () => {
  it('that is not over says what its model knows, and that nothing is confirmed', () => {
    expect(isSearching({ search })).toBe(true);
    expect(searchLine({ search })).toBe(
      'The search tried 3 settings in 3 rounds, 1 of which server or service refused, and no setting is confirmed yet. Best so far pool=12, about +30.4 % [+23, +39] by its model; the best of all may be 1.2 % better.',
    );
    expect(searchLine({ search: { ...search, best: null } })).toMatch(/no setting is confirmed yet\.$/);
  });

  it('that is over says that only later rounds count', () => {
    expect(isSearching({ search: confirmed })).toBe(false);
    expect(searchLine({ search: confirmed })).toMatch(/; only the rounds after it count\.$/);
  });

  it('ends in the lines to paste, for the setting to take alone', () => {
    expect(pasteLine(taken('pool=12'))).toBe(
      'To take pool=12: POOL_MAX=12; ALTER SYSTEM SET work_mem = \'16MB\'; DROP INDEX "ix_a"',
    );
    expect(pasteLine(taken('pool=10'))).toBeNull();
    const shown = { variant: 'ix=shown', env: {}, settings: {}, hideIndex: [], showIndex: ['ix_a'] };
    expect(pasteLine(taken('ix=shown', { search: { ...confirmed, confirmed: [shown] } }))).toBe(
      'To take ix=shown: create the index ix_a',
    );
    expect(pasteLine(taken('pool=12', { search }))).toBeNull();
  });

  it('quotes values and names that SQL would read otherwise', () => {
    const settings = { log_line_prefix: "it's", search_path: 'app, "$user"' };
    const hideIndex = ['ix-a', 'public.IxB', 'app.ix_c', 'a"b', 'order'];
    const odd = { variant: 'odd', env: {}, settings, hideIndex };
    expect(pasteLine(taken('odd', { search: { ...confirmed, confirmed: [odd] } }))).toBe(
      `To take odd: ALTER SYSTEM SET log_line_prefix = 'it''s'; ALTER SYSTEM SET search_path = 'app', '$user'; DROP INDEX "ix-a"; DROP INDEX "public"."IxB"; DROP INDEX "app"."ix_c"; DROP INDEX "a""b"; DROP INDEX "order"`,
    );
  });

  it('says what to take and by how much that is better, or that the control stays', () => {
    const variant = played.recommended.variant ?? '';
    const change = played.comparisons.find((one) => one.variant === variant && one.metric === 'requests_per_s');
    const shown = `${formatDelta(change?.deltaPercent ?? 0)} ${formatInterval(change?.interval ?? [0, 0])}`;
    expect(answerOf(played)).toBe(
      `Take ${variant}: ${shown} against pool=10; nothing else that was confirmed is better.`,
    );
    expect(
      answerOf({ ...played, recommended: { variant: 'pool=10', othersBetterPercent: 2.4, cheapestBy: 'listed' } }),
    ).toBe('Keep the control, pool=10: the best that the search found is at most 2.4 % better.');
    expect(
      answerOf({ ...played, recommended: { variant: 'pool=10', othersBetterPercent: null, cheapestBy: 'listed' } }),
    ).toBe('Keep the control, pool=10: nothing else that was confirmed can be taken.');
    const recommendation = played.recommendation.map((one) => ({ ...one, failing: ['pool=99'] }));
    expect(answerOf({ ...played, recommendation })).toMatch(
      /; nothing else that was confirmed and can be taken is better\.$/,
    );
  });

  it('says which factor gives most of the change, where leaving it out has shown that', () => {
    const variant = played.recommended.variant ?? '';
    const whole = played.comparisons.find((one) => one.variant === variant && one.metric === 'requests_per_s');
    const delta = whole?.deltaPercent ?? 0;
    const load = { connections: 25 };
    const answer = (part: number, interval: readonly [number, number]) =>
      answerOf({ ...played, gains: [{ factor: 'pool', load, deltaPercent: part * delta, interval, rounds: 5 }] });
    expect(answer(0.9, [5, 25])).toContain(
      ` against pool=10; most of it comes from pool (${formatDelta(0.9 * delta)}); nothing else that was confirmed`,
    );
    for (const said of [answer(0.4, [5, 25]), answer(0.9, [-1, 25])]) expect(said).not.toContain('most of it');
  });

  it('that cannot tell two settings apart says that both are better than the control, and how to take each', () => {
    const names = played.search?.confirmed?.map(({ variant }) => variant) ?? [];
    const [first = '', second = ''] = names;
    const [decided] = played.recommendation;
    if (decided === undefined) throw new Error('no recommendation');
    const open: Undecided = {
      ...decided,
      state: 'open',
      keep: null,
      against: first,
      candidates: [first, second],
      undecided: [second],
      open: [{ variant: second, percent: 9.7 }],
      same: [],
      notes: [{ kind: 'rounds-needed', rounds: 20, most: 40 }],
    };
    const nobody = { variant: null, othersBetterPercent: null, cheapestBy: 'listed' } as const;
    const summary: Summary = { ...played, recommended: nobody, recommendation: [open] };
    const answer = answerOf(summary);
    expect(answer).toContain(`${second} may still be up to 9.7 % better than ${first}`);
    expect(answer).toMatch(/Both are better than pool=10: pool=\d+ \+/);
    expect(pasteLine(summary)?.match(/POOL_MAX=\d+/g)).toEqual(names.map((name) => name.replace('pool', 'POOL_MAX')));
    expect(pasteLine({ ...summary, recommendation: [{ ...open, candidates: ['pool=10', second] }] })).toBeNull();
  });

  it('is planned by what is searched, what is not, and what is kept', () => {
    const pool = { name: 'pool', env: 'POOL_MAX', values: ['default', 1, 60], places: [-1, 0, 1] };
    const factors = [
      { ...pool, beyond: { from: 70, connections: 63 } },
      { name: 'jit', setting: 'jit', values: ['on', 'off'] },
    ];
    expect(searchedLines({ factors, keep: [{ metric: 'failed', most: 0.01 }] })).toEqual([
      'searched: pool from 1 to 60, 3 values with its default; pool 70 and more are not tried: max_connections leaves 63',
      'searched: jit on, off',
      'kept: failed 1 %',
    ]);
    expect(searchedLines(undefined)).toEqual([]);
  });

  it('that was too short names the command that gives it time to confirm, and one that ended early, too', () => {
    const unconfirmed = taken(null, {
      search,
      run: { ...played.run, rounds: 3, complete: true, stopReason: 'budget' },
    });
    const [step] = nextSteps(unconfirmed);
    expect(step?.text).toMatch(/^No setting is confirmed yet: 6 more rounds/);
    expect(step?.command).toBe('pgsweep tune --resume RUN --rounds 9');
    const broken = documentOf({ ...unconfirmed, run: { ...unconfirmed.run, complete: false } });
    expect(broken.first.next[0]?.command).toBe('pgsweep tune --resume RUN');
  });

  it('keeps the line to paste whole, however many factors it sets', () => {
    const settings = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [`setting_with_a_long_name_${i}`, '16MB']),
    );
    const [first] = confirmed.confirmed ?? [];
    if (first === undefined) throw new Error('none is confirmed');
    const summary = taken('pool=12', { search: { ...confirmed, confirmed: [{ ...first, settings }] } });
    const [step] = documentOf(summary).first.next;
    expect(step?.text.match(/ALTER SYSTEM SET/g)).toHaveLength(12);
  });

  it('prints the bound of each limit that the setting to take keeps, and of no other', () => {
    const at = { variant: 'pool=12', load: { connections: 25 } };
    const kept = [
      { ...at, metric: 'p99_ms', most: 200, bound: 167.6 },
      { ...at, metric: 'failed', most: 0.01, bound: 0.0012 },
      { ...at, variant: 'pool=9', metric: 'p99_ms', most: 200, bound: 99 },
    ];
    const line =
      'pool=12, each bound one-sided at 95 %: p99 at most 168 ms (limit 200 ms), failed requests at most 0.12 % (limit 1 %).';
    const summary = taken('pool=12', { kept });
    expect(searchFacts(summary)).toContain(line);
    const document = documentOf(summary);
    expect(document.headline).toContain(line);
    expect(document.first.facts).toContain(line);
    expect(searchFacts(taken('pool=10', { kept })).join()).not.toContain('one-sided');
  });

  it('says what each factor gives, where that was measured', () => {
    const load = { connections: 25 };
    const gain = { factor: 'pool', load, deltaPercent: 15, interval: [12, 18] as const, rounds: 5 };
    const line = 'What each factor gives, against the same setting without it: pool +15.0 % [+12.0, +18.0] (5 rounds)';
    expect(searchFacts(taken('pool=12', { gains: [gain] }))).toContain(`${line}.`);
    const jit = { ...gain, factor: 'jit', deltaPercent: -6, interval: [-10.5, -1] as const };
    expect(searchFacts(taken('pool=12', { gains: [gain, jit] }))).toContain(
      `${line}, jit -6.0 % [-10.5, -1.0] (5 rounds). Without jit it is better still.`,
    );
    const cost = { ...gain, factor: 'cost', deltaPercent: 0.4, interval: [-2, 2.8] as const };
    expect(searchFacts(taken('pool=12', { gains: [gain, cost] }))).toContain(
      `${line}, cost +0.4 % [-2.0, +2.8] (5 rounds). Without cost it is as good within 5 %.`,
    );
    expect(searchFacts(taken('pool=12', {})).join()).not.toContain('What each');
    const settingOf = (variant: string, factors: Record<string, number>) => ({ variant, label: variant, factors });
    const settings = [
      settingOf('pool=10', { pool: 10, jit: 0, cost: 4 }),
      settingOf('best', { pool: 12, jit: 1, cost: 1 }),
    ];
    expect(searchFacts(taken('best', { gains: [gain, jit], run: { ...played.run, settings } })).join()).toContain(
      'What 2 of its 3 changes give, each against the same setting without it: pool',
    );
  });

  it('names the pools that were not tried, and settings that break a limit', () => {
    const beyond = { from: 70, connections: 63 };
    const tried = { ...confirmed, trials: confirmed.trials.map((trial) => ({ ...trial, breaks: true as const })) };
    const table = searchTable({ ...tried, curves: [{ factor: 'pool', points: [], beyond }] });
    expect(table?.notes[0]).toBe('pool 70 and more are not tried: max_connections leaves 63.');
    expect(table?.rows[0]?.map(({ text }) => text).at(-1)).toBe('breaks a limit');
  });

  it('has names that fit into its table, and are told apart', () => {
    const many = Array.from({ length: 8 }, (_, i) => `setting_${i}=16MB`).join(', ');
    const trials = ['jit=on', 'jit=off'].map((last) => ({ ...confirmed.trials[0], variant: `${many}, ${last}` }));
    const rows = searchTable({ ...confirmed, trials: trials as SearchSummary['trials'] })?.rows ?? [];
    const names = rows.map(([name]) => name?.text ?? '');
    expect(Math.max(...names.map(({ length }) => length))).toBeLessThanOrEqual(60);
    expect(names.map((name) => name.split('jit=')[1])).toEqual(['on', 'off']);
  });

  it('has a table of what was tried, without verdicts', () => {
    const rows = searchTable(confirmed)?.rows.map((row) => row.map(({ text }) => text));
    expect(rows).toEqual([
      ['pool=12', '2', '+30.4 % [+23, +39]', 'confirmed in fresh rounds'],
      ['pool=3', '1', '-67.6 % [-70.6, -64.4]', ''],
      ['pool=90', '0', 'n/a', 'refused: too many connections'],
    ]);
    expect(searchTable(undefined)).toBeNull();
  });

  it('has a curve for each factor, and what was measured beside a single one', () => {
    const values = Array.from({ length: 26 }, (_, place) => place + 1);
    const curve = (factor: string) => ({
      factor,
      points: values.map((value) => ({ value, percent: value, range: [value - 5, value + 5] as const })),
    });
    const [plot] = searchCurves({ ...search, curves: [curve('pool')] });
    expect(plot?.lines.map(({ name }) => name)).toEqual(['model', 'measured']);
    expect(plot?.lines[0]?.points.at(-1)).toEqual({ x: 25, y: 26, interval: [21, 31] });
    expect(plot?.lines[1]?.points.filter(({ y }) => y !== null)).toEqual([
      { x: 11, y: 31 },
      { x: 2, y: -66 },
    ]);
    expect(plot?.x.ticks.length).toBeLessThanOrEqual(7);
    const two = searchCurves({ ...search, curves: [curve('pool'), curve('memory')] });
    expect(two.map(({ lines }) => lines.length)).toEqual([1, 1]);
    expect(searchCurves(undefined)).toEqual([]);
  });

  it('is not there in a run that names its variants', () => {
    expect([searchLine({}), isSearching({})]).toEqual([null, false]);
  });
});
