import { describe, expect, it } from 'vitest';
import type { SliceRecord } from '../../../src/journal/records.ts';
import type { JudgeKey } from '../../../src/journal/run/judge-keys.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { parseGate } from '../../../src/judge/verdicts/gate.ts';
import { createStopRule } from '../../../src/judge/verdicts/stop-rule.ts';
import { verdictTable } from '../../../src/report/tables/verdict-table.ts';
import { shortHeadlineOf } from '../../../src/report/words/headline.ts';
import { adviceWords, recommendationOf } from '../../../src/report/words/recommendation.ts';
import { type FixtureJournal, type FixtureOptions, fixtureJournal } from '../journal-fixture.ts';
import { atRate, bounded } from '../kinds-of-load.ts';
import { comparison, small } from '../small-run.ts';

const slower: FixtureOptions = { ...small, effect: ({ variant }) => (variant === 'b' ? -0.2 : 0) };

describe('at a rate', () => {
  it('the mean latency is judged: higher is worse, and the lower one is recommended', () => {
    const summary = summarize(atRate(slower));
    expect(summary.run.judgedBy).toBe('latency_mean_ms');
    expect(comparison(summary, 'latency_mean_ms').verdict).toBe('higher');
    const [advice] = summary.recommendation;
    expect(advice).toMatchObject({ keep: 'a', slower: [{ variant: 'b' }] });
    expect(advice && adviceWords(advice, summary.run)).toMatch(/^keep a: b is 2\d-2\d % slower$/);
    const faster = summarize(atRate({ ...small, effect: ({ variant }) => (variant === 'b' ? 0.2 : 0) }));
    expect(faster.recommendation[0]).toMatchObject({ keep: 'b', slower: [{ variant: 'a' }] });
  });

  it('a run stops when the latency is settled, whatever 2xx/s does', () => {
    const noisy = { ...small, rounds: 5, noise: 0.2 };
    const [loud, quiet] = [atRate(noisy), atRate({ ...slower, rounds: 5, noise: 0.002 })];
    expect(createStopRule(loud.run).after(loud.records).stop).toBe(false);
    const decision = createStopRule(quiet.run).after(quiet.records);
    expect(decision).toMatchObject({ stop: true, undecided: 0 });
  });

  it('the control that differs from itself in latency makes intervals wider, and says so', () => {
    const { session, notes } = summarize(atRate({ ...small, effect: ({ repeat }) => (repeat ? 0.3 : 0) }));
    expect(session.verdict).toBe('fit');
    expect(notes).toMatchObject([{ kind: 'stays-apart', metric: 'latency_mean_ms' }]);
  });

  it('what was not sent and how late requests were sent stand in the averages, and mark a variant', () => {
    const lag = { count: 1, meanUs: 1, p50Us: 1, p95Us: 1, p99Us: 310, maxUs: 400, histogram: '' };
    const unsent = ({ variant, outcomes }: SliceRecord): Partial<SliceRecord> => ({
      sendLag: lag,
      outcomes: variant === 'b' ? { ...outcomes, unsent: 40 } : outcomes,
    });
    const { averages } = summarize(atRate({ ...small, rounds: 4 }, unsent));
    expect(averages.map(({ variant, unsent, sendLagP99Ms }) => [variant, unsent, sendLagP99Ms])).toEqual([
      ['a', 0, 0.31],
      ['a', 0, 0.31],
      ['b', 160, 0.31],
    ]);
    expect(averages.at(-1)?.notes).toMatchObject([{ kind: 'not-sustained', unsent: 160 }]);
  });
});

