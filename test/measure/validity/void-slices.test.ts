import { describe, expect, it } from 'vitest';
import { loadSize } from '../../../src/journal/load-level.ts';
import type { JournalRecord, SliceRecord, VoidReason } from '../../../src/journal/records.ts';
import type { Note } from '../../../src/judge/notes.ts';
import { aggregateRun } from '../../../src/judge/read/aggregate-run.ts';
import type { CellSample } from '../../../src/judge/read/cells/cell-sample.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { probeAverages } from '../../../src/judge/verdicts/compare-probes.ts';
import { cellsOf } from '../../../src/judge/verdicts/contrasts.ts';
import { documentOf } from '../../../src/report/document.ts';
import { renderMarkdown } from '../../../src/report/formats/markdown.ts';
import { type FixtureCell, type FixtureJournal, fixtureJournal } from '../../judge/journal-fixture.ts';
import { comparison, small } from '../../judge/small-run.ts';

type SliceOf = (slice: SliceRecord) => boolean;

/** Changes a journal's slices; a slice may become several attempts. */
function withSlices(journal: FixtureJournal, change: (slice: SliceRecord) => JournalRecord[]): FixtureJournal {
  return { ...journal, records: journal.records.flatMap((one) => (one.type === 'slice' ? change(one) : [one])) };
}

function voiding(
  which: SliceOf,
  voided: readonly VoidReason[] = ['failed requests'],
  journal = fixtureJournal(small),
): FixtureJournal {
  return withSlices(journal, (slice) => [which(slice) ? { ...slice, voided } : slice]);
}

const headline = (journal: FixtureJournal) => comparison(summarize(journal), 'requests_per_s');

describe('a void slice', () => {
  it('is left out: its round has no value for its cell, and the others keep theirs', () => {
    const journal = voiding(({ variant, round }) => variant === 'b' && round === 3);
    expect(headline(journal).rounds).toBe(7);
    const { averages, session } = summarize(journal);
    expect(averages.map(({ rounds }) => rounds)).toEqual([8, 8, 7]);
    expect(averages.map(({ voided }) => voided)).toEqual([{}, {}, { 'failed requests': 1 }]);
    expect(session.verdict).toBe('fit');
  });

  it('is not one for being far away', () => {
    const effect = ({ variant, round }: { variant: string; round: number }): number =>
      variant === 'b' && round === 5 ? 3 : 0;
    expect(aggregateRun(fixtureJournal({ ...small, effect })).voids.voided).toBe(0);
  });

  it('of an arm that has no other leaves the row, with its reasons and without numbers', () => {
    const journal = voiding(
      ({ variant, load }) => variant === 'pool=50' && loadSize(load) === 50,
      ['connections'],
      fixtureJournal(),
    );
    const summary = summarize(journal);
    expect(summary.session.verdict).toBe('fit');
    const row = summary.averages.find(({ variant, load }) => variant === 'pool=50' && loadSize(load) === 50);
    expect(row).toMatchObject({ rounds: 0, ok: 0, voided: { connections: 8 }, metrics: { requests_per_s: null } });
  });
});

describe('void slices', () => {
  const probes = ({ variant, round }: FixtureCell) => ({
    processes: { service_cpu_cores: variant === 'b' ? round : 1 },
    'wait-events': { busy_connections_mean: round },
  });
  const probeRows = ({ round }: FixtureCell) => ({ 'wait-events': [{ event: 'CPU', share: round / 16 }] });
  const counted = fixtureJournal({ ...small, slicesPerRound: 3, probes, probeRows });
  const isVoid: SliceOf = ({ variant, round, slice }) => (variant === 'b' && round === 3) || slice === 4;

  const told = (samples: ReadonlyMap<number, CellSample>) =>
    [...samples].map(([round, { probe, ...sample }]) => [round, sample, probe('service_cpu_cores')]);

  /** The sum behind the mean is added up in another order. */
  const comparable = (sample: CellSample | null) => ({
    ...sample,
    probe: null,
    latency: { ...sample?.latency, meanUs: sample?.latency?.meanUs.toFixed(6) },
  });

  it('can be had with the others from one reading, as if they counted', () => {
    const without = aggregateRun(voiding(isVoid, ['connections'], counted));
    const all = without.withVoidSlices();
    const kept = aggregateRun(counted);
    for (const cell of cellsOf(kept)) {
      expect(told(all.samples(cell))).toEqual(told(kept.samples(cell)));
      expect(comparable(all.merged([cell]))).toEqual(comparable(kept.merged([cell])));
      expect(all.detail([cell])).toEqual(kept.detail([cell]));
      expect(all.detail([cell]).slices).toBe(24);
      expect(probeAverages(all, cell)).toEqual(probeAverages(kept, cell));
    }
    const ofB = { variant: 'b', load: { connections: 25 }, repeat: false };
    expect([without.samples(ofB).size, all.samples(ofB).size]).toEqual([7, 8]);
    expect(all.voids).toEqual(without.voids);
    expect(all.withVoidSlices().samples(ofB).size).toBe(8);
  });
});

