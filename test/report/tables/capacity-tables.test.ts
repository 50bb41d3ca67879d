import { describe, expect, it } from 'vitest';
import { summarize } from '../../../src/judge/summary.ts';
import type { ArmCapacity, CapacitySummary } from '../../../src/judge/verdicts/capacity/summarize-capacities.ts';
import { classicCapacity } from '../../../src/report/classic/classic-capacity.ts';
import { classicMarkdown, classicTwoWays } from '../../../src/report/classic/classic-report.ts';
import { documentOf } from '../../../src/report/document.ts';
import type { Table } from '../../../src/report/tables/table.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';
import { small } from '../../judge/small-run.ts';

const seen = (load: number, value: number | null, generatorBusy = 0) => ({
  load,
  slices: 4,
  generatorBusy,
  machineBusy: 0,
  known: { p95_ms: value === null ? 0 : 4 },
  values: { p95_ms: value },
});

const supports: ArmCapacity = {
  variant: 'a',
  repeat: false,
  outcome: 'supports',
  supports: 412.4,
  interval: [394.7, 430.2],
  limitedBy: 'p95_ms',
  rounds: 6,
  isStep: false,
  scatterPercent: 4.2,
  hiddenPercent: null,
  evidence: [seen(300, 120), seen(500, 310)],
};
const nothing = { ...supports, supports: null, interval: null, scatterPercent: null, rounds: 0 };

const capacity: CapacitySummary = {
  of: 'rate',
  from: 10,
  to: 2000,
  until: [{ metric: 'p95_ms', most: 200 }],
  arms: [supports, { ...supports, repeat: true }, { ...supports, variant: 'b', supports: 500, interval: [480, 520] }],
  comparisons: [
    {
      variant: 'b',
      metric: 'capacity',
      unit: 'requests/s',
      control: 412.4,
      value: 500,
      deltaPercent: 21.2,
      interval: [15.1, 27.6],
      verdict: 'higher',
      rounds: 6,
      notes: [],
    },
  ],
  repeat: null,
};

const documentWith = (arms: readonly ArmCapacity[] = capacity.arms) => {
  const summary = summarize(fixtureJournal({ ...small, rounds: 5 }));
  return documentOf({ ...summary, capacity: { ...capacity, arms } });
};
const bears = (arm: Partial<ArmCapacity>): string => {
  const [section] = documentWith([{ ...nothing, ...arm }]).sections;
  return section?.tables[0]?.rows[0]?.[1]?.text ?? '';
};

