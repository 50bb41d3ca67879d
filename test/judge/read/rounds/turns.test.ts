import { describe, expect, test } from 'vitest';
import type { PassRecord } from '../../../../src/journal/pass-records.ts';
import type { JournalRecord } from '../../../../src/journal/records.ts';
import type { WarmupRecord } from '../../../../src/journal/uncounted-records.ts';
import { unsteadyArms } from '../../../../src/judge/read/rounds/complete-rounds.ts';
import { type Summary, summarize } from '../../../../src/judge/summary.ts';
import { documentOf } from '../../../../src/report/document.ts';
import { machineLine } from '../../../../src/report/words/machine.ts';
import { type FixtureOptions, fixtureJournal } from '../../journal-fixture.ts';
import { comparison, small } from '../../small-run.ts';

describe('a warm-up in turns', () => {
  /** Thirty turns an arm; what all arms do alike is `common`, and an arm's own drift is by the turn. */
  function warmups(drifts: readonly number[], common = (turn: number): number => 1 + turn / 30): WarmupRecord[] {
    return drifts.map((drift, arm) => ({
      type: 'warmup',
      round: 1,
      arm: `arm ${arm}`,
      load: { connections: 25 },
      durationMs: 7500,
      outcomes: {},
      turns: Array.from({ length: 30 }, (_, turn) => Math.round(1000 * common(turn) * Math.exp(drift * turn))),
    }));
  }

  test('is steady where all arms become faster alike, and where one has long been faster', () => {
    expect(unsteadyArms(warmups([0, 0, 0]))).toEqual([]);
    expect(unsteadyArms(warmups([0, 0, 0], (turn) => 1 + turn))).toEqual([]);
    const [first, second] = warmups([0, 0]);
    const doubled = { ...second, turns: second?.turns?.map((count) => 2 * count) } as WarmupRecord;
    expect(unsteadyArms([first as WarmupRecord, doubled])).toEqual([]);
  });

  test('is not steady for the arm whose rate still runs away by more than 25 % a third', () => {
    expect(unsteadyArms(warmups([0, 0, 0.03, 0, 0]))).toEqual(['arm 2']);
    expect(unsteadyArms(warmups([0, 0, -0.03, 0, 0]))).toEqual(['arm 2']);
    expect(unsteadyArms(warmups([0, 0, 0.02, 0, 0]))).toEqual([]);
  });

  test('of an arm without answers, of too few turns or of a single arm says nothing', () => {
    const [first, ...others] = warmups([0.05, 0, 0]);
    expect(unsteadyArms([first as WarmupRecord])).toEqual([]);
    const silent = { ...first, turns: new Array<number>(30).fill(0) } as WarmupRecord;
    expect(unsteadyArms([silent, ...others])).toEqual([]);
    expect(unsteadyArms([{ ...first, turns: [10, 900] } as WarmupRecord, ...others])).toEqual([]);
  });

  test('counts the rounds of each arm', () => {
    const journal = fixtureJournal({ ...small, rounds: 2 });
    const records: JournalRecord[] = warmups([0, 0, 0.05]).map((one, i) => ({
      ...one,
      arm: ['a', 'a#2', 'b'][i] ?? '',
    }));
    const { averages } = summarize({ ...journal, records: [...records, ...journal.records] });
    expect(averages.map(({ notSteady }) => notSteady)).toEqual([0, 0, 1]);
  });
});