describe('a scenario that names its metric', () => {
  const judgedBy = (judge: JudgeKey, options: FixtureOptions = {}): FixtureJournal => {
    const journal = fixtureJournal({ ...small, rounds: 6, noise: 0.005, ...options });
    const { run } = journal;
    return { ...journal, run: { ...run, scenario: { ...run.scenario, judge } } };
  };

  it.each(['p50_ms', 'p95_ms', 'p99_ms'] as const)('is about %s: stop rule, verdict, recommendation', (judge) => {
    const journal = judgedBy(judge, { effect: ({ variant }) => (variant === 'b' ? -0.3 : 0) });
    const metric = `latency_${judge}` as const;
    const summary = summarize(journal);
    expect(summary.run.judgedBy).toBe(metric);
    expect(comparison(summary, metric).verdict).toBe('higher');
    expect(summary.recommendation).toMatchObject([{ keep: 'a', slower: [{ variant: 'b' }] }]);
    expect(createStopRule(journal.run).after(journal.records)).toMatchObject({ stop: true, undecided: 0 });
    expect(shortHeadlineOf(summary)).toEqual([expect.stringMatching(/b has a p\d+ latency \d+\.\d % higher/)]);
  });

  it('goes on while that metric is noise, though 2xx/s is settled', () => {
    const options: FixtureOptions = { requestsPerSecond: 20, rounds: 5 };
    const [byRate, byTail] = [
      fixtureJournal({ ...small, noise: 0.002, ...options }),
      judgedBy('p99_ms', { noise: 0.002, ...options }),
    ];
    expect(createStopRule(byRate.run).after(byRate.records).stop).toBe(true);
    expect(createStopRule(byTail.run).after(byTail.records)).toMatchObject({ stop: false, undecided: 1 });
  });

  it('judges work per request as the tables do', () => {
    const work: FixtureOptions['work'] = ({ variant }) => ({
      serviceCpuMs: 1,
      postgresCpuMs: 1,
      walBytes: variant === 'b' ? 1300 : 1000,
    });
    const journal = judgedBy('wal_bytes', { work });
    const summary = summarize(journal);
    expect(summary.run.judgedBy).toBe('wal_bytes_per_request');
    expect(comparison(summary, 'wal_bytes_per_request').verdict).toBe('higher');
    expect(createStopRule(journal.run).after(journal.records).undecided).toBe(0);
    expect(shortHeadlineOf(summary)).toEqual([expect.stringContaining('b takes 30.0 % more WAL bytes a request')]);
    const best = judgedBy('wal_bytes', { work, question: 'best' });
    expect(recommendationOf(summarize(best))).toEqual([expect.stringMatching(/: keep a: b takes \S+ % more\.$/)]);
  });
});

describe('beside the mean', () => {
  it('p99 has a verdict on the first screen at a rate, and no other percentile', () => {
    const summary = summarize(atRate({ ...slower, noise: 0.005 }));
    expect(summary.run.judgedBeside).toEqual(['latency_p99_ms']);
    expect(comparison(summary, 'latency_p99_ms')).toMatchObject({ verdict: 'higher' });
    const metrics = verdictTable(summary)?.rows.map(([, metric]) => metric?.text);
    expect(metrics?.slice(0, 2).sort()).toEqual(['mean ms', 'p99 ms']);
    expect(summarize(fixtureJournal(small)).run.judgedBeside).toBeUndefined();
  });
});

describe('of so many requests and no more', () => {
  const time = ({ variant, round }: SliceRecord): number => (variant === 'b' ? 12_000 : 10_000) + 10 * round;

  it('their time is judged, lower is better, and gates may be about it', () => {
    const gates = [parseGate('duration_ms < +10%')];
    const summary = summarize(bounded(small, time), undefined, { gates, unclear: 'fail' });
    expect(summary.run).toMatchObject({ judgedBy: 'duration_ms', bounded: { count: 900 } });
    const { verdict, control, value } = comparison(summary, 'duration_ms');
    expect([verdict, control, value]).toEqual(['higher', 10_045, 12_045]);
    expect(summary.averages.map(({ durationMs }) => durationMs)).toEqual([10_045, 10_045, 12_045]);
    expect(summary.recommendation[0]).toMatchObject({ keep: 'a', slower: [{ variant: 'b' }] });
    expect(summary.gates).toMatchObject([{ outcome: 'fail' }]);
  });

  it('a slice that was not through is a timeout, and the rounds that were are no verdict', () => {
    const late = (slice: SliceRecord): number | null =>
      slice.variant === 'b' && slice.round === 3 ? null : time(slice);
    const summary = summarize(bounded(small, late));
    const found = comparison(summary, 'duration_ms');
    expect(found.verdict).toBe('unfit');
    expect(found.notes).toContainEqual({ kind: 'not-through', slices: 1, of: 24 });
    const [, , row] = summary.averages;
    expect(row).toMatchObject({ variant: 'b', durationMs: null, unfinished: 'timeouts' });
  });
});

it('a gate on a time is unclear where there is none', () => {
  const { gates } = summarize(atRate(small), undefined, { gates: [parseGate('duration_ms < +10%')], unclear: 'fail' });
  expect(gates).toMatchObject([{ outcome: 'unclear', failed: true, notes: [{ kind: 'not-measured' }] }]);
});
