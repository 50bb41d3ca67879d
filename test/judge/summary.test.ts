import { describe, expect, test } from 'vitest';
import type { JournalRecord, SliceRecord } from '../../src/journal/records.ts';
import { summarize } from '../../src/judge/summary.ts';
import { mergeLatencies } from '../fixtures/merge-latencies.ts';
import { type FixtureJournal, fixtureJournal } from './journal-fixture.ts';
import { comparison, small } from './small-run.ts';

function changed(journal: FixtureJournal, change: (record: JournalRecord) => JournalRecord | null): FixtureJournal {
  return { ...journal, records: journal.records.flatMap((record) => change(record) ?? []) };
}

function slices(journal: FixtureJournal, variant: string): SliceRecord[] {
  return journal.records.filter(
    (record): record is SliceRecord => record.type === 'slice' && record.variant === variant,
  );
}

describe('a summary', () => {
  test('has every variant x load x metric once, and finds the planted effect', () => {
    const summary = summarize(fixtureJournal({ effect: ({ variant }) => (variant === 'pool=50' ? -0.1 : 0) }));
    expect(summary.comparisons).toHaveLength(3 * 3 * (16 + 16));
    expect(summary.averages).toHaveLength(5 * 3);
    expect(new Set(summary.comparisons.map((one) => JSON.stringify([one.variant, one.load, one.metric]))).size).toBe(
      3 * 3 * (16 + 16),
    );
    expect(summary.comparisons.every(({ variant }) => variant !== 'pool=10')).toBe(true);
    const slow = comparison(summary, 'requests_per_s', 'pool=50');
    expect(slow).toMatchObject({ verdict: 'lower', unit: '1/s', rounds: 8, notes: [] });
    expect(slow.deltaPercent).toBeGreaterThan(-13);
    expect(slow.deltaPercent).toBeLessThan(-6.5);
    expect(comparison(summary, 'latency_mean_ms', 'pool=50').verdict).toBe('higher');
    expect(comparison(summary, 'xact_commit_per_s', 'pool=50').verdict).toBe('lower');
  });

  test('is the same for the same journal, and holds nothing that JSON cannot', () => {
    const summary = summarize(fixtureJournal(small));
    expect(summarize(fixtureJournal(small))).toEqual(summary);
    expect(JSON.parse(JSON.stringify(summary))).toEqual(summary);
  });

  test('describes the run', () => {
    expect(summarize(fixtureJournal({ ...small, end: 'verdicts' })).run).toMatchObject({
      scenario: 'pool-size',
      control: 'a',
      variants: ['a', 'b'],
      loads: [{ connections: 25 }],
      seed: 647,
      quick: false,
      rounds: 8,
      complete: true,
      stopReason: 'verdicts',
    });
    expect(summarize(fixtureJournal({ ...small, end: null })).run).toMatchObject({ complete: false, stopReason: null });
  });

  test('a quick run has deltas and no verdict', () => {
    const summary = summarize(fixtureJournal({ ...small, rounds: 1, quick: true, end: 'quick' }));
    expect(summary.comparisons.every(({ verdict, interval }) => verdict === 'noise' && interval === null)).toBe(true);
    expect(comparison(summary, 'requests_per_s').notes).toEqual([{ kind: 'quick' }]);
    expect(comparison(summary, 'requests_per_s').deltaPercent).not.toBeNull();
    expect(summary.session).toMatchObject({
      verdict: 'fit',
      reasons: [],
      noiseFloorPercent: null,
      minimumDetectablePercent: null,
      open: null,
    });
  });

  test('no complete round is an unfit session, not a crash', () => {
    const summary = summarize(fixtureJournal({ ...small, rounds: 0, unfinishedSlices: 2, end: null }));
    expect(summary.session).toMatchObject({ verdict: 'unfit', reasons: [{ kind: 'no-rounds' }] });
    expect(summary.averages).toEqual([]);
  });
});

