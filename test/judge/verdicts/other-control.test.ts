import { describe, expect, test } from 'vitest';
import { createRandom, seedOf } from '../../../src/base/random.ts';
import type { JournalSoFar } from '../../../src/journal/journal.ts';
import type { JournalRecord } from '../../../src/journal/records.ts';
import { mergedJournal } from '../../../src/judge/between-runs/merge/merge-shards.ts';
import { shardsOfOnePlan } from '../../../src/judge/between-runs/merge/one-plan.ts';
import { aggregateRun } from '../../../src/judge/read/aggregate-run.ts';
import type { BulkTotals } from '../../../src/judge/read/cells/bulk-loads.ts';
import { requestsPerSecond } from '../../../src/judge/read/metrics/metrics.ts';
import { withControl } from '../../../src/judge/read/other-control.ts';
import type { CapacityPoint } from '../../../src/judge/read/rounds/capacity-points.ts';
import type { ArmCell } from '../../../src/judge/read/run-data.ts';
import { differenceInterval } from '../../../src/judge/stats/interval.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { judgeCapacities } from '../../../src/judge/verdicts/capacity/judge-capacities.ts';
import { caveatsOf } from '../../../src/judge/verdicts/caveats.ts';
import { compareControlArms, compareVariants, type JudgedComparison } from '../../../src/judge/verdicts/compare.ts';
import { nextSteps } from '../../../src/report/words/next-steps.ts';
import { shardJournals } from '../between-runs/merge/shards.ts';
import { type FixtureCell, type FixtureOptions, fixtureJournal } from '../journal-fixture.ts';
import { bounded } from '../kinds-of-load.ts';

const effects: Readonly<Record<string, number>> = { a: 0, b: 0.08, c: -0.03, d: 0.2 };
const four: FixtureOptions = {
  variants: ['a', 'b', 'c', 'd'],
  control: 'a',
  connections: [1, 25],
  noise: 0.01,
  windowMs: 1000,
  effect: ({ variant }) => effects[variant] ?? 0,
};

const judged = (journal: JournalSoFar): JudgedComparison[] => compareVariants(aggregateRun(journal), requestsPerSecond);
const named = (found: readonly JudgedComparison[]) =>
  new Map(found.map((one) => [`${one.variant} ${'connections' in one.load ? one.load.connections : ''}`, one]));

/** The journal that a run with the control b would have written, had its second arm done what the first did. */
function plannedWithB({ run, records }: JournalSoFar): JournalSoFar {
  const changed = [...records].flatMap((record): JournalRecord[] => {
    if (record.type !== 'slice') return [record];
    if (record.repeat) return [];
    return record.variant === 'b' ? [record, { ...record, arm: 'b#2', repeat: true }] : [record];
  });
  return { run: { ...run, scenario: { ...run.scenario, control: 'b' } }, records: changed };
}

