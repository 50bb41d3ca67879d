import { describe, expect, test } from 'vitest';
import type { JournalSoFar } from '../../../src/journal/journal.ts';
import type { Left, LeftCell } from '../../../src/journal/left-records.ts';
import { loadSize } from '../../../src/journal/load-level.ts';
import type { JournalRecord } from '../../../src/journal/records.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { parseGate } from '../../../src/judge/verdicts/gate.ts';
import { decideStop, type StopOptions } from '../../../src/judge/verdicts/stop-rule.ts';
import { type FixtureOptions, fixtureJournal } from '../journal-fixture.ts';

/** The pool of 2 is too small for 25 connections and for 50, that of 5 for 50. Every other slice of 10 and 20 is in the noise. */
const grid: FixtureOptions = {
  variants: ['pool=2', 'pool=5', 'pool=10', 'pool=20'],
  control: 'pool=10',
  connections: [1, 25, 50],
  noise: 0.01,
  end: null,
  effect: ({ variant, connections }) =>
    (variant === 'pool=2' && connections > 1) || (variant === 'pool=5' && connections > 25) ? -0.3 : 0,
};

const asked = ({ run, records }: JournalSoFar): JournalSoFar => ({
  run: { ...run, scenario: { ...run.scenario, question: 'best' } },
  records,
});

const journalOf = (options: FixtureOptions): JournalSoFar => asked(fixtureJournal({ ...grid, ...options }));

const named = (left: Left | undefined): string[] | undefined =>
  left?.cells.map(({ variant, load, after }) => `${variant} ${loadSize(load)} after ${after}`).sort();

const leftAfter = (options: FixtureOptions, rules?: StopOptions) => named(decideStop(journalOf(options), rules).left);

/** A journal some of whose cells left after a round: their later slices are gone, and the record is there. */
function without(journal: JournalSoFar, cells: readonly LeftCell[]): JournalSoFar {
  const [after = 0] = cells.map((cell) => cell.after);
  const isGone = (record: JournalRecord): boolean =>
    record.type === 'slice' &&
    record.round > after &&
    cells.some(({ variant, load }) => variant === record.variant && loadSize(load) === loadSize(record.load));
  const records = [...journal.records].flatMap((record): JournalRecord[] => {
    if (isGone(record)) return [];
    return record.type === 'round' && record.round === after
      ? [record, { type: 'left', round: after, cells }]
      : [record];
  });
  return { run: journal.run, records };
}

describe('arms that cannot win', () => {
  test('leave the load levels at which another is shown to be better by more than the margin, from the fourth round on', () => {
    expect(leftAfter({ rounds: 3 })).toBeUndefined();
    expect(leftAfter({ rounds: 5 })).toEqual(['pool=2 25 after 5', 'pool=2 50 after 5', 'pool=5 50 after 5']);
  });

  test('do not leave for less than the margin, however certain', () => {
    expect(leftAfter({ rounds: 8, noise: 0.002, effect: ({ variant }) => (variant === 'pool=2' ? -0.04 : 0) })).toEqual(
      [],
    );
  });

  test('stay where changes are asked for, by a gate or by --settle all, and where a run may give no verdict', () => {
    expect(leftAfter({ rounds: 5 }, { all: true })).toEqual([]);
    expect(leftAfter({ rounds: 5 }, { size: true })).toEqual([]);
    expect(leftAfter({ rounds: 5 }, { gates: [parseGate('rps > -10%')] })).toEqual([]);
    expect(leftAfter({ rounds: 5 }, { gates: [parseGate('recommended == pool=10')] })).toHaveLength(3);
    expect(leftAfter({ rounds: 5, quick: true })).toEqual([]);
    expect(named(decideStop(fixtureJournal({ ...grid, rounds: 5, question: 'changes' })).left)).toEqual([]);
  });

  test('the control stays, however bad it is', () => {
    const effect: FixtureOptions['effect'] = ({ variant }) => (variant === 'pool=10' ? -0.3 : 0);
    expect(leftAfter({ rounds: 6, effect })).toEqual([]);
  });

  test('leave a level only with all that follow it, so that all arms of a pass had the same load before', () => {
    // 2 is bad at 1 and at 50, 5 at 50: after 1 and 25 comes 50, where 2 may leave only the last one.
    const effect: FixtureOptions['effect'] = ({ variant, connections }) =>
      (variant === 'pool=2' && connections === 1) || (variant === 'pool=5' && connections === 50) ? -0.3 : 0;
    expect(leftAfter({ rounds: 5, effect })).toEqual(['pool=5 50 after 5']);
  });

  test('come back where the one that they left for fails', () => {
    const failures: FixtureOptions['failures'] = ({ variant, round }, requests) =>
      variant === 'pool=20' && round > 5 ? { errors: Math.round(requests / 10) } : {};
    const bad: FixtureOptions = { rounds: 9, noise: 0.002, connections: [25], failures };
    const effect: FixtureOptions['effect'] = ({ variant }) => ({ 'pool=20': 0.2, 'pool=2': 0.04 })[variant] ?? 0;
    const cell = { load: { connections: 25 }, after: 5, worseThan: 'pool=20' };
    const journal = without(journalOf({ ...bad, effect }), [{ variant: 'pool=2', ...cell }]);
    expect(named(decideStop(journal).left)).toEqual([]);
    // Without failures it stays away, although it would be measured no worse than that.
    const calm = without(journalOf({ ...bad, effect, failures: () => ({}) }), [{ variant: 'pool=2', ...cell }]);
    expect(named(decideStop(calm).left)).toContain('pool=2 25 after 5');
  });
});