describe('a warm-up by requests', () => {
  const served = (wanted: number, ...requests: number[]) => servedUnder({}, wanted, ...requests);
  const servedUnder = (options: FixtureOptions, wanted: number, ...requests: number[]) => {
    const journal = fixtureJournal({ ...small, rounds: 4, ...options });
    const warmups = (round: number): WarmupRecord[] =>
      requests.map((count, arm) => ({
        type: 'warmup',
        round,
        arm: `arm ${arm}`,
        load: { connections: 25 },
        durationMs: 5000,
        outcomes: { '200': count - 10, '500': 10 },
        turns: [],
        wanted: round === 1 ? 3000 : wanted,
      }));
    const records = journal.records.flatMap((one): readonly JournalRecord[] =>
      one.type === 'round' ? [...warmups(one.round), one] : [one],
    );
    return summarize({ ...journal, records });
  };

  test('is told with the run', () => {
    const summary = served(4500, 4500, 4400);
    expect(summary.warmups).toMatchObject({ requests: { least: 3000, most: 4500 }, fewest: null, shortRounds: 0 });
    expect(documentOf(summary).run).toContain(' · warm-up 3,000 to 4,500 requests an arm · ');
    expect(summary.notes).toEqual([]);
  });

  test('that a slow arm did not end is a note', () => {
    const summary = served(4500, 4500, 3100);
    expect(summary.warmups).toEqual({
      requests: { least: 3000, most: 4500 },
      fewest: 3100,
      fewestOf: { arm: 'arm 1', load: { connections: 25 } },
      shortRounds: 3,
    });
    expect(documentOf(summary).run).toContain(' · warm-up 3,000 to 4,500 requests an arm (the slowest 3,100) · ');
    expect(documentOf(summary).warnings).toEqual([
      '25 connections: arm 1 got 3,100 warm-up requests instead of 4,500 because it is slow; 3 of 4 rounds had such an arm. With a longer load.warmup, every arm gets its whole warm-up.',
    ]);
  });

  test('that a CPU limit cut short blames the limit, and no arm', () => {
    const summary = servedUnder({ conditions: () => ({ throttledShare: 0.69 }) }, 4500, 4500, 3100);
    expect(documentOf(summary).warnings).toEqual([
      '25 connections: arm 1 got 3,100 warm-up requests instead of 4,500 because pgsweep has used up its CPU limit; 3 of 4 rounds had such an arm. pgsweep doctor shows the limit: run without it (a container without --cpus).',
    ]);
  });

  test('is judged by the CPU limit under its own load', () => {
    const conditions = (_: number, connections: number) => ({ throttledShare: connections === 25 ? 0.69 : 0.1 });
    const summary = servedUnder({ connections: [1, 25], conditions }, 4500, 4500, 3100);
    expect(documentOf(summary).warnings).toEqual([
      expect.stringContaining('because pgsweep has used up its CPU limit'),
    ]);
  });

  test('that ended by its time in the first round is enough where the run then chose as few requests', () => {
    const summary = served(321, 372, 337, 321);
    expect(summary.warmups).toEqual({
      requests: { least: 321, most: 3000 },
      fewest: null,
      fewestOf: null,
      shortRounds: 0,
    });
    expect(documentOf(summary).warnings).toEqual([]);
    expect(served(321, 372, 337, 250).warmups).toMatchObject({ fewest: 250, shortRounds: 4 });
  });

  test('is nothing to tell where the scenario names a time', () => {
    expect(summarize(fixtureJournal({ ...small, rounds: 4 })).warmups).toBeNull();
  });
});

