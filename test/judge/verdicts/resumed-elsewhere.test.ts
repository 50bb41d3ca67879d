import { expect, test } from 'vitest';
import type { JournalRecord } from '../../../src/journal/records.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { fixtureJournal, fixtureProvenance } from '../journal-fixture.ts';
import { small } from '../small-run.ts';

test('a session elsewhere that completed no round is no change, once the run goes on where it was', () => {
  const whole = fixtureJournal(small);
  const rounds = [...whole.records];
  const middle = rounds.findIndex(({ type }) => type === 'round') + 1;
  const at = '2026-01-31T11:00:00.000Z';
  const resumeAt = (gitCommit: string): JournalRecord => ({
    type: 'resume',
    at,
    provenance: { ...fixtureProvenance, gitCommit },
  });
  const failed: JournalRecord = { type: 'failed', at, code: 'interrupted', message: 'interrupted' };
  const notesOf = (...sessions: readonly JournalRecord[]) =>
    summarize({ ...whole, records: [...rounds.slice(0, middle), ...sessions, ...rounds.slice(middle)] }).notes;
  const own = resumeAt(fixtureProvenance.gitCommit ?? '');
  expect(notesOf(resumeAt('other'), failed, resumeAt('third'), own)).toEqual([]);
  expect(notesOf(own, failed, resumeAt('other'))).toMatchObject([{ kind: 'resumed-elsewhere' }]);
});
