import { describe, expect, it } from 'vitest';
import { countOk } from '../../../src/journal/outcomes.ts';
import type { JournalRecord, SliceRecord } from '../../../src/journal/records.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { parseGate } from '../../../src/judge/verdicts/gate.ts';
import { tablesOf } from '../../../src/report/tables/tables.ts';
import { fixtureJournal } from '../journal-fixture.ts';
import { comparison, small } from '../small-run.ts';

/** A run in which what was sent took `busy` times as long as the window in variant b, and of which turns saw that share. */
function run({ busy, seen }: { readonly busy: number; readonly seen: number }, ...gates: string[]): Summary {
  const journal = fixtureJournal({ ...small, noise: 0.005 });
  const inTurns = (slice: SliceRecord): SliceRecord => {
    const { connections } = slice.load as { connections: number };
    const ok = slice.outcomes.statuses[200] ?? 0;
    const [factor, within] = slice.variant === 'b' ? [busy, seen] : [1, 1];
    const turns = { turnMs: 250, ok: [ok], okByTime: [ok * within], busyMs: [connections * slice.windowMs * factor] };
    return { ...slice, turns: { ...turns, gapMaxMs: 0 } };
  };
  const records = journal.records.map((record) => (record.type === 'slice' ? inTurns(record) : record));
  return summarize({ ...journal, records }, undefined, { gates: gates.map(parseGate), unclear: 'fail' });
}

describe('a change that outlasts turns', () => {
  it('has an interval that holds both counts, and is not the same', () => {
    const change = comparison(run({ busy: 1.25, seen: 0.99 }), 'requests_per_s');
    // 1 / 1.25 by what was sent, 0.99 by what came within the turns.
    expect(change.deltaPercent).toBeCloseTo(-20, 0);
    expect(change.interval?.[0]).toBeLessThan(-19.5);
    expect(change.interval?.[1]).toBeGreaterThan(-1.5);
    expect(change.notes).toContainEqual({ kind: 'outlast-turns', byTurnsPercent: expect.closeTo(-1, 0) });
    expect(change.verdict).not.toBe('same');
  });

  it('is between both counts in the report', () => {
    const text = JSON.stringify(tablesOf(run({ busy: 1.25, seen: 0.99 }), { connections: 25 }));
    expect(text).toMatch(
      /Answers of up to 0\.\d\d s outlast turns of 0\.25 s: the rate of b is between -2\d\.\d and [-+][01]\.\d %\./,
    );
    // And how much it may matter at most.
    expect(text).toMatch(
      /Rates by requests sent and by answers within turns differ by at most (?:19|2\d)\.\d % \(-19\.\d % in the arm where they differ most\)\./,
    );
    const alike = JSON.stringify(tablesOf(run({ busy: 1, seen: 1 }), { connections: 25 }));
    expect(alike).not.toContain('is between');
    expect(alike).toContain('Rates by requests sent and by answers within turns differ by at most 0.0 %');
  });

  it('passes and fails no gate that one of the counts contradicts', () => {
    // -20 % by what was sent, -1 % by what came within the turns.
    const outcomesOf = (seen: number, busy: number) =>
      run({ busy, seen }, 'rps > -10%', 'mean_ms > -10%', 'rps > -30%', 'p95_ms < +50%').gates.map(
        ({ outcome }) => outcome,
      );
    expect(outcomesOf(1, 1)).toEqual(['pass', 'pass', 'pass', 'pass']);
    // Latencies stay as they are here; by how much percentiles are off is not known.
    expect(outcomesOf(0.99, 1.25)).toEqual(['unclear', 'unclear', 'pass', 'unclear']);
    expect(run({ busy: 1.25, seen: 0.99 }, 'p95_ms < +50%').gates[0]?.notes).toEqual([
      { kind: 'outlast-turns', byTurnsPercent: null },
    ]);
    expect(outcomesOf(0.8, 1.25).slice(0, 1)).toEqual(['fail']);
  });

  it('keeps its direction where both counts have it', () => {
    const change = comparison(run({ busy: 1.25, seen: 0.9 }), 'requests_per_s');
    expect(change.verdict).toBe('lower');
    expect(change.interval?.[1]).toBeGreaterThan(-11);
  });

  it('holds both counts where turns got longer since: the gap of the first rounds is no noise', () => {
    const journal = fixtureJournal({ ...small, noise: 0.005 });
    const load = { connections: 25 };
    const judged = (hidWaits: boolean): Summary => {
      const records = journal.records.flatMap((record): JournalRecord[] => {
        if (record.type === 'slice') {
          const ok = record.outcomes.statuses[200] ?? 0;
          const isHidden = record.variant === 'b' && record.round <= 2;
          const busyMs = [25 * record.windowMs * (isHidden ? 1.4 : 1)];
          return [{ ...record, turns: { turnMs: 250, ok: [ok], okByTime: [ok], busyMs, gapMaxMs: 0 } }];
        }
        if (record.type !== 'round' || record.round !== 2 || !hidWaits) return [record];
        const level = { load, sliceMs: 4000, withinPerS: 0.01, between: 0.0004, leastTurnMs: 2000, longestMs: 1000 };
        return [record, { type: 'lengths', round: 2, warmups: [], besideMs: 1000, levels: [level] }];
      });
      return summarize({ ...journal, records });
    };
    expect(comparison(judged(false), 'requests_per_s').notes.map(({ kind }) => kind)).not.toContain('outlast-turns');
    const change = comparison(judged(true), 'requests_per_s');
    expect(change.notes).toContainEqual({ kind: 'outlast-turns', byTurnsPercent: expect.anything() });
    expect(change.interval?.[1]).toBeGreaterThan(-1);
    expect(['noise', 'higher']).toContain(change.verdict);
  });

  it('is the same no more where the counts differ by 3 % within the margin', () => {
    const change = comparison(run({ busy: 1, seen: 1.03 }), 'requests_per_s');
    expect(change.verdict).toBe('noise');
    expect(comparison(run({ busy: 1, seen: 1 }), 'requests_per_s')).toMatchObject({ verdict: 'same', notes: [] });
  });

  it('and is nothing of it where the counts differ by under 1 %', () => {
    const change = comparison(run({ busy: 1, seen: 1.008 }), 'requests_per_s');
    expect(change).toMatchObject({ verdict: 'same', notes: [] });
  });
});