describe('what left', () => {
  const whole = journalOf({ rounds: 9 });
  const cells: LeftCell[] = [
    { variant: 'pool=2', load: { connections: 50 }, after: 5, worseThan: 'pool=10' },
    { variant: 'pool=5', load: { connections: 50 }, after: 5, worseThan: 'pool=10' },
  ];
  const found = summarize({ ...without(whole, cells), warnings: [] });
  const before = summarize({ ...journalOf({ rounds: 5 }), warnings: [] });
  const changeOf = ({ comparisons }: typeof found, variant: string, connections: number) =>
    comparisons.find(
      (one) => one.metric === 'requests_per_s' && one.variant === variant && loadSize(one.load) === connections,
    );

  test('keeps its last estimate, interval and verdict, and says when it left', () => {
    const [then, now] = [changeOf(before, 'pool=2', 50), changeOf(found, 'pool=2', 50)];
    expect(now?.verdict).toBe('lower');
    expect(now?.rounds).toBe(5);
    expect(now?.deltaPercent).toBe(then?.deltaPercent);
    expect(now?.interval).toEqual(then?.interval);
    expect(now?.notes).toContainEqual({ kind: 'left', after: 5 });
  });

  test('moves no change of the arms that stay elsewhere, and those beside it have all rounds', () => {
    const stays = changeOf(found, 'pool=2', 25);
    // How noisy arms are is known from fewer rounds, and with it which values are odd: by thousandths of a percent.
    expect(stays?.deltaPercent).toBeCloseTo(
      changeOf(summarize({ ...whole, warnings: [] }), 'pool=2', 25)?.deltaPercent ?? Number.NaN,
      1,
    );
    expect(stays?.rounds).toBe(9);
    expect(changeOf(found, 'pool=20', 50)?.rounds).toBe(9);
  });

  test('is neither taken nor in the way of a decision', () => {
    const at50 = found.recommendation.find(({ load }) => loadSize(load) === 50);
    expect(at50?.keep).toBe('pool=10');
    expect(at50?.slower.map(({ variant }) => variant)).toEqual(['pool=2', 'pool=5']);
  });

  test('stays what it is where a run is judged again', () => {
    expect(named(decideStop(without(whole, cells)).left)).toEqual(
      expect.arrayContaining(['pool=2 50 after 5', 'pool=5 50 after 5']),
    );
  });
});

