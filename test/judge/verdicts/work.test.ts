import { describe, expect, test } from 'vitest';
import type { SliceRecord } from '../../../src/journal/records.ts';
import { workMetrics } from '../../../src/judge/read/metrics/work-metrics.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import type { Comparison } from '../../../src/judge/verdicts/comparison.ts';
import { type FixtureOptions, fixtureJournal } from '../journal-fixture.ts';
import { comparison } from '../small-run.ts';

const names = new Set<string>(workMetrics.map(({ name }) => name));

/** Two variants against a control under two load levels: a usual run, in which a write is 13 rows and one transaction. */
const usual: FixtureOptions = {
  variants: ['a', 'b', 'c'],
  control: 'a',
  connections: [1, 25],
  noise: 0.05,
  requestsPerSecond: 200,
  perRequest: () => ({ xact_commit: 1, blks_hit: 22.4, blks_read: 0.002, tup_returned: 43.8, tup_inserted: 13 }),
  probes: () => ({ 'pg-stat-statements': { statement_calls: 5 * 200 * 5 } }),
  work: () => ({ serviceCpuMs: 1.5, postgresCpuMs: 0.4, walBytes: 8570 }),
};

function work(summary: Summary): Comparison[] {
  return summary.comparisons.filter(({ metric }) => names.has(metric));
}

function marked(summary: Summary, variant = 'b'): string[] {
  const found = work(summary).filter((one) => one.variant === variant && ['higher', 'lower'].includes(one.verdict));
  return [...new Set(found.map(({ metric, verdict }) => `${metric} ${verdict}`))].sort();
}

/** Statements are told by a probe as a number of its own, which the fixture cannot know before the slice is made. */
function withStatements(options: FixtureOptions, perRequest: (slice: SliceRecord) => number): Summary {
  const journal = fixtureJournal(options);
  const slices = new Map<string, SliceRecord>();
  for (const one of journal.records) if (one.type === 'slice') slices.set(`${one.round} ${one.slice}`, one);
  const records = journal.records.map((one) => {
    if (one.type !== 'probe' || one.probe !== 'pg-stat-statements') return one;
    const slice = slices.get(`${one.round} ${one.slice}`);
    if (slice === undefined) return one;
    const requests = Object.values(slice.whole.statuses).reduce((sum, count) => sum + count, 0);
    return { ...one, values: { statement_calls: Math.round(requests * perRequest(slice)) } };
  });
  return summarize({ ...journal, records });
}

