import { describe, expect, test } from 'vitest';
import { createRandom, seedOf } from '../../../src/base/random.ts';
import type { JournalRecord } from '../../../src/journal/records.ts';
import { aggregateRun } from '../../../src/judge/read/aggregate-run.ts';
import { requestsPerSecond } from '../../../src/judge/read/metrics/metrics.ts';
import type { ArmCell } from '../../../src/judge/read/run-data.ts';
import { mean } from '../../../src/judge/stats/moments.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { judgeFamily } from '../../../src/judge/verdicts/compare.ts';
import type { Contrast } from '../../../src/judge/verdicts/contrasts.ts';
import { type FixtureCell, type FixtureOptions, fixtureJournal, normal } from '../journal-fixture.ts';
import { comparison } from '../small-run.ts';

/** What the machine does to all arms of a group in a round, and to no other: far more than arms differ by. */
function weather({ round, group = 0, connections }: FixtureCell): number {
  return 0.3 * normal(createRandom(seedOf('weather', round, group, connections)));
}

const variants = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const grouped: FixtureOptions = {
  seed: 1,
  variants,
  control: 'a',
  connections: [25],
  groupSize: 2,
  noise: 0.005,
  effect: (cell) => weather(cell) + (cell.variant === 'f' ? -0.08 : cell.variant === 'c' ? 0.05 : 0),
};

function verdicts(summary: Summary): string[] {
  return variants.slice(1).map((variant) => comparison(summary, 'requests_per_s', variant).verdict);
}

describe('where arms take turns in groups', () => {
  const summary = summarize(fixtureJournal(grouped));

  test('a variant is compared with the control of its own group', () => {
    expect(verdicts(summary)).toEqual(['same', 'higher', 'same', 'same', 'lower', 'same']);
    const f = comparison(summary, 'requests_per_s', 'f');
    expect(f.deltaPercent).toBeCloseTo(-7.7, 0);
    expect((f.interval?.[1] ?? 0) - (f.interval?.[0] ?? 0)).toBeLessThan(4);
  });

  test('across groups the same session would have found nothing', () => {
    const journal = fixtureJournal(grouped);
    const without = (record: JournalRecord): JournalRecord => {
      if (record.type !== 'slice') return record;
      const { group: _, ...rest } = record;
      return rest;
    };
    expect(new Set(verdicts(summarize({ ...journal, records: journal.records.map(without) })))).toEqual(
      new Set(['noise']),
    );
  });

  test('averages are of all groups together, and A/A too', () => {
    const [first, second] = summary.averages;
    expect([first?.repeat, second?.repeat, first?.rounds]).toEqual([false, true, 8]);
    expect(summary.averages).toHaveLength(8);
    // Three groups of 4 s a round.
    expect(first?.ok).toBeGreaterThan(2 * (summary.averages[2]?.ok ?? 0));
    const repeat = summary.repeats.find(({ metric }) => metric === 'requests_per_s');
    expect(repeat).toMatchObject({ verdict: 'same', rounds: 8 });
    expect(summary.session.verdict).toBe('fit');
  });

  test('variants of different groups are compared through the control', () => {
    // f is lower, c is higher, and nobody took turns with both: c is still the one to keep.
    const best = summarize(
      fixtureJournal({ ...grouped, effect: (cell) => weather(cell) + (cell.variant === 'c' ? 0.2 : 0) }),
    );
    expect(best.recommendation[0]).toMatchObject({ keep: 'c', undecided: [] });
  });

  test('and their noise is known from all arms, as that of a comparison with the control is', () => {
    const data = aggregateRun(fixtureJournal({ ...grouped, rounds: 5, noise: 0.03, effect: () => 0 }));
    const [load = { connections: 25 }] = data.scenario.load.levels;
    const arm = (variant: string, repeat = false): ArmCell => ({ variant, load, repeat });
    const half = (contrast: Contrast): number => {
      const [low = 0, high = 0] = judgeFamily(data, requestsPerSecond, [contrast])[0]?.interval ?? [];
      return (high - low) / 2;
    };
    const others = variants.slice(1);
    const usual = others.map((name) => half({ control: [arm('a'), arm('a', true)], cell: arm(name) }));
    const apart = others.flatMap((name, i) =>
      others.slice(i + 1).map((other) => half({ control: [arm(name)], cell: arm(other) })),
    );
    // Two arms and the control's two in either group, in place of one and the control's in its group: 1.4 times where all are alike.
    expect(mean(apart) / mean(usual)).toBeGreaterThan(1.15);
    expect(mean(apart) / mean(usual)).toBeLessThan(1.6);
  });

  test('says so, and how arms took turns', () => {
    expect(summary.notes).toContainEqual({ kind: 'groups', load: { connections: 25 }, groups: 3 });
    expect(summary.passes).toEqual([
      {
        load: { connections: 25 },
        passes: 24,
        groups: 3,
        turnMs: { least: 250, most: 250 },
        turnsPerArm: { least: 20, most: 20 },
        sliceMs: { least: 5000, most: 5000 },
        gapMaxMs: 1000,
        wholeSlices: {},
        reopened: 0,
        countedShare: 0.8,
        turnGap: null,
        mixGap: null,
        longestMs: expect.any(Number),
        shared: null,
        othersWrote: { slices: 0, of: 96 },
      },
    ]);
  });

  test('that change from round to round pairing goes on', () => {
    const journal = fixtureJournal(grouped);
    // In odd rounds the groups have other numbers besides.
    const turned = journal.records.map((record) =>
      (record.type === 'slice' || record.type === 'pass') && record.round % 2 === 1 && record.group !== undefined
        ? { ...record, group: (record.group + 1) % 3 }
        : record,
    );
    expect(verdicts(summarize({ ...journal, records: turned }))).toEqual(verdicts(summary));
  });

  test('counters per request, too', () => {
    expect(comparison(summary, 'xact_commit_per_request', 'f')).toMatchObject({ verdict: 'same', rounds: 8 });
  });
});

test('a void slice of the control in one group leaves the variants of the others alone', () => {
  const journal = fixtureJournal(grouped);
  const records = journal.records.map((record) =>
    record.type === 'slice' && record.variant === 'a' && record.group === 1 && record.round === 3
      ? { ...record, voided: ['failed requests'] as const }
      : record,
  );
  const there = records.flatMap((record) =>
    record.type === 'slice' && record.round === 3 && record.group === 1 && record.variant !== 'a'
      ? [record.variant]
      : [],
  );
  expect(there).toHaveLength(2);
  const summary = summarize({ ...journal, records });
  for (const variant of variants.slice(1))
    expect(comparison(summary, 'requests_per_s', variant).rounds).toBe(there.includes(variant) ? 7 : 8);
});
