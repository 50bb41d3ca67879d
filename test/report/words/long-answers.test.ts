import { expect, it } from 'vitest';
import type { SliceRecord } from '../../../src/journal/records.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { headlineOf } from '../../../src/report/words/headline.ts';
import { warningWords } from '../../../src/report/words/remedies.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';
import { comparison, small } from '../../judge/small-run.ts';

const none = { statuses: {}, errors: 0, timeouts: 0 };
const noLatency = { count: 0, meanUs: 0, p50Us: 0, p95Us: 0, p99Us: 0, maxUs: 0, histogram: '' };

/** A run in which these variants sent nothing in the part that counts; `whole` is what came of all that they sent. */
function run(slow: readonly string[], whole: SliceRecord['whole']): Summary {
  const journal = fixtureJournal(small);
  const records = journal.records.map((record) => {
    if (record.type !== 'slice' || !slow.includes(record.variant)) return record;
    const turns = { turnMs: 5000, ok: [0], okByTime: [2.3], busyMs: [0], gapMaxMs: 0 };
    return { ...record, outcomes: none, whole, bytes: 0, latency: noLatency, byRequest: {}, turns };
  });
  return summarize({ ...journal, records });
}

const answered = { ...none, statuses: { 200: 25 } };

it('answers that outlast the slice have no rate, and the report says what to do', () => {
  const summary = run(['b'], answered);
  expect(comparison(summary, 'requests_per_s')).toMatchObject({ value: null, deltaPercent: null });
  expect(comparison(summary, 'throughput_bytes_per_s')).toMatchObject({ value: null, deltaPercent: null });
  expect(headlineOf(summary).join()).not.toMatch(/-100|no request succeeded/);
  const warnings = summary.session.reasons.map(warningWords).join(' ');
  expect(warnings).toContain('long answers');
  expect(warnings).toContain('Use a load.slice of at least twice their time');
});

it('no request is said to have succeeded only where none has', () => {
  expect(headlineOf(run(['a', 'b'], answered)).join()).not.toContain('no request succeeded');
  expect(headlineOf(run(['a', 'b'], { ...none, timeouts: 25 })).join()).toContain('no request succeeded');
});
