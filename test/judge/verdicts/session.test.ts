import { describe, expect, test } from 'vitest';
import type { JournalRecord } from '../../../src/journal/records.ts';
import type { ScriptSpec } from '../../../src/journal/script-spec.ts';
import { aggregateRun } from '../../../src/judge/read/aggregate-run.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { judgeSession } from '../../../src/judge/verdicts/session.ts';
import { warningWords } from '../../../src/report/words/remedies.ts';
import { type FixtureOptions, fixtureJournal, fixtureProvenance, unfitOptions } from '../journal-fixture.ts';
import { comparison, small } from '../small-run.ts';

function widthOf(interval: readonly [number, number] | null | undefined): number {
  return interval === null || interval === undefined ? Number.NaN : interval[1] - interval[0];
}

describe('the session', () => {
  test('is fit, with its noise floor and the smallest effect it could see', () => {
    const quiet = summarize(fixtureJournal({ ...small, noise: 0.01 })).session;
    const loud = summarize(fixtureJournal({ ...small, noise: 0.05 })).session;
    expect(quiet).toMatchObject({ verdict: 'fit', reasons: [] });
    expect(quiet.noiseFloorPercent).toBeGreaterThan(0.2);
    expect(quiet.noiseFloorPercent).toBeLessThan(3);
    expect((loud.noiseFloorPercent ?? 0) / (quiet.noiseFloorPercent ?? 0)).toBeCloseTo(5, 0);
    // t(0.9969, 7) / sqrt(8) = 1.365 standard deviations of about 0.01 x sqrt(1.5 x 1.04), and what may stay with an arm.
    expect(quiet.minimumDetectablePercent).toBeGreaterThan(0.8);
    expect(quiet.minimumDetectablePercent).toBeLessThan(3);
    const ratio = (loud.minimumDetectablePercent ?? 0) / (quiet.minimumDetectablePercent ?? 0);
    expect(ratio).toBeGreaterThan(4);
    expect(ratio).toBeLessThan(5.2);
  });

  test('is fit where no reason says otherwise, also of a search for a capacity that measured no load level yet', () => {
    const data = aggregateRun(fixtureJournal({ ...small }));
    const none = { ...data, scenario: { ...data.scenario, load: { ...data.scenario.load, levels: [] } } };
    expect(judgeSession(none, [], [])).toMatchObject({ verdict: 'fit', reasons: [] });
    expect(judgeSession({ ...none, rounds: [] }, [], [])).toMatchObject({
      verdict: 'unfit',
      reasons: [{ kind: 'no-rounds' }],
    });
  });

  test('the smallest effect is that whose interval would just exclude 0', () => {
    const effect = ({ variant }: { variant: string }): number => (variant === 'b' ? 0.3 : 0);
    const summary = summarize(fixtureJournal({ ...small, effect }));
    const { interval, verdict } = comparison(summary, 'requests_per_s');
    const [low, high] = (interval ?? []).map((end) => Math.log1p(end / 100));
    expect(verdict).toBe('higher');
    expect(Math.log1p((summary.session.minimumDetectablePercent ?? 0) / 100)).toBeCloseTo(
      ((high ?? 0) - (low ?? 0)) / 2,
      5,
    );
  });

  test('where the control differs from itself, intervals are wider, more rounds settle nothing, and a note says so', () => {
    const apart = ({ repeat }: { repeat: boolean }): number => (repeat ? 0.2 : 0);
    const usual = summarize(fixtureJournal({ ...small }));
    const summary = summarize(fixtureJournal({ ...small, effect: apart }));
    expect(summary.session).toMatchObject({ verdict: 'fit', reasons: [] });
    expect(summary.repeats.find(({ metric }) => metric === 'requests_per_s')?.verdict).toBe('higher');
    const { verdict, interval, notes } = comparison(summary, 'requests_per_s');
    expect(verdict).toBe('noise');
    expect(widthOf(interval)).toBeGreaterThan(5 * widthOf(comparison(usual, 'requests_per_s').interval));
    expect(notes).toMatchObject([{ kind: 'rounds-needed', rounds: null }]);
    const [note] = summary.notes;
    expect(note).toMatchObject({ kind: 'stays-apart', at: [{ load: { connections: 25 } }] });
    // Of 2xx/s alone: work per request is as it was.
    expect(comparison(summary, 'xact_commit_per_request')).toEqual(comparison(usual, 'xact_commit_per_request'));
  });

  test('an A/A row that differs is no note where it makes no interval wider', () => {
    const noteOf = (seed: number, size: number): unknown => {
      const apart: FixtureOptions['effect'] = ({ repeat, connections }) => (repeat && connections === 1 ? size : 0);
      const summary = summarize(fixtureJournal({ ...small, connections: [1, 25], rounds: 6, seed, effect: apart }));
      const row = summary.repeats.find(({ metric }) => metric === 'requests_per_s');
      return [row?.verdict, ...summary.notes];
    };
    // Both load levels together show next to nothing that stays.
    expect(noteOf(11, 0.01)).toEqual(['higher']);
    const [low, high] = [expect.any(Number), expect.any(Number)];
    const at = [{ load: { connections: 1 }, interval: [low, high] }];
    expect(noteOf(11, 0.1)).toMatchObject(['higher', { kind: 'stays-apart', at }]);
  });

  test('a load level with too many discarded slices is unfit, and the others keep their verdicts', () => {
    const voided: FixtureOptions['voided'] = ({ connections }) => (connections === 25 ? ['failed requests'] : []);
    const effect: FixtureOptions['effect'] = ({ variant }) => (variant === 'b' ? 0.5 : 0);
    const summary = summarize(fixtureJournal({ ...small, connections: [1, 25], voided, effect }));
    expect(summary.session.verdict).toBe('fit');
    expect(summary.session.reasons).toMatchObject([{ kind: 'too-many-void', load: { connections: 25 } }]);
    const ofRate = summary.comparisons.filter(({ metric }) => metric === 'requests_per_s');
    expect(ofRate.map(({ verdict }) => verdict)).toEqual(['higher', 'unfit']);
    expect(summary.recommendation.map(({ state }) => state)).toEqual(['decided', 'none']);
    expect(summary.recommended.variant).toBeNull();
  });

  test('is unfit where all load levels are', () => {
    const summary = summarize(fixtureJournal({ ...small, ...unfitOptions }));
    expect(summary.session.verdict).toBe('unfit');
    expect(summary.session.reasons).toMatchObject([{ kind: 'too-many-void', byReason: { 'failed requests': 24 } }]);
    expect(summary.comparisons.every(({ verdict }) => verdict === 'unfit')).toBe(true);
    expect(comparison(summary, 'requests_per_s').notes).toContainEqual({ kind: 'unfit' });
  });

  test('says of slices that were discarded for failed requests how many these were, and with which status', () => {
    const failedWith = (statuses: (requests: number) => Readonly<Record<string, number>>, options = unfitOptions) => {
      const failures: FixtureOptions['failures'] = (_, requests) => ({ statuses: statuses(requests), errors: 2 });
      const [reason] = summarize(fixtureJournal({ ...small, ...options, failures })).session.reasons;
      return reason?.kind === 'too-many-void' ? reason.failed : null;
    };
    const counts = { failed: expect.any(Number), requests: expect.any(Number) };
    const limited = failedWith((requests) => ({ 429: Math.round(0.8 * requests), 503: 1 }));
    expect(limited).toEqual({ ...counts, mostly: '429' });
    expect(Number(limited?.failed) / Number(limited?.requests)).toBeCloseTo(0.8, 1);
    expect(failedWith(() => ({ 500: 10, 503: 10 }))).toEqual(counts);
    expect(failedWith(() => ({}))).toEqual({ ...counts, mostly: 'errors' });
    expect(failedWith(() => ({ 429: 9 }), { voided: () => ['littles law'] })).toBeUndefined();
  });

  test('under 2 rounds it knows neither, under 4 no smallest effect', () => {
    const at = (rounds: number): Summary['session'] => summarize(fixtureJournal({ ...small, rounds })).session;
    expect(at(1)).toMatchObject({ noiseFloorPercent: null, minimumDetectablePercent: null });
    const threeLevels = summarize(fixtureJournal({ rounds: 1 })).session;
    expect(threeLevels).toMatchObject({ noiseFloorPercent: null, minimumDetectablePercent: null });
    expect(at(3).noiseFloorPercent).not.toBeNull();
    expect(at(3).minimumDetectablePercent).toBeNull();
    expect(at(4).minimumDetectablePercent).not.toBeNull();
  });
});