describe('averages', () => {
  test('are of the window, 2xx only, over both slices of a round', () => {
    const journal = fixtureJournal({
      ...small,
      rounds: 4,
      slicesPerRound: 2,
      failures: () => ({ statuses: { 503: 100 } }),
    });
    const [first] = summarize(journal).averages;
    const perRound = [1, 2, 3, 4].map((round) => {
      const mine = slices(journal, 'a').filter((slice) => slice.round === round && !slice.repeat);
      expect(mine).toHaveLength(2);
      return mine.reduce((sum, slice) => sum + (slice.outcomes.statuses[200] ?? 0), 0) / 8;
    });
    expect(first?.metrics.requests_per_s).toBeCloseTo(perRound.reduce((sum, rate) => sum + rate, 0) / 4, 2);
    expect(first).toMatchObject({ not_ok: 800, outcomes: { 503: 800 }, rounds: 4, repeat: false });
  });

  test('of counters are per second of load, not of the window', () => {
    const journal = fixtureJournal({
      ...small,
      rounds: 4,
      noise: 0,
      slicesPerRound: 2,
      perRequest: () => ({ xact_commit: 2 }),
    });
    const [average] = summarize(journal).averages;
    expect(average?.metrics.requests_per_s).toBe(480);
    expect(average?.metrics.xact_commit_per_s).toBe(960);
    expect(average?.metrics.tup_deleted_per_s).toBe(0);
  });

  test('of percentiles come from the merged histograms of all rounds', () => {
    const journal = fixtureJournal({ ...small, rounds: 4, effect: ({ round }) => (round === 1 ? -1 : 0) });
    const merged = mergeLatencies(slices(journal, 'b').map((slice) => slice.latency));
    const average = summarize(journal).averages.find(({ variant }) => variant === 'b');
    expect(average?.metrics.latency_p95_ms).toBeCloseTo(merged.p95Us / 1000, 2);
    expect(average?.metrics.latency_p50_ms).toBeCloseTo(merged.p50Us / 1000, 2);
  });
});

describe('too few samples', () => {
  test('a percentile needs ten beyond it in all rounds of an arm together', () => {
    const summary = summarize(fixtureJournal({ ...small, rounds: 4 }));
    expect(comparison(summary, 'latency_p99_9_ms')).toMatchObject({ deltaPercent: null, verdict: 'noise' });
    const [note] = comparison(summary, 'latency_p99_9_ms').notes;
    expect(note).toMatchObject({ kind: 'few-samples', needed: 10_000 });
    // About 1,000 to 2,000 in each of four rounds.
    expect(note?.kind === 'few-samples' && Math.floor(note.samples / 4000)).toBe(1);
    expect(comparison(summary, 'latency_p95_ms').deltaPercent).not.toBeNull();
    expect(comparison(summary, 'latency_p99_ms').interval).not.toBeNull();
    const tiny = summarize(fixtureJournal({ ...small, connections: [1], rounds: 4, requestsPerSecond: 4 }));
    expect(comparison(tiny, 'latency_p95_ms').notes).toMatchObject([{ kind: 'few-samples', needed: 200 }]);
    expect(comparison(tiny, 'latency_mean_ms').deltaPercent).not.toBeNull();
  });
});

describe('the control', () => {
  test('is both its arms: the geometric mean in the delta, the arithmetic in the value', () => {
    const effect = ({ variant, repeat }: { variant: string; repeat: boolean }): number =>
      variant === 'b' ? Math.log(3) : repeat ? Math.log(4) : 0;
    const summary = summarize(fixtureJournal({ ...small, rounds: 4, noise: 0, effect }));
    const requests = comparison(summary, 'requests_per_s');
    expect(requests.deltaPercent).toBeCloseTo(50, 1);
    expect(requests.control).toBeCloseTo((480 + 4 * 480) / 2, 1);
    expect(requests.value).toBe(1440);
  });

  test('is its other arm where one is missing', () => {
    const effect = ({ repeat }: { repeat: boolean }): number => (repeat ? 0.2 : 0);
    const full = fixtureJournal({ ...small, rounds: 4, noise: 0, effect });
    const half = changed(full, (record) => (record.type === 'slice' && record.repeat ? null : record));
    expect(comparison(summarize(half), 'requests_per_s')).toMatchObject({ deltaPercent: 0, rounds: 4 });
    expect(summarize(half).repeats).toEqual([]);
    expect(comparison(summarize(full), 'requests_per_s').deltaPercent).toBeLessThan(-9);
    const once = changed(full, (record) =>
      record.type === 'slice' && record.repeat && record.round === 2 ? null : record,
    );
    expect(comparison(summarize(once), 'requests_per_s').rounds).toBe(4);
  });
});
