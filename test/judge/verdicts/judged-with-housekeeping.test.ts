import { describe, expect, it } from 'vitest';
import type { HousekeepingRecord } from '../../../src/journal/postgres/housekeeping.ts';
import type { Treatment } from '../../../src/journal/scenario-record.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { decideStop } from '../../../src/judge/verdicts/stop-rule.ts';
import { notesWords } from '../../../src/report/words/note-words.ts';
import { warningWords } from '../../../src/report/words/remedies.ts';
import { type FixtureJournal, fixtureJournal } from '../journal-fixture.ts';

type Counts = (arm: string, round: number) => Partial<HousekeepingRecord>;

const none: HousekeepingRecord = { checkpoints: 0, autovacuums: 0, autoanalyzes: 0 };

/** A run of the control and a variant that is 30 % faster, whose settings and counts of Postgres's own work are these. */
function journalOf(settings: Readonly<Record<string, Record<string, string>>>, counts: Counts): FixtureJournal {
  const journal = fixtureJournal({
    variants: ['Control', 'Changed'],
    control: 'Control',
    connections: [25],
    rounds: 6,
    effect: ({ variant }) => (variant === 'Changed' ? Math.log(1.3) : 0),
  });
  const { scenario } = journal.run;
  const treatment = (own: Record<string, string>): Treatment => ({
    ...{ settings: own, dropIndex: [], createIndex: [], hideIndex: [], sql: [] },
  });
  const variants = scenario.variants.map((variant) => {
    const own = settings[variant.name];
    return own === undefined ? variant : { ...variant, treatment: treatment(own) };
  });
  const records = journal.records.map((record) =>
    record.type === 'slice' ? { ...record, housekeeping: { ...none, ...counts(record.arm, record.round) } } : record,
  );
  return { ...journal, run: { ...journal.run, scenario: { ...scenario, variants } }, records };
}

const requestsOf = ({ comparisons }: Summary) => {
  const found = comparisons.find(({ metric }) => metric === 'requests_per_s');
  if (found === undefined) throw new Error('no comparison of 2xx/s');
  return found;
};

describe('a comparison of settings that show only in what Postgres does by itself', () => {
  it('has a verdict where each arm had two of it', () => {
    const journal = journalOf({ Changed: { max_wal_size: '64MB' } }, (_, round) => ({
      checkpoints: round < 3 ? 1 : 0,
    }));
    expect(requestsOf(summarize(journal))).toMatchObject({ verdict: 'higher', notes: [] });
    expect(decideStop(journal).undecided).toBe(0);
  });

  it.each([
    ['none', 0, 0, 'had 0, control 0'],
    ['one of the variant', 1, 6, 'had 1, control 6'],
    ['none of the control', 6, 0, 'had 6, control 0'],
  ])('has none where there were too few: %s', (_, ofChanged, ofControl, had) => {
    const journal = journalOf({ Changed: { max_wal_size: '64MB' } }, (arm, round) => ({
      checkpoints: round <= (arm === 'Changed' ? ofChanged : ofControl) ? 1 : 0,
      autovacuums: 5,
    }));
    const summary = summarize(journal);
    for (const comparison of summary.comparisons)
      expect(comparison).toMatchObject({ verdict: 'noise', interval: null });
    const { deltaPercent, notes } = requestsOf(summary);
    expect(deltaPercent).toBeGreaterThan(20);
    expect(notesWords(notes)).toBe(
      `no verdict: needs at least 2 checkpoints of each arm under load (${had}); try a longer load.slice, or a lower checkpoint_timeout or max_wal_size in all arms`,
    );
    // A/A has no such settings to differ by.
    expect(summary.repeats.every(({ notes }) => notes.every(({ kind }) => kind !== 'little-housekeeping'))).toBe(true);
    expect(summary.recommendation[0]).toMatchObject({ keep: null, undecided: ['Changed'] });
    // The run goes on, since the next round may have them.
    expect(decideStop(journal)).toMatchObject({ stop: false, undecided: 1 });
  });

  it('counts them by arm: the control has two arms, and needs two of each', () => {
    const journal = journalOf({ Changed: { wal_compression: 'on' } }, (arm) => ({
      checkpoints: arm === 'Control#2' ? 0 : 1,
    }));
    expect(requestsOf(summarize(journal)).notes).toMatchObject([
      { kind: 'little-housekeeping', control: 0, variant: 6 },
    ]);
  });

  it('waits for no autovacuum of an arm that has turned it off', () => {
    const vacuumed: Counts = (arm) => ({ autovacuums: arm === 'Changed' ? 0 : 1 });
    expect(requestsOf(summarize(journalOf({ Changed: { autovacuum: 'off' } }, vacuumed))).verdict).toBe('higher');
    const slower = journalOf({ Changed: { autovacuum_vacuum_cost_limit: '100' } }, vacuumed);
    expect(requestsOf(summarize(slower)).notes).toMatchObject([{ work: 'autovacuums', variant: 0, control: 6 }]);
    const neither = journalOf({ Changed: { autovacuum: 'off' } }, () => ({}));
    expect(requestsOf(summarize(neither)).notes).toMatchObject([{ work: 'autovacuums', variant: null, control: 0 }]);
  });

  it('goes by what both sides differ in', () => {
    const both = { checkpoint_timeout: '30s' };
    const same = journalOf({ Control: both, Changed: { ...both, work_mem: '8MB' } }, () => ({}));
    expect(requestsOf(summarize(same))).toMatchObject({ verdict: 'higher', notes: [] });
  });

  it('has none where nothing could be counted', () => {
    const journal = journalOf({ Changed: { full_page_writes: 'off' } }, () => ({ checkpoints: 9 }));
    const records = journal.records.map((record) => {
      if (record.type !== 'slice') return record;
      const { housekeeping: _, ...rest } = record;
      return rest;
    });
    expect(requestsOf(summarize({ ...journal, records }))).toMatchObject({ verdict: 'noise', interval: null });
  });

  it('is told how long slices must be', () => {
    const { notes } = summarize(journalOf({ Changed: { max_wal_size: '64MB' } }, () => ({})));
    expect(notes.filter(({ kind }) => kind === 'housekeeping').map(warningWords)).toEqual([
      "variants set max_wal_size, so Postgres's own housekeeping is on, and each arm needs at least two of it under load: two checkpoints take 10 min by checkpoint_timeout, less where writes force them. Use a longer load.slice, or a lower checkpoint_timeout or autovacuum_naptime in stack.postgres.settings for all arms.",
    ]);
  });
});