describe('a run that is judged against another variant than its control', () => {
  test('has the estimates of a run that had this control from the start', () => {
    // A start is a hundredth faster or slower: none is odd.
    const start = ({ variant, repeat, round }: FixtureCell): number =>
      createRandom(seedOf(variant, String(repeat), round)).next() < 0.5 ? -0.01 : 0.01;
    const effect = (cell: FixtureCell): number => (effects[cell.variant] ?? 0) + start(cell);
    const journal = fixtureJournal({ ...four, noise: 0, effect });
    const [after, planned] = [named(judged(withControl(journal, 'b'))), named(judged(plannedWithB(journal)))];
    expect([...after.keys()].sort()).toEqual(['a 1', 'a 25', 'c 1', 'c 25', 'd 1', 'd 25']);
    // But for how far odd values are pulled in, which the two arms of the one or of the other have a say in.
    for (const [cell, one] of after) expect(one.deltaPercent).toBeCloseTo(planned.get(cell)?.deltaPercent ?? 0, 1);
    const truth = 100 * Math.expm1((effects.d ?? 0) - (effects.b ?? 0));
    expect(after.get('d 25')).toMatchObject({ verdict: 'higher', rounds: 8 });
    const [low = 0, high = 0] = after.get('d 25')?.interval ?? [];
    expect([low < truth, truth < high]).toEqual([true, true]);
  });

  test('has intervals that are wider by what one arm in place of two costs', () => {
    const widths = Array.from({ length: 8 }, (_, seed) => {
      const journal = fixtureJournal({ ...four, connections: [25], seed, noise: 0.03 });
      const halfOf = (against: string): number => {
        const { evidence } = named(judged(withControl(journal, against))).get('c 25') ?? {};
        const interval = evidence && differenceInterval(evidence);
        return interval ? (interval.high - interval.low) / 2 : Number.NaN;
      };
      return Math.log(halfOf('b') / halfOf('a'));
    });
    // The variance of c - b is twice that of an arm, against one and a half of c - (a + a') / 2.
    const ratio = Math.exp(widths.reduce((sum, one) => sum + one, 0) / widths.length);
    expect(ratio).toBeGreaterThan(1.04);
    expect(ratio).toBeLessThan(1.35);
  });

  test('keeps its own report: A/A, and the decision by the planned order', () => {
    const journal = fixtureJournal({ ...four, question: 'best', noise: 0.004 });
    const data = aggregateRun(withControl(journal, 'b'));
    const own = aggregateRun(journal);
    const deltas = (found: readonly JudgedComparison[]) => found.map((one) => one.deltaPercent?.toFixed(9));
    expect(deltas(compareControlArms(data, requestsPerSecond))).toEqual(
      deltas(compareControlArms(own, requestsPerSecond)),
    );
    const summary = summarize(withControl(journal, 'b'));
    expect(summary.run).toMatchObject({ control: 'b', plannedControl: 'a' });
    expect(summary.notes[0]).toEqual({ kind: 'other-control', control: 'b', planned: 'a', left: [] });
    expect(summary.averages.map(({ variant, repeat }) => `${variant}${repeat ? '#2' : ''}`).slice(0, 5)).toEqual([
      'b',
      'a',
      'a#2',
      'c',
      'd',
    ]);
    expect(summary.recommended.variant).toBe(summarize(journal).recommended.variant);
    expect(summarize(withControl(journal, 'a'))).toEqual(summarize(journal));
  });

  test('has wider intervals where the arms of the planned control stay apart, and says whose', () => {
    const off: FixtureOptions = { ...four, effect: ({ variant, repeat }) => (variant === 'a' && repeat ? 0.2 : 0) };
    const { session, notes } = summarize(withControl(fixtureJournal(off), 'b'));
    expect(session.verdict).toBe('fit');
    expect(notes).toContainEqual(expect.objectContaining({ kind: 'stays-apart', planned: 'a' }));
  });

  test('compares arms of other groups through the arms that are in each', () => {
    // What a group has in common is large, and no difference between variants.
    const inGroups: FixtureOptions = {
      ...four,
      variants: ['a', 'b', 'c', 'd', 'e'],
      groupSize: 2,
      noise: 0,
      effect: ({ variant, group = 0, round }) => (effects[variant] ?? 0) + 0.3 * group + 0.05 * round,
    };
    const found = named(judged(withControl(fixtureJournal(inGroups), 'b')));
    for (const variant of ['a', 'c', 'd', 'e']) {
      const truth = 100 * Math.expm1((effects[variant] ?? 0) - (effects.b ?? 0));
      expect(found.get(`${variant} 25`)?.deltaPercent).toBeCloseTo(truth, 0);
      expect(found.get(`${variant} 25`)?.rounds).toBe(8);
    }
  });

  test('names arms that left, and knows all changes up to the round after which the control did', () => {
    const journal = fixtureJournal({ ...four, question: 'best' });
    const load = { connections: 25 };
    const cells = [{ variant: 'b', load, after: 5, worseThan: 'd' }];
    const records = [...journal.records].flatMap((record): JournalRecord[] => {
      if (record.type === 'slice' && record.variant === 'b' && record.round > 5 && 'connections' in record.load)
        return record.load.connections === 25 ? [] : [record];
      const isFifth = record.type === 'round' && record.round === 5;
      return isFifth ? [record, { type: 'left', round: 5, cells }] : [record];
    });
    const summary = summarize(withControl({ ...journal, records }, 'b'));
    expect(summary.notes[0]).toMatchObject({ left: [{ variant: 'b', loads: [load] }] });
    const rates = summary.comparisons.filter(({ metric }) => metric === 'requests_per_s');
    const roundsOf = (connections: number): number[] =>
      rates.flatMap((one) => ('connections' in one.load && one.load.connections === connections ? [one.rounds] : []));
    expect([roundsOf(1), roundsOf(25)]).toEqual([
      [8, 8, 8],
      [5, 5, 5],
    ]);
    const left = rates.flatMap(({ notes }) => notes.filter(({ kind }) => kind === 'left'));
    expect(left).toEqual([1, 2, 3].map(() => ({ kind: 'left', after: 5, control: true })));
  });

  test('in whole slices has the estimates of the run in turns', () => {
    const options: FixtureOptions = { ...four, noise: 0, connections: [25] };
    const found = named(
      judged(
        withControl(
          bounded(options, () => 4000),
          'b',
        ),
      ),
    );
    const truth = 100 * Math.expm1((effects.d ?? 0) - (effects.b ?? 0));
    expect(found.get('d 25')?.deltaPercent).toBeCloseTo(truth, 0);
    expect([...found.keys()].sort()).toEqual(['a 25', 'c 25', 'd 25']);
  });

  test('of a run in shards has all rounds of all machines, and A/A of the planned control', () => {
    const shards = shardJournals({ ...four, connections: [25], rounds: 12, count: 3 });
    const merged = mergedJournal(shardsOfOnePlan(shards.map((journal) => ({ place: journal.run.id, journal }))));
    const summary = summarize(withControl({ ...merged, warnings: [] }, 'b'));
    const change = summary.comparisons.find(({ metric, variant }) => metric === 'requests_per_s' && variant === 'd');
    expect(change).toMatchObject({ rounds: 12, verdict: 'higher' });
    expect(change?.deltaPercent).toBeCloseTo(100 * Math.expm1(0.12), -0.5);
    expect(summary.machines?.machines).toHaveLength(3);
    expect(new Set(summary.repeats.map(({ variant }) => variant))).toEqual(new Set(['a']));
    for (const { command } of nextSteps(summary)) expect(command ?? '').not.toContain('--budget');
  });

  test('of a search for capacity compares its capacities, with A/A of the planned control', () => {
    const spec = { of: 'connections' as const, from: 10, to: 1000, until: [{ metric: 'p95_ms' as const, most: 100 }] };
    const most: Readonly<Record<string, number>> = { a: 100, b: 90, c: 120 };
    const arms = [
      { variant: 'a', repeat: false },
      { variant: 'a', repeat: true },
      { variant: 'b', repeat: false },
      { variant: 'c', repeat: false },
    ];
    const pointsOf = (variant: string): CapacityPoint[] =>
      [1, 2, 3, 4, 5, 6].flatMap((round) =>
        [50, 70, 85, 100, 115, 140].map((load) => ({
          round,
          load,
          wanted: true,
          generatorBusy: false,
          machineBusy: false,
          answers: 1000,
          values: new Map([['p95_ms', 100 * (load / ((most[variant] ?? 1) * (1 + 0.004 * Math.sin(7 * round))))]]),
        })),
      );
    const { run } = fixtureJournal({ variants: ['a', 'b', 'c'], control: 'a', connections: [1], rounds: 1 });
    const { scenario } = withControl({ run, records: [] }, 'b').run;
    const found = judgeCapacities({
      scenario: { ...scenario, load: { ...scenario.load, levels: [], capacity: spec } },
      quick: false,
      rounds: [1, 2, 3, 4, 5, 6],
      course: { rounds: 6, ends: [6] },
      capacity: arms.map((arm) => ({ ...arm, points: pointsOf(arm.variant), hiddenShare: 0 })),
    });
    const deltas = new Map(found?.changes.map(({ variant, deltaPercent }) => [variant, deltaPercent ?? 0]));
    expect([...deltas.keys()].sort()).toEqual(['a', 'c']);
    const capacityOf = (name: string): number =>
      found?.arms.find(({ variant, repeat }) => variant === name && !repeat)?.supports ?? Number.NaN;
    for (const name of ['a', 'c'])
      expect(Math.abs((deltas.get(name) ?? 0) - 100 * (capacityOf(name) / capacityOf('b') - 1))).toBeLessThan(1);
    expect(deltas.get('a')).toBeGreaterThan(5);
    expect(found?.repeat).toMatchObject({ variant: 'a', repeat: true });
  });

  test('names no command that would answer the question of the planned control', () => {
    const options: FixtureOptions = { ...four, question: 'best', noise: 0.06, rounds: 6, end: 'budget' };
    for (const control of ['b', 'c', 'd']) {
      for (const { text, command } of nextSteps(summarize(withControl(fixtureJournal(options), control)))) {
        if (command === null || command === 'pgsweep doctor') continue;
        expect(command).toMatch(/^pgsweep sweep --resume RUN --rounds \d+ --settle all$/);
        expect(text).toContain(`pgsweep report RUN --control ${control}`);
      }
    }
    const own = nextSteps(summarize(fixtureJournal(options))).map(({ command }) => command ?? '');
    expect(own.some((command) => command.includes('--resume'))).toBe(true);
  });

  test('counts the documents of a bulk load against those of the new control', () => {
    const check = { missing: 0, unexpected: 0, doubled: 0, dangling: 0 };
    const of1000 = { rounds: 8, totalMs: 1000, documents: 1000, repeats: 0, failed: {}, check };
    const loaded = (documents: number): BulkTotals => ({ ...of1000, loaded: documents });
    const data = aggregateRun(withControl(fixtureJournal(four), 'b'));
    const bulk = ([cell]: readonly ArmCell[]): BulkTotals => loaded(cell?.variant === 'b' ? 1000 : 900);
    const load = { connections: 25, of: 'bulk' as const };
    const kinds = (variant: string) =>
      caveatsOf({ ...data, bulk }, { variant, load, repeat: false }).map(({ kind }) => kind);
    expect(kinds('a')).toEqual(['lost-documents']);
    expect(kinds('b')).toEqual([]);
  });

  test('must be one of its variants: the error names them', () => {
    expect(() => withControl(fixtureJournal(four), 'bb')).toThrow(/no variant of this run is named "bb".*"b"/);
  });
});