it('a change is not the same where the kinds of request within turns are not those that were sent', () => {
  const journal = fixtureJournal({ ...small, noise: 0.005 });
  const withKinds = (slowWithin: number, ...gates: string[]): Summary => {
    const inTurns = (slice: SliceRecord): SliceRecord => {
      const kind = (share: number, byTime: number) => ({
        outcomes: { statuses: { '200': 6000 * share }, errors: 0, timeouts: 0 },
        byTime: 6000 * byTime,
        latency: slice.latency,
      });
      const turns = { turnMs: 250, ok: [1], okByTime: [1], gapMaxMs: 0 };
      return { ...slice, turns, byRequest: { slow: kind(0.5, slowWithin), fast: kind(0.5, 0.5) } };
    };
    const records = journal.records.map((record) => (record.type === 'slice' ? inTurns(record) : record));
    return summarize({ ...journal, records }, undefined, { gates: gates.map(parseGate), unclear: 'fail' });
  };
  expect(comparison(withKinds(0.5), 'requests_per_s')).toMatchObject({ verdict: 'same', notes: [] });
  expect(comparison(withKinds(0.4), 'requests_per_s')).toMatchObject({
    verdict: 'noise',
    notes: [{ kind: 'outlast-turns', byTurnsPercent: null }],
  });
  expect(JSON.stringify(tablesOf(withKinds(0.4), { connections: 25 }))).toMatch(
    /slow was 50 % of the requests sent and 44 % of the answers within turns: turns are too short for queues to fill\./,
  );
  // Nor does a gate pass.
  expect(withKinds(0.5, 'rps > -10%').gates).toMatchObject([{ outcome: 'pass' }]);
  expect(withKinds(0.4, 'rps > -10%').gates).toMatchObject([{ outcome: 'unclear' }]);
});

it('a change under users is not the same where in the variant alone more was sent than came', () => {
  const journal = fixtureJournal({ ...small, noise: 0.005 });
  const load = { users: 25 };
  const ofUsers = (sent: number, ...gates: string[]): Summary => {
    const records = journal.records.map((record): JournalRecord => {
      if (record.type === 'pass') return { ...record, load };
      if (record.type !== 'slice') return record;
      const ok = countOk(record);
      const growing = record.variant === 'b' ? sent : 1;
      return { ...record, load, turns: { turnMs: 5000, ok: [ok], okByTime: [ok / growing], gapMaxMs: 0 } };
    });
    const { scenario } = journal.run;
    const run = { ...journal.run, scenario: { ...scenario, load: { ...scenario.load, levels: [load] } } };
    return summarize({ ...journal, run, records }, undefined, { gates: gates.map(parseGate), unclear: 'fail' });
  };
  expect(comparison(ofUsers(1), 'latency_mean_ms')).toMatchObject({ verdict: 'same', notes: [] });
  const growing = ofUsers(1.04, 'mean_ms < +10%');
  expect(comparison(growing, 'latency_mean_ms')).toMatchObject({
    verdict: 'noise',
    notes: [{ kind: 'outlast-turns', byTurnsPercent: null }],
  });
  expect(comparison(growing, 'requests_per_s').notes).toContainEqual({
    kind: 'outlast-turns',
    byTurnsPercent: expect.closeTo(0, 0),
  });
  expect(growing.gates).toMatchObject([{ outcome: 'unclear' }]);
});