describe('the report of capacities', () => {
  it('begins with what each variant sustains, and how it differs', () => {
    const { first, sections, details } = documentWith();
    expect(first.verdicts).toEqual([
      'a supports 412 [395, 430], limited by p95_ms.',
      'b supports 500 [480, 520], limited by p95_ms; +21.2 % [+15, +28] against a: higher.',
    ]);
    expect(first.next).toEqual([{ text: 'Every comparison of capacities has its verdict.', command: null }]);
    const [section] = sections;
    expect(section?.heading).toBe('Capacity');
    expect(section?.tables[0]?.rows.map((row) => row.map(({ text }) => text))).toEqual([
      ['a (control)', 'supports 412 [395, 430], limited by p95_ms', '', '6', '4.2 %'],
      ['a again (A/A)', 'supports 412 [395, 430], limited by p95_ms', '', '6', '4.2 %'],
      ['b', 'supports 500 [480, 520], limited by p95_ms', '+21.2 % [+15, +28] higher', '6', '4.2 %'],
    ]);
    const evidence = details.find(({ title }) => title === 'Limits by load');
    expect(evidence?.tables[0]?.rows[1]?.map(({ text, tone }) => [text, tone])).toEqual([
      ['500', undefined],
      ['4', undefined],
      ['310.0', 'bad'],
    ]);
  });

  it('says how much of its time the turns of an arm hide', () => {
    const [, , other] = capacity.arms;
    const notesWith = (arms: readonly ArmCapacity[]) => documentWith(arms).sections[0]?.tables[0]?.notes ?? [];
    expect(notesWith(capacity.arms)).toHaveLength(1);
    expect(notesWith([supports, { ...supports, ...other, hiddenPercent: 3.14 }])[1]).toBe(
      'Answers outlast turns, whose ends hide so much of their time: b 3.1 %. No change is `same` there.',
    );
  });

  it('names the arms whose limit is a step', () => {
    const notesWith = (arms: readonly ArmCapacity[]) => documentWith(arms).sections[0]?.tables[0]?.notes ?? [];
    const [, , other] = capacity.arms;
    expect(notesWith([supports, { ...supports, ...other, isStep: true }])[1]).toMatch(/^The limit is a step of b: /);
  });

  it('says that one without an interval needs more rounds', () => {
    const summary = summarize(fixtureJournal({ ...small, rounds: 5, noise: 0.003 }));
    const comparisons = capacity.comparisons.map((one) => ({ ...one, interval: null }));
    expect(documentOf({ ...summary, capacity: { ...capacity, comparisons } }).first.next).toEqual([
      {
        text: '1 comparison of capacities has no interval yet: run 2 more rounds (2 minutes)',
        command: 'pgsweep sweep --resume RUN --rounds 7',
      },
    ]);
  });

  it('says why there is no number, with what that is known by', () => {
    expect(bears({ outcome: 'not-reached', limitedBy: null, evidence: [seen(10, 9), seen(2000, 120)] })).toBe(
      'not reached: keeps every limit at 2,000 requests/s (p95_ms 120.0)',
    );
    expect(bears({ outcome: 'below', evidence: [seen(10, 312), seen(20, 400)] })).toBe(
      'less than 10 requests/s: there it breaks p95_ms (p95_ms 312.0)',
    );
    expect(bears({ outcome: 'unstable', rounds: 5, scatterPercent: 41 })).toBe(
      'unstable: 5 rounds of p95_ms are off by 41 %, typically',
    );
    expect(bears({ outcome: 'unstable' })).toBe('unstable: more load does not make p95_ms worse');
    expect(bears({ outcome: 'generator', limitedBy: null, evidence: [seen(700, 20), seen(800, null, 4)] })).toBe(
      'limited by the generator, which could not keep up at 800 requests/s (before that p95_ms 20.00)',
    );
    const unmeasured = (evidence: ArmCapacity['evidence']) =>
      bears({ outcome: 'not-measured', limitedBy: null, evidence });
    expect(unmeasured([seen(10, null)])).toContain('not measured: too few answers');
    expect(unmeasured([seen(10, 9), seen(80, 12)])).toBe(
      'not measured: keeps every limit up to 80 requests/s (p95_ms 12.00); the run ended before it tried more load',
    );
    expect(unmeasured([seen(10, 9), seen(80, null)])).toBe(
      'not measured: keeps every limit up to 10 requests/s (p95_ms 9.00); with more load no slice shows p95_ms',
    );
  });

  it('names a load that shows the limit, and what is not known below it', () => {
    expect(bears({ outcome: 'below', evidence: [seen(1, null), seen(4, null), seen(8, 312)] })).toBe(
      'less than 8 requests/s: there it breaks p95_ms (p95_ms 312.0); with less load no slice shows p95_ms',
    );
    const failing = { ...seen(10, null), known: { p95_ms: 4 } };
    expect(bears({ outcome: 'below', evidence: [failing, seen(20, 400)] })).toBe(
      'less than 10 requests/s: there it breaks p95_ms (p95_ms beyond measure, so many requests failed)',
    );
  });

  it('names the machine where that let the load generator wait', () => {
    const waited = { ...seen(800, null, 4), machineBusy: 4 };
    expect(bears({ outcome: 'generator', limitedBy: null, evidence: [seen(700, 20), waited] })).toBe(
      'limited by the machine: at 800 requests/s it was so busy that requests were sent late, though the load generator had time to spare (before that p95_ms 20.00)',
    );
  });

  it('has few sentences, however many variants there are', () => {
    const many = Array.from({ length: 50 }, (_, i) => ({ ...supports, variant: `v${i}` }));
    const { verdicts } = documentWith(many).first;
    expect(verdicts).toHaveLength(8);
    expect(verdicts.at(-1)).toBe('43 more variants in the table.');
  });

  it('has a Delta for each of two things that vary, judged where it is against the control', () => {
    const settings = ['MySQL', 'Postgres'].flatMap((database) =>
      ['v9', 'v10'].map((release) => [`database=${database}, release=${release}`, { database, release }] as const),
    );
    const [control = '', ...others] = settings.map(([name]) => name);
    const summary = summarize(
      fixtureJournal({ ...small, variants: [control, ...others], control, factors: Object.fromEntries(settings) }),
    );
    const [change] = capacity.comparisons;
    if (change === undefined) throw new Error('the capacity of this test has a comparison');
    const grid: CapacitySummary = {
      ...capacity,
      of: 'connections',
      arms: [
        { ...supports, variant: control },
        { ...supports, variant: others[0] ?? '', supports: 500 },
        { ...supports, variant: others[1] ?? '', supports: 1040 },
        { ...nothing, variant: others[2] ?? '', outcome: 'not-reached' },
      ],
      comparisons: [
        { ...change, variant: others[0] ?? '' },
        { ...change, variant: others[1] ?? '', value: 1040, deltaPercent: 152, interval: [140, 165] },
        { ...change, variant: others[2] ?? '', value: null, deltaPercent: null, interval: null, verdict: 'noise' },
      ],
    };
    const rowsOf = (tables: readonly Table[]): string[][] => {
      const found = tables.find(({ title }) => title.startsWith('Supported connections by database and release'));
      return [
        found?.columns.map(({ head }) => head) ?? [],
        ...(found?.rows.map((row) => row.map(({ text }) => text)) ?? []),
      ];
    };
    const { details } = documentOf({ ...summary, capacity: grid });
    expect(rowsOf(details.flatMap(({ tables }) => tables))).toEqual([
      ['database', 'v9', 'v10', 'Delta'],
      ['MySQL', '412', '500', '+21.2 % [+15, +28] higher'],
      ['Postgres', '1,040', '500 or more', 'n/a'],
      ['Delta', '+152 % [+140, +165] higher', 'n/a', ''],
    ]);
    expect(rowsOf(classicTwoWays({ ...summary, capacity: grid }))).toEqual([
      ['database', 'v9', 'v10', 'Delta'],
      ['MySQL', '412', '500', '21.24%'],
      ['Postgres', '1,040', '500 or more', 'n/a'],
      ['Delta', '152.18%', 'n/a', ''],
    ]);
  });

  it('is a plain table of the classic style where no grid has two ways, without an empty one of load levels', () => {
    const summary = summarize(fixtureJournal({ ...small, rounds: 5, variants: ['a', 'b', 'c'] }));
    const arms = [...capacity.arms, { ...nothing, variant: 'c', outcome: 'below' as const, limitedBy: 'p95_ms' }];
    const searched = { ...summary, run: { ...summary.run, loads: [] }, capacity: { ...capacity, arms } };
    const markdown = classicMarkdown({ summary: searched, comments: [], charts: [] });
    expect(markdown).toContain(`**Supported requests/s (no intervals)**

|    |    requests/s | Change against a |
| :- | ------------: | ---------------: |
| a  |           412 |                  |
| b  |           500 |           21.24% |
| c  | less than 300 |              n/a |
`);
    expect(markdown).not.toContain('Test Runs');
    expect(classicMarkdown({ summary, comments: [], charts: [] })).not.toContain('Supported');
  });

  it('has no number of the control, and no change, where one of its arms has none', () => {
    const control = { ...nothing, repeat: true, outcome: 'not-measured' as const };
    const [first = supports, , ...others] = capacity.arms;
    const comparisons = capacity.comparisons.map((one) => ({ ...one, control: null, deltaPercent: null }));
    const known = { ...capacity, arms: [first, control, ...others], comparisons };
    const rowsOf = (tables: readonly Table[]) =>
      tables.map(({ rows }) => rows.map((row) => row.map(({ text }) => text)));
    const summary = summarize(fixtureJournal({ ...small, rounds: 5 }));
    expect(rowsOf(classicCapacity({ ...summary, capacity: known }))).toEqual([
      [
        ['a', 'n/a', ''],
        ['b', '500', 'n/a'],
      ],
    ]);
  });
});