describe('failures', () => {
  test('clearly more of them are marked on the load metrics', () => {
    const failures: FixtureOptions['failures'] = ({ variant }, requests) =>
      variant === 'b' ? { statuses: { 500: Math.round(requests / 50) }, timeouts: 3, errors: 1 } : {};
    const summary = summarize(fixtureJournal({ ...small, failures }));
    const { notes } = comparison(summary, 'requests_per_s');
    // Of what counts, and of the fifth of each slice that does not.
    expect(notes).toMatchObject([
      { kind: 'more-failures', failed: expect.any(Number), controlFailed: 0 },
      { kind: 'more-uncounted-failures', failed: expect.any(Number), controlFailed: 0 },
    ]);
    expect(comparison(summary, 'xact_commit_per_s').notes).toEqual([]);
    const row = summary.averages.find(({ variant }) => variant === 'b');
    expect(row).toMatchObject({ errors: 8, timeouts: 24, notes });
    expect(summary.averages.filter(({ notes }) => notes.length > 0)).toHaveLength(1);
  });

  test('of the control they are marked against all others, and it is not recommended', () => {
    const failures: FixtureOptions['failures'] = ({ variant }, requests) =>
      variant === 'a' ? { statuses: { 500: Math.round(requests / 50) }, timeouts: 0, errors: 0 } : {};
    const summary = summarize(fixtureJournal({ ...small, failures }));
    const control = summary.averages.filter(({ variant }) => variant === 'a');
    expect(control.map(({ notes }) => notes.map(({ kind }) => kind))).toEqual([
      ['control-fails-more', 'control-fails-more-uncounted'],
      ['control-fails-more', 'control-fails-more-uncounted'],
    ]);
    expect(control[0]?.notes[0]).toMatchObject({ failed: expect.any(Number), othersFailed: 0 });
    expect(comparison(summary, 'requests_per_s').notes).toEqual([]);
    expect(summary.recommendation.map(({ keep }) => keep)).not.toContain('a');
  });

  test('outside what is counted they are marked, and stand in the averages, though every counted request went well', () => {
    const journal = fixtureJournal(small);
    const records = journal.records.flatMap((record): JournalRecord[] => {
      if (record.type !== 'slice' || record.variant !== 'b') return [record];
      const { whole, round, arm, load } = record;
      const failing = { ...whole, statuses: { ...whole.statuses, 500: 40 }, timeouts: 2 };
      const warmUp = { statuses: { 200: 90, 503: 10 }, errors: 3, timeouts: 0 };
      const purpose = { purpose: 'warm-up', durationMs: 500 } as const;
      return [
        { ...record, whole: failing },
        { type: 'uncounted', round, arm, load, ...purpose, outcomes: warmUp, ok: 90 },
      ];
    });
    const summary = summarize({ ...journal, records });
    const rounds = 8;
    const row = summary.averages.find(({ variant }) => variant === 'b');
    expect(row).toMatchObject({ not_ok: 0, errors: 0, timeouts: 0 });
    expect(row?.uncounted).toMatchObject({
      failed: rounds * (40 + 2 + 10 + 3),
      statuses: { 500: rounds * 40, 503: rounds * 10 },
      errors: rounds * 3,
      timeouts: rounds * 2,
    });
    expect(row?.notes).toMatchObject([
      { kind: 'more-uncounted-failures', failed: rounds * 55, requests: row?.uncounted.requests, controlFailed: 0 },
    ]);
    expect(summary.averages.filter(({ variant }) => variant === 'a').map(({ uncounted }) => uncounted.failed)).toEqual([
      0, 0,
    ]);
    expect(comparison(summary, 'requests_per_s').notes).toEqual(row?.notes);
  });

  test('services that were killed are named', () => {
    const journal = fixtureJournal(small);
    const killed = [1, 2].map((round) => ({ type: 'killed', round, arm: 'b', variant: 'b', afterMs: 5000 }) as const);
    const { notes } = summarize({ ...journal, records: [...killed, ...journal.records] });
    expect(notes).toContainEqual({ kind: 'killed-services', variants: { b: 2 } });
  });

  test.each([
    ['as many as the control has', (): number => 40],
    [
      'one in a whole run',
      ({ variant, round }: { variant: string; round: number }): number => (variant === 'b' && round === 1 ? 1 : 0),
    ],
  ])('%s are not', (_, count) => {
    const summary = summarize(fixtureJournal({ ...small, failures: (cell) => ({ statuses: { 500: count(cell) } }) }));
    expect(summary.averages.every(({ notes }) => notes.length === 0)).toBe(true);
  });

  test('of one of its arms mark the control, and those of both are what a variant is held against', () => {
    const failures: FixtureOptions['failures'] = ({ repeat }) => (repeat ? { statuses: { 500: 100 } } : {});
    const summary = summarize(fixtureJournal({ ...small, failures }));
    expect(summary.averages.map(({ variant, notes }) => [variant, notes.map(({ kind }) => kind)])).toEqual([
      ['a', ['control-fails-more', 'control-fails-more-uncounted']],
      ['a', ['control-fails-more', 'control-fails-more-uncounted']],
      ['b', []],
    ]);
  });

  test('other 2xx are no failures, and stay apart', () => {
    const summary = summarize(fixtureJournal({ ...small, failures: () => ({ statuses: { 201: 25 } }) }));
    expect(summary.averages[0]).toMatchObject({ not_ok: 0, notes: [], outcomes: { 201: 200 } });
    expect(summary.averages[0]?.ok).toBe((summary.averages[0]?.outcomes[200] ?? 0) + 200);
  });
});

