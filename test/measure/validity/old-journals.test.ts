import { describe, expect, it } from 'vitest';
import type { JournalRecord, SliceRecord } from '../../../src/journal/records.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { type FixtureJournal, fixtureJournal, unknownConditions } from '../../judge/journal-fixture.ts';
import { comparison, small } from '../../judge/small-run.ts';

const old = fixtureJournal({ ...small, old: true });

/** What version 0.1 called a reason is no longer in the type. */
type OldReasons = NonNullable<SliceRecord['voided']>;
const reasons = (...names: string[]): OldReasons => names as unknown as OldReasons;

function changed(change: (slice: SliceRecord) => readonly JournalRecord[], journal = old): FixtureJournal {
  return { ...journal, records: journal.records.flatMap((one) => (one.type === 'slice' ? change(one) : [one])) };
}

const ofOutside = ['cpu steal', 'foreign cpu', 'memory pressure', 'io pressure', 'checkpoint', 'autovacuum'];

describe('a journal of version 0.1', () => {
  it.each([...ofOutside, 'retransmits'])('whose slices are all void for %s is fit, and has its verdicts', (reason) => {
    const summary = summarize(changed((slice) => [{ ...slice, voided: reasons(reason) }]));
    expect(summary.session).toMatchObject({ verdict: 'fit', reasons: [] });
    expect(summary.averages.map(({ voided }) => voided)).toEqual([{}, {}, {}]);
    expect(comparison(summary, 'requests_per_s')).toEqual(comparison(summarize(old), 'requests_per_s'));
  });

  it('keeps the reasons that make a number itself wrong', () => {
    const voided = reasons('cpu steal', 'littles law');
    const summary = summarize(changed((slice) => [slice.round === 1 ? { ...slice, voided } : slice]));
    expect(summary.averages.map((row) => row.voided)).toEqual([
      { 'littles law': 1 },
      { 'littles law': 1 },
      { 'littles law': 1 },
    ]);
    expect(comparison(summary, 'requests_per_s').rounds).toBe(7);
  });

  it('calls a full listen queue by its own name, and keeps retransmits on a real network', () => {
    const queue = changed((slice) => [
      {
        ...slice,
        voided: reasons('retransmits'),
        conditions: { ...unknownConditions, listenOverflows: slice.round === 2 ? 3 : 0 },
      },
    ]);
    expect(summarize(queue).averages[0]?.voided).toEqual({ 'listen overflow': 1 });
    const at = (url: string): Summary => {
      const journal = changed((slice) => [slice.round === 2 ? { ...slice, voided: reasons('retransmits') } : slice]);
      const scenario = { ...journal.run.scenario, target: { kind: 'url', url } as const };
      return summarize({ ...journal, run: { ...journal.run, scenario } });
    };
    expect(at('http://staging.example:8080').averages[0]?.voided).toEqual({ retransmits: 1 });
    expect(at('http://127.0.0.1:8080').averages[0]?.voided).toEqual({});
  });

  it.each([
    { attempts: ['cpu steal', 'failed requests', null], ok: 1100 },
    { attempts: ['cpu steal', 'cpu steal', 'failed requests'], ok: 1000 },
  ])(
    'that measured a place again counts the last valid attempt, and does not add them up: $attempts',
    ({ attempts, ok }) => {
      const again = changed((slice) =>
        slice.variant === 'b' && slice.round === 2
          ? attempts.map((reason, attempt) => ({
              ...slice,
              attempt,
              voided: reason === null ? [] : reasons(reason),
              outcomes: { ...slice.outcomes, statuses: { 200: 900 + 100 * attempt } },
            }))
          : [slice],
      );
      const row = summarize(again).averages.find(({ variant }) => variant === 'b');
      const usual = summarize(old).averages.find(({ variant }) => variant === 'b');
      const replaced = old.records.find(
        (one): one is SliceRecord => one.type === 'slice' && one.variant === 'b' && one.round === 2,
      );
      expect(row?.voided).toEqual({ 'failed requests': 1 });
      expect(row?.ok).toBe((usual?.ok ?? 0) - (replaced?.outcomes.statuses[200] ?? 0) + ok);
    },
  );

  it('tells how disturbed it was by the conditions of its slices', () => {
    const summary = summarize(
      changed((slice) => [
        {
          ...slice,
          conditions: {
            ...unknownConditions,
            stealShare: slice.round === 3 ? 0.25 : 0.03,
            checkpoints: 0,
            autovacuums: 1,
          },
        },
      ]),
    );
    expect(summary.session.disturbance).toMatchObject({
      stealPercent: { mean: 5.75, most: 25 },
      foreignCpuPercent: null,
      checkpoints: 0,
      autovacuums: 24,
    });
    expect(summary.passes).toEqual([]);
  });

  it('says itself whose rate had not become flat', () => {
    const warmups = [1, 2].map(
      (round): JournalRecord => ({
        type: 'warmup',
        round,
        arm: 'b',
        load: { connections: 25 },
        durationMs: 5000,
        outcomes: {},
        perSecond: [],
        steady: round !== 1,
      }),
    );
    const { averages } = summarize({ ...old, records: [...warmups, ...old.records] });
    expect(averages.map(({ notSteady }) => notSteady)).toEqual([0, 0, 1]);
  });
});
