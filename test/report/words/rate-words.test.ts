import { describe, expect, it } from 'vitest';
import type { SliceRecord } from '../../../src/journal/records.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { abSummary } from '../../../src/report/classic/ab-text.ts';
import { tablesOf } from '../../../src/report/tables/tables.ts';
import { headlineOf } from '../../../src/report/words/headline.ts';
import { recommendationOf } from '../../../src/report/words/recommendation.ts';
import { warningWords } from '../../../src/report/words/remedies.ts';
import { atRate, bounded } from '../../judge/kinds-of-load.ts';
import { small } from '../../judge/small-run.ts';

const notesOf = (change: (slice: SliceRecord) => Partial<SliceRecord>): string => {
  const summary = summarize(atRate({ ...small, rounds: 4 }, change));
  return summary.run.loads.flatMap((load) => tablesOf(summary, load).tables.flatMap(({ notes }) => notes)).join('\n');
};
const lag = { count: 1, meanUs: 1, p50Us: 1, p95Us: 1, p99Us: 310, maxUs: 400, histogram: '' };

describe('a report of rates', () => {
  it('says that 2xx/s is no result, and how late requests were sent', () => {
    const notes = notesOf(() => ({ sendLag: lag }));
    expect(notes).toContain('As long as the service keeps up, 2xx/s is the rate of the scenario, not a result.');
    expect(notes).toContain('99 of 100 requests were sent at most 0.31 ms after they were due.');
    expect(notes).not.toContain('[!]');
  });

  it('says who falls short of the rate, and what was not sent', () => {
    const notes = (unsent: number) =>
      notesOf(({ variant, outcomes }) => {
        const ok = outcomes.statuses[200] ?? 0;
        const turns = { turnMs: 4000, ok: [ok], okByTime: [variant === 'b' ? 0.7 * ok : ok], gapMaxMs: 0 };
        return { turns, sendLag: lag, ...(variant === 'b' && { outcomes: { ...outcomes, unsent } }) };
      });
    const behind = /\[!\] Falls short of the rate: b \[!\] [\d.,]+ of [\d.,]+\/s\./;
    expect(notes(7)).toMatch(behind);
    expect(notes(7)).toMatch(/\[!\] Due but not sent, .*: b \[!\] 28 of /);
    // What is not sent stands in no queue.
    expect(notes(7)).not.toContain('queue grows');
    expect(notes(0)).toMatch(/Falls short of the rate: b [\d.,]+ of [\d.,]+\/s\. Its queue grows/);
  });

  it('does not take a queue that is longer at the end by chance for one that grows', () => {
    const notes = notesOf(({ outcomes }) => {
      const ok = outcomes.statuses[200] ?? 0;
      const turns = { turnMs: 4000, ok: [ok], okByTime: [ok], okWithin: [Math.round(0.97 * ok)], gapMaxMs: 0 };
      return { turns, sendLag: lag };
    });
    expect(notes).not.toContain('Falls short of the rate');
  });

  it('does not take failed answers for a queue', () => {
    const notes = notesOf(({ variant, outcomes, latency }) => {
      const ok = outcomes.statuses[200] ?? 0;
      const turns = { turnMs: 4000, ok: [ok], okByTime: [ok], gapMaxMs: 0 };
      const failed = variant === 'b' && { outcomes: { ...outcomes, statuses: { 200: ok, 503: Math.round(ok / 3) } } };
      return { turns, sendLag: lag, latency, ...failed };
    });
    expect(notes).not.toContain('Falls short of the rate');
  });

  it('says who does not bear the rate, and judges the others as ever', () => {
    const variants = ['a', 'b', 'c'];
    const notSustained = (who: string) =>
      summarize(
        atRate({ ...small, variants, rounds: 8, effect: ({ variant }) => (variant === 'a' ? 0 : 0.3) }, (slice) => {
          const ok = slice.outcomes.statuses[200] ?? 0;
          const unsent = slice.variant === who ? Math.round(0.7 * ok) : 0;
          return { sendLag: lag, ...(unsent > 0 && { outcomes: { ...slice.outcomes, unsent } }) };
        }),
      );
    const ofVariant = notSustained('b');
    expect(ofVariant.session.verdict).toBe('fit');
    expect(ofVariant.comparisons.find(({ variant }) => variant === 'b')?.notes).toMatchObject([
      { kind: 'not-sustained', okPerS: expect.any(Number) },
    ]);
    expect(headlineOf(ofVariant).join()).toMatch(
      /^25 requests\/s: .*\bb does not sustain it: 41 % were not sent, [\d.,]+\/s answered/,
    );
    // As in the table of averages.
    const [average] = ofVariant.averages.filter(({ variant }) => variant === 'b');
    const [note] = average?.notes.filter(({ kind }) => kind === 'not-sustained') ?? [];
    expect(note).toMatchObject({ okPerS: average?.metrics.requests_per_s });
    expect(headlineOf(ofVariant).join()).toMatch(/c has a mean latency 2\d(\.\d)? % lower/);
    expect(ofVariant.recommendation).toMatchObject([{ keep: 'c', failing: ['b'] }]);
    const ofControl = notSustained('a');
    expect(headlineOf(ofControl).join()).toMatch(/^25 requests\/s: the control, a, does not sustain it: 41 % /);
    expect(ofControl.recommendation).toMatchObject([{ keep: expect.stringMatching(/^[bc]$/), failing: ['a'] }]);
  });

  it('says nothing of the sort where the load generator was late in most slices', () => {
    const late = (voided: SliceRecord['voided']) =>
      summarize(
        atRate({ ...small, rounds: 8 }, ({ outcomes }) => ({
          sendLag: lag,
          outcomes: { ...outcomes, unsent: 1_000_000 },
          ...(voided && { voided }),
        })),
      );
    expect(headlineOf(late([])).join()).toContain('does not sustain it');
    expect(late(['send lag']).session.verdict).toBe('unfit');
    expect(headlineOf(late(['send lag'])).join()).not.toContain('does not sustain it');
  });

  it('recommends nothing where none bears the rate', () => {
    const summary = summarize(
      atRate({ ...small, question: 'best', rounds: 8 }, ({ outcomes }) => ({
        sendLag: lag,
        outcomes: { ...outcomes, unsent: 1_000_000 },
      })),
    );
    expect(summary.recommendation).toMatchObject([{ keep: null, notes: [{ kind: 'none-sustained' }] }]);
    expect(recommendationOf(summary).join()).toContain('no recommendation: no setting sustains it');
  });

  it('says that latency is the generator’s own where it was late', () => {
    const notes = notesOf(({ variant, round }) =>
      variant === 'b' && round === 1 ? { sendLag: lag, voided: ['send lag'] } : { sendLag: lag },
    );
    expect(notes).toContain('send lag: requests were sent more than 2 ms late');
  });

  it('names what helps where the load generator was late', () => {
    const note = { kind: 'too-many-void', voided: 3, slices: 6, byReason: { 'send lag': 3 } } as const;
    expect(warningWords(note)).toMatch(/^3 of 6 slices were discarded: send lag in 3\. .* Use a lower load\.rate /);
    expect(warningWords({ ...note, byReason: { connections: 3 } })).not.toContain('load.rate');
  });

  it('names what helps by the reason of void slices', () => {
    const words = (byReason: Readonly<Record<string, number>>) =>
      warningWords({ kind: 'too-many-void', voided: 3, slices: 6, byReason });
    expect(words({ connections: 3 })).toMatch(/: connections in 3\. .*The service drops connections without/);
    expect(words({ connections: 3 })).not.toContain('maxFailedRate');
    expect(words({ 'failed requests': 3, connections: 1 })).toMatch(
      /maxFailedRate .*sessions: new .* drops connections/,
    );
    const limited = { failed: { failed: 9, requests: 10, mostly: '429' }, byReason: { 'failed requests': 3 } } as const;
    expect(warningWords({ kind: 'too-many-void', voided: 3, slices: 6, ...limited })).toMatch(
      /\(9 of 10 requests, mostly 429\)\. The service refuses requests \(429, .* load\.rate\.$/,
    );
  });

  it('answers by latency, and of so many requests by time', () => {
    const slower = { ...small, effect: ({ variant }: { variant: string }) => (variant === 'b' ? -0.2 : 0) };
    expect(headlineOf(summarize(atRate(slower))).join()).toMatch(
      /^25 requests\/s: b has a mean latency 2\d(\.\d)? % higher \(/,
    );
    const summary = summarize(bounded(small, ({ variant }) => (variant === 'b' ? 12_000 : 10_000)));
    expect(headlineOf(summary).join()).toMatch(/^25 connections: b takes 20(\.0)? % longer \(/);
    expect(abSummary(summary).join()).toMatch(/^900 req, 25 parallel => a: [\d.]+req\/sec, b: /);
    const notThrough = summarize(bounded(small, ({ variant }) => (variant === 'b' ? null : 10_000)));
    const [load] = notThrough.run.loads;
    const cells = load === undefined ? [] : tablesOf(notThrough, load).tables.flatMap(({ rows }) => rows);
    expect(cells.flat().some(({ text }) => text === 'timeout')).toBe(true);
  });
});
