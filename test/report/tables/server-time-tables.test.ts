import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '../../../src/journal/records.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { requestLatencyTables, serverTimeTables } from '../../../src/report/tables/request-tables.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';
import { small } from '../../judge/small-run.ts';

const journal = fixtureJournal({
  ...small,
  requests: () => ({ get: { share: 0.5, latency: 0.5 }, post: { share: 0.5, latency: 1.5 } }),
});

/** The service tells that db took 4 ms of each post, 5 with b, and auth 6 % of its time in all. */
const told = journal.records.map((record): JournalRecord => {
  const post = record.type === 'slice' ? record.byRequest.post?.latency : undefined;
  if (record.type !== 'slice' || post === undefined) return record;
  const dbMs = record.variant === 'b' ? 5 : 4;
  return {
    ...record,
    serverTimes: { post: { db: dbMs * post.count, auth: (0.06 * post.meanUs * post.count) / 1000 } },
  };
});

describe('what a service tells of its time', () => {
  const summary = summarize({ ...journal, records: told });

  it('is a mean for each request, its share of the latency, and a judged change', () => {
    const { averages = [], comparisons = [], leftOut } = summary.serverTimes ?? {};
    expect(leftOut).toBe(0);
    const own = averages.filter(({ variant, repeat }) => variant === 'a' && !repeat);
    expect(own.find(({ part }) => part === 'db')).toMatchObject({ request: 'post', meanMs: 4 });
    expect(own.find(({ part }) => part === 'auth')?.share).toBeCloseTo(0.06, 6);
    const db = comparisons.find(({ part, variant }) => part === 'db' && variant === 'b');
    expect(db).toMatchObject({ request: 'post', metric: 'server_ms', unit: 'ms', verdict: 'higher' });
    expect(db?.deltaPercent).toBeCloseTo(25, 6);
  });

  it('is a table', () => {
    const [table, ...others] = serverTimeTables(summary);
    expect(others).toEqual([]);
    expect(table?.columns.map(({ head }) => head)).toEqual(['request', 'part', 'a, ms', 'of its latency', 'b']);
    const db = table?.rows.find(([, part]) => part?.text === 'db')?.map(({ text }) => text);
    expect(db?.slice(0, 3)).toEqual(['post', 'db', '4.00']);
    expect(db?.[4]).toMatch(/^\+25\.0 % \[.*\] higher$/);
  });

  it('is read of a workload of one kind of request, too, which has no table of its own', () => {
    const one = fixtureJournal(small);
    const records = one.records.map(
      (record): JournalRecord =>
        record.type === 'slice' ? { ...record, serverTimes: { 'GET /': { db: record.latency.count } } } : record,
    );
    const single = summarize({ ...one, records });
    expect(single.requests).toEqual({ averages: [], comparisons: [], leftOut: 0 });
    expect(single.serverTimes?.averages[0]).toMatchObject({ request: 'GET /', part: 'db', meanMs: 1 });
  });

  it('has no table where it tells nothing', () => {
    expect(serverTimeTables(summarize(journal))).toEqual([]);
  });
});

describe('latencies by request', () => {
  it('are told with their percentiles, as far as there are enough answers', () => {
    const summary = summarize(journal);
    const [table] = requestLatencyTables(summary);
    expect(table?.columns.map(({ head }) => head).slice(4)).toEqual(['mean', 'p50', 'p95', 'p99', 'p99.9']);
    expect(table?.rows).toHaveLength(2 * 2);
    const post = summary.requests.averages.find(({ request, repeat }) => request === 'post' && !repeat);
    expect(post?.p50Ms).toBeGreaterThan(0);
    expect(post?.p95Ms).toBeGreaterThanOrEqual(post?.p50Ms ?? 0);
    const some = summarize(
      fixtureJournal({
        ...small,
        rounds: 1,
        requestsPerSecond: 60,
        requests: () => ({ get: { share: 0.5, latency: 1 }, post: { share: 0.5, latency: 1 } }),
      }),
    ).requests.averages[0];
    expect(some?.p95Ms).toBeGreaterThan(0);
    expect(some?.p99Ms).toBeNull();
    const few = summarize(
      fixtureJournal({
        ...small,
        rounds: 1,
        requestsPerSecond: 1,
        requests: () => ({ get: { share: 0.5, latency: 1 }, post: { share: 0.5, latency: 1 } }),
      }),
    );
    expect(few.requests.averages[0]).toMatchObject({ p95Ms: null, p99Ms: null });
  });
});
