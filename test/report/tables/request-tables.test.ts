import { describe, expect, test } from 'vitest';
import { summarize } from '../../../src/judge/summary.ts';
import { abTables } from '../../../src/report/tables/ab-tables.ts';
import { requestTables } from '../../../src/report/tables/request-tables.ts';
import { type FixtureOptions, fixtureJournal } from '../../judge/journal-fixture.ts';
import { small } from '../../judge/small-run.ts';

/** `post` takes a fifth longer with b; the two kinds of request are half of all each. */
const slowerPosts: FixtureOptions = {
  ...small,
  requests: ({ variant }) => ({
    get: { share: 0.5, latency: 0.5 },
    post: { share: 0.5, latency: variant === 'b' ? 1.8 : 1.5 },
  }),
};

describe('requests by name', () => {
  test('are judged by their mean latency, as one family', () => {
    const summary = summarize(fixtureJournal(slowerPosts));
    const { averages, comparisons, leftOut } = summary.requests;
    expect(leftOut).toBe(0);
    expect(averages).toHaveLength(2 * 3);
    const [get, post] = ['get', 'post'].map((name) => comparisons.find(({ request }) => request === name));
    expect(post).toMatchObject({ variant: 'b', metric: 'latency_mean_ms', unit: 'ms', verdict: 'higher', rounds: 8 });
    expect(post?.deltaPercent).toBeGreaterThan(17);
    expect(post?.deltaPercent).toBeLessThan(23);
    expect(get?.verdict).not.toBe('higher');
    const [table, ...others] = requestTables(summary);
    expect(others).toEqual([]);
    expect(table?.columns.map(({ head }) => head)).toEqual(['request', 'a', 'b']);
    expect(table?.rows.find(([name]) => name?.text === 'post')?.[2]?.text).toMatch(/^\+\d+\.\d % \[.*\] higher$/);
  });

  test('have no table where the workload has only one', () => {
    const summary = summarize(fixtureJournal(small));
    expect(summary.requests).toEqual({ averages: [], comparisons: [], leftOut: 0 });
    expect(requestTables(summary)).toEqual([]);
  });

  test('of any number of names leave out those with the fewest requests', () => {
    const names = Array.from({ length: 60 }, (_, i) => [`request ${i}`, { share: (60 - i) / 2000, latency: 1 }]);
    const { requests } = summarize(fixtureJournal({ ...small, rounds: 1, requests: () => Object.fromEntries(names) }));
    expect(requests.leftOut).toBe(10);
    expect(new Set(requests.averages.map(({ request }) => request)).size).toBe(50);
    expect(requests.averages.some(({ request }) => request === 'request 0')).toBe(true);
    expect(requests.averages.some(({ request }) => request === 'request 59')).toBe(false);
  });
});

const FIGURES = ['min', 'mean', 'sd', 'median', 'max'];

describe('what ab prints', () => {
  test('adds up, and says what is not measured', () => {
    const summary = summarize(fixtureJournal(small));
    const [requests, times, percentiles] = abTables(summary);
    const average = summary.averages.find(({ variant }) => variant === 'b');
    expect(requests?.rows).toHaveLength(9);
    expect(requests?.rows.find(([name]) => name?.text === 'time taken, s')?.[2]?.text).toBe('32');
    expect(times?.rows.map(([name]) => name?.text)).toEqual(FIGURES);
    expect(times?.notes.join()).toMatch(/Connect, Processing and Waiting were not measured/);
    expect(percentiles?.rows).toHaveLength(9);
    const { distribution } = average ?? {};
    expect(distribution?.count).toBe(average?.ok);
    expect(distribution?.percentilesMs['100']).toBe(distribution?.maxMs);
    expect(distribution?.percentilesMs['50']).toBeCloseTo(average?.metrics.latency_p50_ms ?? 0, 3);
  });

  test('tells connecting, processing and waiting apart, where they differ', () => {
    const summary = summarize(fixtureJournal({ ...small, parts: true }));
    const [, times] = abTables(summary);
    const names = ['Connect', 'Processing', 'Waiting', 'Total'];
    const heads = names.flatMap((name) => FIGURES.map((figure) => `${name}, ${figure}`));
    expect(times?.rows.map(([name]) => name?.text)).toEqual(heads);
    for (const { distribution, parts } of summary.averages) {
      expect((parts?.connect.meanMs ?? 0) + (parts?.processing.meanMs ?? 0)).toBeCloseTo(distribution?.meanMs ?? 0, 3);
      expect(parts?.waiting.meanMs).toBeLessThan(parts?.processing.meanMs ?? 0);
    }
  });

  test('says in a sentence which of them are no different', () => {
    const { run, records, warnings } = fixtureJournal(small);
    const alike = records.map((record) => (record.type === 'slice' ? { ...record, parts: {} } : record));
    const [, times] = abTables(summarize({ run, records: alike, warnings }));
    expect(times?.rows.map(([name]) => name?.text)).toEqual(FIGURES);
    expect(times?.notes.join()).toMatch(/Connect is 0.*Waiting is Processing/);
  });

  test('has the word in place of numbers where nothing came back in time, and else the numbers', () => {
    const journal = fixtureJournal({
      ...small,
      effect: ({ variant }) => (variant === 'b' ? -20 : 0),
      failures: ({ variant }) => (variant === 'b' ? { timeouts: 30 } : {}),
    });
    const records = journal.records.map((record) =>
      record.type === 'slice' && record.variant === 'b' ? { ...record, voided: ['failed requests'] as const } : record,
    );
    const summary = summarize({ ...journal, records });
    expect(summary.averages.map(({ unfinished }) => unfinished)).toEqual([null, null, 'timeouts']);
    const [requests, times] = abTables(summary);
    const row = (name: string) => requests?.rows.find(([head]) => head?.text === name)?.map(({ text }) => text);
    expect(row('requests per second')?.[2]).toBe('timeout');
    expect(row('requests per second')?.[1]).toMatch(/^\d/);
    expect(times?.rows.map((cells) => cells[2]?.text)).toEqual(new Array(5).fill('timeout'));
  });
});
