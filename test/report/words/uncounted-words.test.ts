import { expect, test } from 'vitest';
import type { UncountedReason } from '../../../src/journal/pass-records.ts';
import type { JournalRecord } from '../../../src/journal/records.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { documentOf, type ReportDocument } from '../../../src/report/document.ts';
import { type FixtureCell, fixtureJournal } from '../../judge/journal-fixture.ts';
import { small } from '../../judge/small-run.ts';

/** A run whose passes say why arms have no counters of their database. */
function reportOf(isCounted: (cell: FixtureCell) => boolean, reasons: Record<string, UncountedReason>): ReportDocument {
  const perRequest = (cell: FixtureCell) => (isCounted(cell) ? { xact_commit: 1 } : null);
  const journal = fixtureJournal({ ...small, perRequest });
  const records = journal.records.map(
    (record): JournalRecord => (record.type === 'pass' ? { ...record, withoutCounters: reasons } : record),
  );
  return documentOf(summarize({ ...journal, records }));
}

const LEGEND = /^Database columns are differences of pg_stat_database/;

test('a load level without columns of the database says why, and nothing explains columns that are not there', () => {
  const arms = ['a', 'a#2', 'b'];
  const long = Object.fromEntries(arms.map((arm) => [arm, 'wait too long'] as const));
  const { sections, notes } = reportOf(() => false, long);
  expect(sections[0]?.folded).toEqual([]);
  expect(sections[0]?.tables[0]?.notes).toContain(
    'No pg_stat_database columns: sessions report up to 10 s after their load, too long a wait for such short slices.',
  );
  expect(notes.filter((note) => LEGEND.test(note))).toEqual([]);
});

test('an arm without columns is named with its reason, below the columns of the others', () => {
  const { sections, notes } = reportOf(({ repeat }) => !repeat, { 'a#2': 'session held back' });
  expect(sections[0]?.folded[0]?.notes).toEqual([
    'No pg_stat_database columns of a again (A/A): a session had not reported its earlier work.',
  ]);
  expect(notes.filter((note) => LEGEND.test(note))).toHaveLength(1);
});

test('a clock that was set is named as the reason', () => {
  const { sections } = reportOf(() => false, { a: 'clock set', 'a#2': 'clock set', b: 'clock set' });
  expect(sections[0]?.tables[0]?.notes).toContain(
    'No pg_stat_database columns: the clock of the database server was set, and sessions report by it.',
  );
});

test('an arm that was counted in other rounds needs no note', () => {
  const { sections } = reportOf(() => true, { b: 'turns of a second' });
  expect(sections[0]?.folded[0]?.notes).toEqual([]);
});

test('the legend of these columns says what autovacuum adds to them, where it was on', () => {
  const journal = fixtureJournal({ ...small, perRequest: () => ({ xact_commit: 1 }) });
  const legendWith = (autovacuum: string): string | undefined => {
    const provenance = { ...journal.run.provenance, postgresSettings: { autovacuum } };
    const { notes } = documentOf(summarize({ ...journal, run: { ...journal.run, provenance } }));
    return notes.find((note) => LEGEND.test(note));
  };
  expect(legendWith('on')).toContain('Autovacuum was on, and its work counts, too');
  expect(legendWith('off')).not.toContain('utovacuum');
});
