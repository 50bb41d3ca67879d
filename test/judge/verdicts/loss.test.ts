import { describe, expect, it, test } from 'vitest';
import type { JournalRecord } from '../../../src/journal/records.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { parseGate } from '../../../src/judge/verdicts/gate.ts';
import { changeMatrix } from '../../../src/report/tables/change-matrix.ts';
import { headlineOf } from '../../../src/report/words/headline.ts';
import { bulkLoads } from '../kinds-of-load.ts';
import { comparison, small } from '../small-run.ts';

const gates = { gates: [parseGate('rps > -5%')], unclear: 'fail' } as const;
const CHANGE = 0.5;

/** Bulk loads in which `b` is faster by a log ratio, and each variant loses this many of 1000 documents in each round. */
function loadedBy(effect: number, lost: { readonly a: number; readonly b: number }): ReturnType<typeof bulkLoads> {
  const options = { ...small, effect: ({ variant }: { variant: string }) => (variant === 'b' ? effect : 0) };
  return bulkLoads(options, ({ variant }) => 1000 - (variant === 'b' ? lost.b : lost.a));
}

const kindsOf = (summary: Summary): string[] => comparison(summary, 'requests_per_s').notes.map(({ kind }) => kind);

describe('a control that loses documents', () => {
  it('is no faster for that: no verdict against a variant, no gate fails, and it is not recommended', () => {
    const summary = summarize(loadedBy(-CHANGE, { a: 100, b: 10 }), undefined, gates);
    const { verdict, notes } = comparison(summary, 'requests_per_s');
    expect(verdict).toBe('unfit');
    const others = { othersLoaded: 7920, othersDocuments: 8000 };
    const lost = { kind: 'control-lost-documents', loaded: 14_400, documents: 16_000, ...others };
    expect(notes).toEqual([lost, { kind: 'faster-by-loss', control: true }]);
    expect(summary.gates).toMatchObject([{ outcome: 'unclear', failed: true, notes }]);
    expect(headlineOf(summary)).toEqual(['bulk load, 25 connections: b: no verdict, the control lost documents.']);
    expect(summary.recommendation).toMatchObject([{ keep: 'b', failing: ['a'] }]);
    expect(summary.averages.map((row) => row.notes)).toEqual([[lost], [lost], []]);
    expect(summary.bulk.map((row) => row.notes)).toEqual([
      [{ ...lost, loaded: 7200, documents: 8000 }],
      [{ ...lost, loaded: 7200, documents: 8000 }],
      [],
    ]);
  });

  it('whose database differs from what was accepted is none either', () => {
    const journal = loadedBy(-CHANGE, { a: 0, b: 0 });
    const check = { missing: 3, unexpected: 0, doubled: 0, dangling: 0 };
    const checks = Array.from({ length: 8 }, (_, index): JournalRecord => {
      return { type: 'bulk-check', round: index + 1, arm: 'a', check };
    });
    // Before the record of its round, as a run writes it.
    const records = journal.records.flatMap((record) =>
      record.type === 'round' ? [...checks.slice(record.round - 1, record.round), record] : [record],
    );
    const summary = summarize({ ...journal, records }, undefined, gates);
    expect(comparison(summary, 'requests_per_s').verdict).toBe('unfit');
    expect(kindsOf(summary)).toEqual(['control-database-differs', 'faster-by-loss']);
    expect(summary.gates).toMatchObject([{ outcome: 'unclear' }]);
  });

  it('leaves the verdict to a variant that is faster all the same, with a note', () => {
    const summary = summarize(loadedBy(CHANGE, { a: 100, b: 10 }), undefined, gates);
    expect(comparison(summary, 'requests_per_s').verdict).toBe('higher');
    expect(kindsOf(summary)).toEqual(['control-lost-documents']);
    expect(summary.gates).toMatchObject([{ outcome: 'pass' }]);
  });

  it('lets no gate pass by noise, as by none that is the same', () => {
    const noisy = bulkLoads({ ...small, noise: 0.2 }, ({ variant }) => (variant === 'a' ? 900 : 1000));
    const summary = summarize(noisy, undefined, { gates: [parseGate('rps > -90%')], unclear: 'fail' });
    expect(comparison(summary, 'requests_per_s').verdict).toBe('noise');
    expect(summary.gates).toMatchObject([{ outcome: 'unclear', interval: null }]);
    expect(summary.gates[0]?.notes.map(({ kind }) => kind)).toEqual(['control-lost-documents', 'faster-by-loss']);
  });

  it('is marked only where it lost more than the variant', () => {
    const summary = summarize(loadedBy(-CHANGE, { a: 10, b: 10 }), undefined, gates);
    expect(comparison(summary, 'requests_per_s')).toMatchObject({ verdict: 'lower', notes: [] });
    expect(summary.gates).toMatchObject([{ outcome: 'fail' }]);
    const lossy = summarize(loadedBy(CHANGE, { a: 10, b: 100 }), undefined, gates);
    expect(kindsOf(lossy)).toEqual(['lost-documents', 'faster-by-loss']);
    expect(lossy.gates).toMatchObject([{ outcome: 'unclear' }]);
  });
});

test('the key of the table of changes says that documents were lost, not that more were than of the control', () => {
  const variants = ['a', 'b', 'c'];
  const lost = bulkLoads({ ...small, variants }, ({ variant }) => (variant === 'c' ? 1000 : 900));
  expect(changeMatrix(summarize(lost))?.notes[0]).toMatch(/; \[!\] documents lost\.$/);
});

describe('bulk loads of which every one lost more than is allowed', () => {
  it('make the session unfit, whoever lost more, and no gate passes', () => {
    for (const lost of [
      { a: 900, b: 900 },
      { a: 500, b: 20 },
    ]) {
      const summary = summarize(loadedBy(CHANGE, lost), undefined, gates);
      const loaded = 16 * (1000 - lost.a) + 8 * (1000 - lost.b);
      const load = { connections: 25, of: 'bulk' };
      expect(summary.session).toMatchObject({
        verdict: 'unfit',
        reasons: [{ kind: 'few-loaded', load, loaded, documents: 24_000 }],
      });
      expect(comparison(summary, 'requests_per_s').verdict).toBe('unfit');
      expect(kindsOf(summary)).toContain('lost-documents');
      expect(summary.gates?.[0]?.outcome).not.toBe('pass');
    }
  });

  it('are allowed where the scenario says so', () => {
    const journal = loadedBy(CHANGE, { a: 900, b: 900 });
    const { scenario } = journal.run;
    const run = { ...journal.run, scenario: { ...scenario, load: { ...scenario.load, maxFailedPercent: 95 } } };
    const summary = summarize({ ...journal, run }, undefined, gates);
    expect(summary.session.verdict).toBe('fit');
    expect(comparison(summary, 'requests_per_s')).toMatchObject({ verdict: 'higher', notes: [] });
  });

  it('are not the same either, where one of them is not whole', () => {
    const summary = summarize(loadedBy(0, { a: 0, b: 100 }), undefined, gates);
    const { verdict, notes } = comparison(summary, 'requests_per_s');
    expect(verdict).toBe('unfit');
    expect(notes.at(-1)).toEqual({ kind: 'faster-by-loss', same: true });
  });
});
