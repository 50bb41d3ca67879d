import { describe, expect, test } from 'vitest';
import type { Journal } from '../../../../src/journal/journal.ts';
import type { JournalRecord } from '../../../../src/journal/records.ts';
import { meanOver, ProbeColumns } from '../../../../src/judge/read/metrics/probe-columns.ts';
import { unitOf, valuesByProbe } from '../../../../src/judge/read/metrics/probe-values.ts';
import { summarize } from '../../../../src/judge/summary.ts';
import { decideStop } from '../../../../src/judge/verdicts/stop-rule.ts';
import { type FixtureCell, fixtureJournal } from '../../journal-fixture.ts';
import { small } from '../../small-run.ts';

/** Heap that is a quarter larger in b, and CPU that is not, with noise that all arms of a round share. */
const probes = ({ variant, round }: FixtureCell) => ({
  processes: { service_cpu_cores: 0.9 + 0.01 * (round % 3), busy_connections_mean: 0 },
  'service-metrics': { heap_mean_bytes: (variant === 'b' ? 1.25 : 1) * (1e6 + 1e4 * (round % 2)) },
});

const found = (journal: Journal, metric: string) => {
  const one = summarize(journal).probes.filter((comparison) => comparison.metric === metric);
  expect(one).toHaveLength(1);
  return one[0];
};

test('of two records of a probe the later holds; of a name that two probes give, what the first gave', () => {
  const record = (probe: string, values: Record<string, number>) =>
    ({ type: 'probe', round: 1, slice: 0, arm: 'a', probe, values }) as const;
  const records = [
    record('pg-stat-statements', { statement_calls: 1 }),
    record('pg-stat-monitor', { statement_calls: 5, statement_errors: 2 }),
    record('pg-stat-statements', { statement_calls: 7 }),
  ];
  expect(valuesByProbe(records)).toEqual([{ statement_calls: 7 }, { statement_errors: 2 }]);
});

describe('what probes saw', () => {
  const journal = fixtureJournal({ ...small, probes });

  test('is compared with the control like any metric', () => {
    expect(found(journal, 'heap_mean_bytes')).toMatchObject({
      variant: 'b',
      unit: 'B',
      deltaPercent: 25,
      verdict: 'higher',
      rounds: 8,
      control: 1.005e6,
    });
    expect(found(journal, 'service_cpu_cores')).toMatchObject({ verdict: 'same', deltaPercent: 0, unit: 'cores' });
    expect(found(journal, 'busy_connections_mean')?.notes).toEqual([{ kind: 'both-zero' }]);
  });

  test('stands in the averages of each arm, the mean over its rounds', () => {
    const { averages } = summarize(journal);
    expect(averages.map(({ probes: seen }) => seen.heap_mean_bytes)).toEqual([1.005e6, 1.005e6, 1.25625e6]);
  });

  test('changes neither the verdicts of a run nor when it stops', () => {
    const without = fixtureJournal(small);
    expect(summarize(journal).comparisons).toEqual(summarize(without).comparisons);
    expect(summarize(journal).session).toEqual(summarize(without).session);
    expect(decideStop(journal)).toEqual(decideStop(without));
    expect(summarize(without).probes).toEqual([]);
  });

  test('is missing only where a probe gave nothing: other rounds are judged', () => {
    const patchy = fixtureJournal({
      ...small,
      probes: (cell) => (cell.round === 3 && cell.variant === 'b' ? {} : probes(cell)),
    });
    expect(found(patchy, 'heap_mean_bytes')).toMatchObject({ rounds: 7, deltaPercent: 25 });
  });

  test('of two slices of a cell in a round is their mean, and of a void one is left out', () => {
    let next = 0;
    const counting = fixtureJournal({
      ...small,
      rounds: 4,
      slicesPerRound: 2,
      repeat: false,
      probes: () => ({ p: { step_ms: ++next } }),
    });
    const values = (record: JournalRecord): number =>
      record.type === 'probe' && record.arm === 'a' ? (record.values.step_ms ?? 0) : 0;
    const sum = counting.records.reduce((total, record) => total + values(record), 0);
    expect(summarize(counting).averages[0]?.probes.step_ms).toBe(sum / 8);
    const slice = counting.records.find((record) => record.type === 'slice' && record.arm === 'a');
    const voided = {
      ...counting,
      records: counting.records.map((record) =>
        record === slice ? { ...slice, voided: ['cpu steal'] as const } : record,
      ) as JournalRecord[],
    };
    const [left, other] = counting.records
      .filter((record) => record.type === 'probe' && record.round === 1)
      .map(values)
      .filter(Boolean);
    const change = ((left ?? 0) + (other ?? 0)) / 2 - (other ?? 0);
    expect(summarize(voided).averages[0]?.probes.step_ms).toBeCloseTo(sum / 8 - change / 4, 4);
  });

  test('of a slice that was measured again is that of the last attempt', () => {
    const [first] = journal.records.filter((record) => record.type === 'probe');
    const again = journal.records.flatMap((record) =>
      record === first ? [{ ...record, values: { service_cpu_cores: 50 } } as JournalRecord, record] : [record],
    );
    expect(summarize({ ...journal, records: again }).averages).toEqual(summarize(journal).averages);
  });
});

test('values are averaged over the slices, then over the rounds, that have them', () => {
  const columns = new ProbeColumns();
  const first = columns.add([{ a: 1, b: 5 }, { a: 3 }]);
  const second = columns.add([{ c: 8 }, { a: 6 }]);
  const none = columns.add([]);
  const readings = [first, second, none].map((value) => ['a', 'b', 'c', 'd'].map(value));
  expect(readings).toEqual([
    [2, 5, undefined, undefined],
    [6, undefined, 8, undefined],
    [undefined, undefined, undefined, undefined],
  ]);
  expect([...columns.names()]).toEqual(['a', 'b', 'c']);
  expect([columns.column('a'), columns.column('c'), columns.column('d')]).toEqual([[2, 6], [Number.NaN, 8], []]);
  const picked = new ProbeColumns();
  for (const place of [2, 1]) picked.addRow(columns, place);
  expect([...picked.names()].map((name) => picked.column(name))).toEqual([
    [Number.NaN, 6],
    [Number.NaN, 8],
  ]);
  const others = new ProbeColumns();
  others.add([{ a: 10, d: 1 }]);
  expect(meanOver([columns, others])).toEqual({ a: 6, b: 5, c: 8, d: 1 });
  expect(meanOver([])).toEqual({});
});

test('values tell their unit by their name', () => {
  expect(['x_bytes_per_s', 'x_per_s', 'x_ms', 'x_bytes', 'x_cores', 'x_share'].map(unitOf)).toEqual(
    ['B/s', '1/s', 'ms', 'B', 'cores', ''], // biome-ignore format: one line
  );
  expect(['x_cores{process="a"}', 'x_bytes_per_request{to="a_ms"}'].map(unitOf)).toEqual(['cores', 'B/request']);
});