describe('a session', () => {
  it('with more than a fifth of its slices void is unfit: reasons first, by frequency, no verdict, numbers kept', () => {
    const some = voiding(({ round }) => round <= 3);
    const journal = withSlices(some, (slice) => [
      slice.round === 1 ? { ...slice, voided: ['littles law', 'failed requests'] } : slice,
    ]);
    const summary = summarize(journal);
    expect(summary.session.verdict).toBe('unfit');
    expect(summary.session.reasons[0]).toEqual({
      kind: 'too-many-void',
      voided: 9,
      slices: 24,
      byReason: { 'failed requests': 9, 'littles law': 3 },
    });
    expect(summary.comparisons.every(({ verdict }) => verdict === 'unfit')).toBe(true);
    expect(summary.comparisons.every(({ notes }) => notes.at(-1)?.kind === 'unfit')).toBe(true);
    expect(summary.averages.map(({ rounds }) => rounds)).toEqual([8, 8, 8]);
    expect(comparison(summary, 'requests_per_s')).toMatchObject({ rounds: 8, deltaPercent: expect.any(Number) });
  });

  it('all of whose slices are void still prints its averages', () => {
    const summary = summarize(voiding(() => true));
    expect(summary.session.reasons[0]).toMatchObject({ voided: 24, byReason: { 'failed requests': 24 } });
    expect(summary.averages.every(({ metrics }) => Number(metrics.requests_per_s) > 0)).toBe(true);
  });

  it('says once, before the first number, that these include void slices; a fit one does not', () => {
    const said = 'Averages and changes include the discarded slices';
    const text = renderMarkdown(documentOf(summarize(voiding(({ round }) => round <= 3))));
    expect(text.split(said)).toHaveLength(2);
    expect(text.indexOf(said)).toBeLessThan(text.indexOf('|'));
    expect(renderMarkdown(documentOf(summarize(voiding(({ round }) => round === 1))))).not.toContain(said);
  });

  it('with a fifth is fit', () => {
    // 4 of 24 slices.
    expect(summarize(voiding(({ round, variant }) => round <= 4 && variant === 'b')).session.verdict).toBe('fit');
  });
});

describe('a service that closes its connections', () => {
  const closing = (which: SliceOf, share: number): readonly Note[] =>
    summarize(
      withSlices(fixtureJournal(small), (slice) => {
        const closingAnswers = which(slice) ? Math.round(share * (slice.whole.statuses[200] ?? 0)) : 0;
        return [{ ...slice, connections: { opened: 25, reopened: 0, closingAnswers } }];
      }),
    ).notes;

  it('after each answer is said, by variant where not all do', () => {
    const kind = 'closing-services';
    expect(closing(() => true, 1)).toEqual([{ kind, variants: ['a', 'b'], all: true }]);
    expect(closing(({ variant }) => variant === 'b', 0.99)).toEqual([{ kind, variants: ['b'], all: false }]);
  });

  it('now and then is not', () => {
    expect(closing(() => true, 0.04)).toEqual([]);
  });
});

describe('transactions', () => {
  /** A journal whose scenario says how many transactions a request is, and whose variant b makes as many as told. */
  function transactions(declared: number | null, perRequest: number): FixtureJournal {
    const journal = fixtureJournal({
      ...small,
      requestsPerSecond: 500,
      perRequest: ({ variant }) => ({ xact_commit: variant === 'b' ? perRequest : 1 }),
    });
    const load = { ...journal.run.scenario.load, ...(declared !== null && { transactionsPerRequest: declared }) };
    // The fixture's counters are of the whole slice, its answers of the window.
    const whole = withSlices(journal, (slice) => {
      const ok = Math.round(((slice.outcomes.statuses[200] ?? 0) * slice.loadMs) / slice.windowMs);
      return [{ ...slice, whole: { statuses: { 200: ok }, errors: 0, timeouts: 0 } }];
    });
    return { ...whole, run: { ...journal.run, scenario: { ...journal.run.scenario, load } } };
  }
  const voided = (journal: FixtureJournal): readonly unknown[] => summarize(journal).averages.map((row) => row.voided);

  it('that match the answers are fine, a few retries and health checks included', () => {
    expect(voided(transactions(1, 1))).toEqual([{}, {}, {}]);
    expect(voided(transactions(1, 1.015))).toEqual([{}, {}, {}]);
  });

  it.each([0.5, 1.5])('of %d a request void the slice', (perRequest) => {
    expect(voided(transactions(1, perRequest))).toEqual([{}, {}, { transactions: 8 }]);
  });

  it('that nobody declared are not judged', () => {
    expect(voided(transactions(null, 3))).toEqual([{}, {}, {}]);
  });
});
