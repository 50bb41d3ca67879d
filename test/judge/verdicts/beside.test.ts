import { describe, expect, it } from 'vitest';
import { createRandom, seedOf } from '../../../src/base/random.ts';
import type { SliceRecord } from '../../../src/journal/records.ts';
import type { RunData } from '../../../src/judge/read/run-data.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { compareWithoutJob } from '../../../src/judge/verdicts/beside.ts';
import { besideTable } from '../../../src/report/tables/beside-table.ts';
import { besideLines } from '../../../src/report/words/beside-words.ts';
import { headlineOf } from '../../../src/report/words/headline.ts';
import { type FixtureOptions, normal } from '../journal-fixture.ts';
import { type BesideJob, besideJob } from '../kinds-of-load.ts';
import { comparison, small } from '../small-run.ts';

/** A scatter of this standard deviation of the logarithm, alike in each run of the test. */
const scatter = ({ arm, round }: SliceRecord, what: string, sd: number): number =>
  Math.exp(sd * normal(createRandom(seedOf(1, arm, round, what))));

/** Job of `a` takes a lock for 1.9 of its 2 s, that of `b` for a moment, and twice as long. */
const migration = (slice: SliceRecord): BesideJob => {
  const isPlain = slice.variant === 'a';
  return {
    jobMs: (isPlain ? 2000 : 4000) * scatter(slice, 'job', 0.02),
    longestMs: (isPlain ? 1900 : 20) * scatter(slice, 'longest', 0.1),
    beforeMs: 15 * scatter(slice, 'before', 0.1),
    rateRatio: isPlain ? 10 : 1,
  };
};
const options: FixtureOptions = { ...small, rounds: 8, noise: 0.01, requestsPerSecond: 200 };
const changeOf = (summary: ReturnType<typeof summarize>, variant: string, metric: string) =>
  summary.beside?.find((one) => one.variant === variant && one.metric === metric);

describe('requests beside a job', () => {
  const summary = summarize(besideJob(options, migration));

  it('wait as long as planted, in an interval over rounds, against those just before', () => {
    const longest = changeOf(summary, 'a', 'longest_wait_ms');
    expect(longest).toMatchObject({ verdict: 'higher', rounds: 8 });
    const [low = 0, high = 0] = longest?.valueInterval ?? [];
    expect([low < 1900, high > 1900, low > 1600, high < 2200]).toEqual([true, true, true, true]);
    expect(longest?.without).toBeCloseTo(15, -1);
    expect(changeOf(summary, 'b', 'longest_wait_ms')?.value).toBeCloseTo(20, -1);
  });

  it('come at the planted share of their rate, and where nothing changed at the same', () => {
    expect(changeOf(summary, 'a', 'requests_per_s')).toMatchObject({ verdict: 'lower' });
    expect(changeOf(summary, 'a', 'requests_per_s')?.deltaPercent).toBeCloseTo(-90, 0);
    expect(changeOf(summary, 'b', 'requests_per_s')).toMatchObject({ verdict: 'same', deltaPercent: 0 });
    expect(changeOf(summary, 'b', 'latency_p99_ms')).toMatchObject({ verdict: 'same', deltaPercent: 0 });
  });

  it('are judged against the control, too, each metric with its own error, beside the time of the job', () => {
    expect(summary.run).toMatchObject({
      judgedBy: 'duration_ms',
      judgedBeside: ['longest_wait_ms', 'requests_per_s', 'latency_p99_ms'],
    });
    expect(comparison(summary, 'duration_ms')).toMatchObject({ verdict: 'higher' });
    expect(comparison(summary, 'longest_wait_ms')).toMatchObject({ verdict: 'lower' });
    expect(comparison(summary, 'requests_per_s')).toMatchObject({ verdict: 'same' });
    expect(summary.comparisons.filter(({ metric }) => metric === 'xact_commit_per_s')).toEqual([]);
  });

  it('have a sentence for each variant before anything else, and a row', () => {
    const [plain = '', valid = ''] = headlineOf(summary);
    expect(plain).toMatch(
      /^a: requests wait up to 1\.\d s \[1\.\d, 2\.\d\], without the job up to 1\d ms; 2xx\/s -90\.0 % \[/,
    );
    expect(valid).toMatch(
      /^b: requests wait up to \d\d ms \[\d+, \d+\], without the job up to 1\d ms; 2xx\/s stays the same\.$/,
    );
    const table = besideTable(summary, { connections: 25, of: 'beside' });
    expect(table?.rows.map(([name, job]) => [name?.text, job?.text])).toEqual([
      ['a (control)', expect.stringMatching(/^(1\.9|2|2\.\d) s$/)],
      ['b', expect.stringMatching(/^(3\.9|4|4\.\d) s$/)],
    ]);
  });

  it('have no verdict where the job failed in some round, and the report says in how many', () => {
    const failing = (slice: SliceRecord): BesideJob => ({
      ...migration(slice),
      ...(slice.variant === 'b' && slice.round === 5 && { jobMs: null }),
    });
    const failed = summarize(besideJob(options, failing));
    expect(changeOf(failed, 'b', 'longest_wait_ms')).toMatchObject({
      verdict: 'unfit',
      notes: [{ kind: 'not-through', slices: 1, of: 8, job: true }],
    });
    expect(changeOf(failed, 'a', 'longest_wait_ms')?.verdict).toBe('higher');
    expect(comparison(failed, 'duration_ms').verdict).toBe('unfit');
    expect(comparison(failed, 'longest_wait_ms').verdict).toBe('unfit');
    // Its requests have numbers all the same.
    const [own] = failed.averages.filter(({ variant }) => variant === 'b');
    expect(own).toMatchObject({ durationMs: null, unfinished: null, longestWaitMs: expect.any(Number) });
    expect(besideLines(failed)[1]).toBe('b: no verdict: the job failed in 1 of 8 slices.');
  });

  it('have no intervals before the fourth round', () => {
    const early = summarize(besideJob({ ...options, rounds: 3 }, migration));
    expect(changeOf(early, 'a', 'longest_wait_ms')).toMatchObject({
      verdict: 'noise',
      interval: null,
      valueInterval: null,
    });
  });
});

it('where the job changes nothing, few of many runs report that it does', () => {
  const { run } = besideJob({ ...options, rounds: 1 }, migration);
  const rounds = Array.from({ length: 8 }, (_, round) => round + 1);
  const found = Array.from({ length: 200 }, (_, seed) => {
    const series: RunData['series'] = ({ name }, arms) => {
      const random = createRandom(seedOf(seed, name, arms[0]?.variant ?? ''));
      const logs = rounds.map((round) => [round, 0.3 * normal(random)] as const);
      return { byRound: new Map(logs.map(([round, log]) => [round, { value: Math.exp(log), log }])), tooFew: null };
    };
    const course = { rounds: rounds.length, ends: [rounds.length] };
    const data = { scenario: run.scenario, quick: false, rounds, course, series, samples: () => new Map() };
    return compareWithoutJob(data, { reasons: [] }).beside ?? [];
  });
  for (const metric of ['longest_wait_ms', 'requests_per_s', 'latency_p99_ms']) {
    const own = found.map((changes) => changes.filter((one) => one.metric === metric));
    expect(own.every(({ length }) => length === 2)).toBe(true);
    const alarms = own.filter((changes) => changes.some(({ verdict }) => verdict === 'higher' || verdict === 'lower'));
    // 10 are expected at most; 20 or more come in fewer than 1 of 300 such tests.
    expect(alarms.length).toBeLessThan(20);
  }
});