describe('a disturbed machine', () => {
  const conditions: FixtureOptions['conditions'] = (round) => ({
    stealShare: round === 3 ? 0.12 : 0.03,
    stealMaxShare: round === 3 ? 0.25 : 0.1,
    foreignCpuShare: 0.02,
    tcpRetransmits: 5,
    checkpoints: round === 1 ? 1 : 0,
  });

  test('voids nothing, and is told in one line', () => {
    const summary = summarize(fixtureJournal({ ...small, conditions }));
    expect(summary.session).toMatchObject({ verdict: 'fit', open: null });
    expect(summary.session.disturbance).toMatchObject({
      stealPercent: { mean: 4.125, most: 25 },
      foreignCpuPercent: { mean: 2, most: 2 },
      retransmitsPercent: 0.05,
      checkpoints: 1,
    });
    expect(documentOf(summary).machine).toBe(
      'cpu steal 4.1 % on average, 25 % at most · CPU of other programs 2 % on average, 2 % at most · 1 checkpoint.',
    );
  });

  test('shows how often its own CPU limit was used up', () => {
    const throttled = (round: number) => ({ throttledShare: round === 3 ? 0.9 : 0.6 });
    const { session } = summarize(fixtureJournal({ ...small, conditions: throttled }));
    expect(session.disturbance.throttledPercent).toMatchObject({ most: 90 });
    expect(machineLine(session)).toMatch(/ · CPU limit used up 6\d %.* on average, 90 % at most/);
    // A journal that says nothing of it.
    expect(summarize(fixtureJournal(small)).session.disturbance.throttledPercent).toBeNull();
  });

  test('leaves comparisons open, with how long they would take', () => {
    const summary = summarize(fixtureJournal({ ...small, rounds: 5, noise: 0.04 }));
    const { verdict, notes } = comparison(summary, 'requests_per_s');
    expect(verdict).toBe('noise');
    const needed = notes.flatMap((note) => (note.kind === 'rounds-needed' ? [note.rounds ?? 0] : []))[0] ?? 0;
    expect(needed).toBeGreaterThan(5);
    // Rounds of a minute.
    expect(summary.session.open).toEqual({
      comparisons: 1,
      beyond: 0,
      moreRounds: needed - 5,
      moreMinutes: needed - 5,
    });
    expect(documentOf(summary).machine).toContain(
      `the open comparison needs about ${needed - 5} more minutes (${needed - 5} rounds)`,
    );
  });

  test('and says where a run cannot be long enough', () => {
    const wild = summarize(fixtureJournal({ ...small, rounds: 5, noise: 0.5 })).session;
    expect(wild.open).toEqual({ comparisons: 1, beyond: 1, moreRounds: null, moreMinutes: null });
    expect(machineLine(wild)).toContain('the open comparison needs more rounds than a run may have');
    expect(summarize(fixtureJournal({ ...small, rounds: 3 })).session.open).toBeNull();
  });
});

describe('passes', () => {
  function changed(change: (pass: PassRecord) => readonly PassRecord[]): Summary {
    const journal = fixtureJournal({ ...small, rounds: 4 });
    const records = journal.records.flatMap((one): readonly JournalRecord[] =>
      one.type === 'pass' ? change(one) : [one],
    );
    return summarize({ ...journal, records });
  }

  test('in whole slices are told, with the reason', () => {
    const summary = changed((pass) => [pass.round < 3 ? { ...pass, wholeSlices: 'idle work' } : pass]);
    const load = { connections: 25 };
    expect(summary.notes).toEqual([{ kind: 'whole-slices', load, reason: 'idle work', passes: 2, of: 4 }]);
    expect(summary.passes[0]).toMatchObject({
      passes: 4,
      turnMs: { least: 250, most: 250 },
      wholeSlices: { 'idle work': 2 },
    });
  });

  test('that were made again do not count', () => {
    const summary = changed((pass) => [
      { ...pass, repeated: true, turnMs: 50 },
      { ...pass, wholeSlices: 'idle work' },
    ]);
    expect(summary.passes[0]).toMatchObject({ passes: 4, turnMs: null, wholeSlices: { 'idle work': 4 } });
    expect(summary.session.disturbance.checkpoints).toBe(0);
  });

  test('and their turns stand under the averages', () => {
    const [section] = documentOf(
      changed((pass) => [pass.round === 1 ? { ...pass, turnMs: 500, turnsPerArm: 8 } : pass]),
    ).sections;
    expect(section?.tables[0]?.notes).toContain(
      'Turns of 250 to 500 ms, 8 to 20 an arm a round, together 4.0 to 5.0 s; at most 1.0 s between two turns of an arm; 80 % of the time of its passes counted.',
    );
  });
});