describe('what was not measured', () => {
  test('without counters the database metrics are null', () => {
    const summary = summarize(fixtureJournal({ ...small, perRequest: () => null }));
    expect(comparison(summary, 'blks_hit_per_s')).toMatchObject({
      control: null,
      value: null,
      deltaPercent: null,
      rounds: 0,
    });
    expect(summary.averages[0]?.metrics.blks_hit_per_s).toBeNull();
  });

  test('a round without counters is left out of those metrics alone', () => {
    const perRequest = ({ variant, round }: { variant: string; round: number }) =>
      variant === 'b' && round === 3 ? null : { xact_commit: 1 };
    const summary = summarize(fixtureJournal({ ...small, perRequest }));
    expect(comparison(summary, 'xact_commit_per_s').rounds).toBe(7);
    expect(comparison(summary, 'requests_per_s').rounds).toBe(8);
  });

  test('an unfinished round changes nothing but a note', () => {
    const done = summarize(fixtureJournal(small));
    const more = summarize(fixtureJournal({ ...small, unfinishedSlices: 2 }));
    expect(more.comparisons).toEqual(done.comparisons);
    expect(more.averages).toEqual(done.averages);
    expect(more.notes).toEqual([{ kind: 'unfinished-round', slices: 2 }]);
  });

  test('what short rounds cost is a note of the report', () => {
    const { run, ...journal } = fixtureJournal(small);
    const shortRounds = {
      rounds: 5,
      turns: 2,
      usualTurns: 6,
      warmupMs: 2500,
      usualWarmupMs: 5000,
      roomyBudgetMs: 1_000_000,
    };
    const { notes } = summarize({ ...journal, run: { ...run, shortRounds } });
    expect(notes).toEqual([{ kind: 'short-rounds', ...shortRounds }]);
    expect(warningWords({ kind: 'short-rounds', ...shortRounds })).toMatch(
      /\. --budget 17m has room for full rounds\.$/,
    );
  });

  test('of users who keep their sessions, failures with 401 are told, discarded slices included', () => {
    const journal = fixtureJournal({
      ...small,
      failures: ({ variant }, requests) => ({
        statuses: variant === 'b' ? { 401: Math.round(requests / 3), 500: 3 } : { 401: 1, 500: 1 },
      }),
    });
    const notesOf = (more: Partial<ScriptSpec>) => {
      const { load, ...scenario } = journal.run.scenario;
      const workload: ScriptSpec = { kind: 'script', parts: [], ...more };
      const run = { ...journal.run, scenario: { ...scenario, load: { ...load, workload } } };
      return summarize({ ...journal, run }).notes.filter(({ kind }) => kind === 'expired-sessions');
    };
    expect(notesOf({})).toEqual([{ kind: 'expired-sessions', variants: ['b'] }]);
    expect(notesOf({ sessions: 'new' })).toEqual([]);
  });

  test('of a round that was begun again only the second attempt counts', () => {
    const whole = fixtureJournal(small);
    const first = fixtureJournal({ ...small, rounds: 0, unfinishedSlices: 2, seed: 9, end: null }).records;
    const resume: JournalRecord = { type: 'resume', at: '2026-01-31T11:00:00.000Z', provenance: fixtureProvenance };
    const resumed = summarize({ ...whole, records: [...first, resume, ...whole.records] });
    expect(resumed.comparisons).toEqual(summarize(whole).comparisons);
    expect(resumed.averages).toEqual(summarize(whole).averages);
    expect(resumed.notes).toEqual([{ kind: 'unfinished-round', slices: 2 }]);
  });

  test('a run that goes on elsewhere says what changed, and is not complete until it ends again', () => {
    const whole = fixtureJournal(small);
    const provenance = { ...fixtureProvenance, nodeVersion: '24.1.0', variantCommits: { head: '070d3df' } };
    const resume: JournalRecord = { type: 'resume', at: '2026-01-31T11:00:00.000Z', provenance };
    const summary = summarize({ ...whole, records: [...whole.records, resume], warnings: ['odd'] });
    const changes = [
      { name: 'nodeVersion', before: '20.20.2', after: '24.1.0' },
      { name: 'variantCommits.head', before: null, after: '070d3df' },
    ];
    expect(summary.notes).toEqual([
      { kind: 'journal', text: 'odd' },
      { kind: 'resumed-elsewhere', changes },
    ]);
    expect(summary.run.complete).toBe(false);
  });
});