describe('work per request', () => {
  test.each([4, 8, 20])('of equal work is the same after %d rounds, however the rates scatter', (rounds) => {
    const summary = withStatements(
      { ...usual, rounds, effect: ({ variant }) => (variant === 'b' ? -0.7 : 0) },
      () => 5,
    );
    expect(marked(summary)).toEqual([]);
    for (const metric of ['xact_commit_per_request', 'statements_per_request', 'wal_bytes_per_request'] as const) {
      expect(comparison(summary, metric), metric).toMatchObject({ verdict: 'same', rounds });
    }
    expect(comparison(summary, 'xact_commit_per_s').verdict).toBe('lower');
    expect(comparison(summary, 'bytes_per_answer')).toMatchObject({
      deltaPercent: 0,
      interval: [0, 0],
      verdict: 'same',
    });
  });

  test.each([4, 8])('of one more query a request has exactly the right verdicts after %d rounds', (rounds) => {
    const extra = ({ variant }: { variant: string }): number => (variant === 'b' ? 1 : 0);
    const options: FixtureOptions = {
      ...usual,
      rounds,
      effect: (cell) => -0.1 * extra(cell),
      perRequest: (cell) => ({
        ...usual.perRequest?.(cell),
        xact_commit: 1 + extra(cell),
        tup_returned: 43.8 + extra(cell),
        blks_hit: 22.4 + 3 * extra(cell),
      }),
    };
    const summary = withStatements(options, (slice) => 5 + extra(slice));
    expect(marked(summary)).toEqual([
      'blks_hit_per_request higher',
      'statements_per_request higher',
      'tup_returned_per_request higher',
      'xact_commit_per_request higher',
    ]);
    expect(marked(summary, 'c')).toEqual([]);
    expect(comparison(summary, 'xact_commit_per_request').deltaPercent).toBeCloseTo(100, 0);
    expect(comparison(summary, 'tup_inserted_per_request').verdict).toBe('same');
  });

  test('of 0.05 % more is the same, of 3 % more is not', () => {
    const by = (share: number): Summary =>
      summarize(
        fixtureJournal({
          ...usual,
          rounds: 4,
          connections: [1],
          requestsPerSecond: 2000,
          perRequest: ({ variant }) => ({ tup_inserted: 13 * (variant === 'b' ? 1 + share : 1) }),
        }),
      );
    expect(comparison(by(0.0005), 'tup_inserted_per_request').verdict).toBe('same');
    expect(comparison(by(0.03), 'tup_inserted_per_request').verdict).toBe('higher');
    expect(comparison(by(-0.03), 'tup_inserted_per_request').verdict).toBe('lower');
  });

  test('that only one side has is higher or lower without a percentage; nothing on either side is the same', () => {
    const summary = summarize(
      fixtureJournal({
        ...usual,
        rounds: 4,
        perRequest: ({ variant }) => (variant === 'b' ? { tup_updated: 1 } : { tup_deleted: 1 }),
      }),
    );
    expect(comparison(summary, 'tup_updated_per_request')).toMatchObject({ deltaPercent: null, verdict: 'higher' });
    expect(comparison(summary, 'tup_deleted_per_request')).toMatchObject({ deltaPercent: -100, verdict: 'lower' });
    expect(comparison(summary, 'tup_returned_per_request').verdict).toBe('same');
  });

  test('has one error over all of it: with few rounds and uneven counters it marks hardly anything', () => {
    let sessions = 0;
    for (let seed = 1; seed <= 12; seed++) {
      const noisy = fixtureJournal({ ...usual, seed, rounds: 5, requestsPerSecond: 20, windowMs: 1000 });
      let state = seed;
      const records = noisy.records.map((one) => {
        if (one.type !== 'counters') return one;
        state = (state * 16807) % 2147483647;
        const factor = 1 + 0.06 * (state / 2147483647 - 0.5);
        const delta = Object.entries(one.delta).map(([column, count]) => [column, Math.round(1000 * count * factor)]);
        return { ...one, delta: Object.fromEntries(delta) as typeof one.delta };
      });
      if (work(summarize({ ...noisy, records })).some(({ verdict }) => verdict === 'higher' || verdict === 'lower'))
        sessions++;
    }
    expect(sessions).toBeLessThanOrEqual(1);
  });
});