describe('load levels that are decided', () => {
  /** Quiet with 1 connection, where nothing differs; arms scatter by some percent under the others. */
  const scattered: FixtureOptions = {
    ...grid,
    variants: ['pool=10', 'pool=20', 'pool=30'],
    noise: 0.004,
    effect: ({ variant, connections, round, repeat }) =>
      connections === 1
        ? 0
        : 0.08 * Math.sin(37 * round + 11 * Number(variant.slice(5)) + 5 * connections + (repeat ? 2 : 0)),
  };
  const levelsLeft = (journal: JournalSoFar, rules?: StopOptions) =>
    decideStop(journal, rules).left?.levels.map(({ load, after }) => `${loadSize(load)} after ${after}`);
  const level = { load: { connections: 1 }, after: 5 };

  /** That journal without the level's slices after a round. */
  function withoutLevel(journal: JournalSoFar): JournalSoFar {
    const isGone = (record: JournalRecord): boolean =>
      record.type === 'slice' && record.round > level.after && loadSize(record.load) === 1;
    const records = [...journal.records].flatMap((record): JournalRecord[] => {
      if (isGone(record)) return [];
      return record.type === 'round' && record.round === level.after
        ? [record, { type: 'left', round: level.after, cells: [], levels: [level] }]
        : [record];
    });
    return { run: journal.run, records };
  }

  test('leave when the setting to take is decided there, and not where changes are asked for', () => {
    expect(levelsLeft(journalOf({ ...scattered, rounds: 4 }))).toEqual([]);
    expect(levelsLeft(journalOf({ ...scattered, rounds: 5 }))).toEqual(['1 after 5']);
    expect(levelsLeft(journalOf({ ...scattered, rounds: 5 }), { all: true })).toEqual([]);
    expect(levelsLeft(fixtureJournal({ ...scattered, rounds: 5, question: 'changes' }))).toEqual([]);
  });

  test('stay while another level would take a setting that is not decided there', () => {
    // With 1 connection 20 is worse than the others by nearly the margin; with 50 the smallest is worse by a third.
    const effect: FixtureOptions['effect'] = (cell) => {
      if (cell.connections === 50 && cell.variant === 'pool=10') return -0.3;
      if (cell.connections > 1) return scattered.effect?.(cell) ?? 0;
      return cell.variant === 'pool=20' ? -0.045 : 0;
    };
    const journal = journalOf({ ...scattered, rounds: 6, effect });
    expect(decideStop(journal).found.decided.map(({ load }) => loadSize(load))).toContain(1);
    expect(levelsLeft(journal)).toEqual([]);
    // It left when 10 was to be taken under all, and is measured again.
    expect(levelsLeft(withoutLevel(journal))).toEqual([]);
  });

  test('keep decision, estimates, intervals and verdicts of their last round, and say when it was', () => {
    const [then, now] = [
      journalOf({ ...scattered, rounds: 5 }),
      // Later the control's arms are far apart elsewhere, which widens what is still measured.
      withoutLevel(
        journalOf({
          ...scattered,
          rounds: 9,
          effect: (cell) =>
            (scattered.effect?.(cell) ?? 0) + (cell.repeat && cell.round > 5 && cell.connections > 1 ? 0.5 : 0),
        }),
      ),
    ].map((journal) => summarize({ ...journal, warnings: [] }));
    const at1 = (summary = then) => ({
      changes: summary?.comparisons
        .filter(({ metric, load }) => metric === 'requests_per_s' && loadSize(load) === 1)
        .map(({ deltaPercent, interval, verdict, rounds }) => ({ deltaPercent, interval, verdict, rounds })),
      decision: summary?.recommendation.find(({ load }) => loadSize(load) === 1),
    });
    expect(at1(now)).toEqual(at1(then));
    expect(at1(now).decision?.keep).toBe('pool=10');
    const notes = (now?.comparisons ?? [])
      .filter(({ metric, load }) => metric === 'requests_per_s' && loadSize(load) === 1)
      .map((one) => one.notes);
    expect(notes).toHaveLength(2);
    for (const own of notes) expect(own).toContainEqual({ kind: 'left', after: 5, decided: true });
    expect(levelsLeft(withoutLevel(journalOf({ ...scattered, rounds: 9 })))).toContain('1 after 5');
  });
});