describe('what follows time', () => {
  /** The same service with a timer that asks the database ten times a second; b sleeps, and serves a tenth. */
  const timer: FixtureOptions = {
    ...usual,
    effect: ({ variant }) => (variant === 'b' ? Math.log(0.1) : 0),
    perSecond: () => ({ xact_commit: 10, tup_returned: 500, tup_fetched: 10, blks_hit: 30 }),
  };

  test.each([4, 8])('has no verdict in the same service slowed by a sleep, after %d rounds', (rounds) => {
    const summary = withStatements({ ...timer, rounds }, () => 5);
    expect(marked(summary)).toEqual([]);
    const commits = comparison(summary, 'xact_commit_per_request');
    expect(commits).toMatchObject({ verdict: 'noise', interval: null, notes: [{ kind: 'follows-time' }] });
    expect(commits.deltaPercent).toBeGreaterThan(5);
    expect(comparison(summary, 'tup_inserted_per_request').verdict).toBe('same');
  });

  test('takes no verdict away where it is little', () => {
    const summary = summarize(
      fixtureJournal({
        ...usual,
        requestsPerSecond: 2000,
        connections: [1],
        rounds: 4,
        perSecond: () => ({ xact_commit: 1 }),
        perRequest: ({ variant }) => ({ xact_commit: variant === 'b' ? 2 : 1 }),
      }),
    );
    expect(comparison(summary, 'xact_commit_per_request').verdict).toBe('higher');
  });

  test('is no difference even where its share is just small enough', () => {
    // 0.9 % in b, 0.09 % in the control: commits are 0.8 % more for no request's sake, and the same within 1 %.
    const commitsPerSecond = (0.009 * 200 * 5) / 20;
    const summary = summarize(
      fixtureJournal({
        ...usual,
        connections: [1],
        rounds: 4,
        noise: 0,
        requestsPerSecond: 2000,
        effect: ({ variant }) => (variant === 'b' ? Math.log(0.1) : 0),
        perSecond: () => ({ xact_commit: commitsPerSecond }),
        perRequest: () => ({ xact_commit: 1 }),
      }),
    );
    expect(['same', 'noise']).toContain(comparison(summary, 'xact_commit_per_request').verdict);
  });

  test('is the CPU that an arm uses both alone and between its turns, and not what is compiled late while it is alone', () => {
    const alone = { cpuMs: 20, durationMs: 2000 };
    const journal = (betweenMs: number): Summary => {
      const work = () => ({ serviceCpuMs: 1.5, postgresCpuMs: 0.4, walBytes: 8570, laterCpuMs: betweenMs / 100 });
      const made = fixtureJournal({ ...usual, connections: [1], rounds: 6, requestsPerSecond: 20, work });
      const records = [...made.records].map((one) => (one.type === 'idle' ? { ...one, ...alone } : one));
      return summarize({ ...made, records });
    };
    // Its turns are 5 s, and those of the three others 15 s.
    expect(comparison(journal(2), 'service_cpu_ms_per_request').verdict).toBe('same');
    expect(comparison(journal(2), 'postgres_cpu_ms_per_request').verdict).toBe('same');
    for (const betweenMs of [150, 600])
      expect(comparison(journal(betweenMs), 'service_cpu_ms_per_request').notes).toMatchObject([
        { kind: 'follows-time', sharePercent: expect.closeTo(26, -1) },
      ]);
  });

  test('is not known where no arm was seen idle: then only what answers bring has a verdict', () => {
    const journal = fixtureJournal({ ...usual, rounds: 6 });
    const records = journal.records.filter(({ type }) => type !== 'pass' && type !== 'idle');
    const summary = summarize({ ...journal, records });
    expect(comparison(summary, 'tup_inserted_per_request')).toMatchObject({
      verdict: 'noise',
      notes: [{ kind: 'idle-unknown' }],
    });
    expect(comparison(summary, 'bytes_per_answer').verdict).toBe('same');
  });
});

test('rare events are no finding: their difference is the luck of a few', () => {
  const perRequest: FixtureOptions['perRequest'] = ({ variant }) => ({
    xact_commit: 1,
    blks_read: variant === 'b' ? 0.004 : 0.002,
  });
  const summary = summarize(
    fixtureJournal({ ...usual, connections: [1], rounds: 4, requestsPerSecond: 2000, perRequest }),
  );
  expect(comparison(summary, 'blks_read_per_request')).toMatchObject({ verdict: 'noise', notes: [{ kind: 'rare' }] });
  const few = summarize(
    fixtureJournal({
      ...usual,
      connections: [1],
      requestsPerSecond: 10,
      windowMs: 2000,
      perRequest: ({ variant }) => ({ xact_commit: 1, xact_rollback: variant === 'b' ? 0.08 : 0.04 }),
    }),
  );
  expect(comparison(few, 'xact_rollback_per_request')).toMatchObject({ verdict: 'noise', notes: [{ kind: 'rare' }] });
});

test('counters that cover a part of the turns are divided by the requests of that part', () => {
  const journal = fixtureJournal({ ...usual, rounds: 4, perRequest: () => ({ xact_commit: 2 }) });
  const records = journal.records.map((one) => {
    if (one.type !== 'counters') return one;
    const requests = Math.round(one.delta.xact_commit / 2);
    const half = { ...one.delta, xact_commit: 2 * Math.floor(requests / 2) };
    const whole = { statuses: { 200: Math.floor(requests / 2) - 3, 500: 2 }, errors: 0, timeouts: 1 };
    return { ...one, complete: 'turns' as const, loadMs: one.loadMs / 2, whole, delta: half };
  });
  const summary = summarize({ ...journal, records });
  expect(summary.averages[0]?.metrics.xact_commit_per_request).toBe(2);
  expect(comparison(summary, 'xact_commit_per_request')).toMatchObject({ deltaPercent: 0, verdict: 'same' });
});
