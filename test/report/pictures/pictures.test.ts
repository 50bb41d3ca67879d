import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '../../../src/journal/records.ts';
import { aggregateRun } from '../../../src/judge/read/aggregate-run.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { type Pictures, picturesOf } from '../../../src/report/pictures/pictures.ts';
import { type FixtureOptions, fixtureJournal } from '../../judge/journal-fixture.ts';

const options: FixtureOptions = {
  variants: ['a', 'b', 'c'],
  control: 'a',
  connections: [1, 25],
  rounds: 8,
  noise: 0.01,
  effect: ({ variant }) => (variant === 'c' ? Math.log(0.8) : 0),
};

function drawn(
  wanted: FixtureOptions,
  change: (record: JournalRecord) => JournalRecord = (record) => record,
): Pictures {
  const journal = fixtureJournal(wanted);
  const records = journal.records.map(change);
  const data = aggregateRun({ ...journal, records });
  return picturesOf(data, summarize({ ...journal, records }, data), { series: [], cutOff: [] });
}

const pictures = drawn(options);

describe('pictures of a run', () => {
  it('show the control first, in its own style', () => {
    expect(pictures.arms).toEqual([
      { name: 'a', style: 0 },
      { name: 'b', style: 1 },
      { name: 'c', style: 2 },
    ]);
    expect(pictures.leftOut).toEqual([]);
  });

  it('over load levels: means of rounds that lie in their intervals, and tell a fifth apart', () => {
    const [rates] = pictures.overLoads;
    expect(rates?.title).toBe('2xx/s');
    const [control, , slow] = rates?.lines ?? [];
    for (const { y, interval } of [...(control?.points ?? []), ...(slow?.points ?? [])]) {
      expect(interval?.[0]).toBeLessThan(y ?? 0);
      expect(interval?.[1]).toBeGreaterThan(y ?? 0);
    }
    expect((slow?.points[1]?.y ?? 0) / (control?.points[1]?.y ?? 0)).toBeCloseTo(0.8, 1);
    expect(drawn({ ...options, connections: [25] }).overLoads).toEqual([]);
  });

  it('over load levels: what the tables say, without a bar where samples or rounds are too few', () => {
    const few = { ...options, connections: [1, 25] };
    const journal = fixtureJournal(few);
    const data = aggregateRun(journal);
    const { averages, run } = summarize(journal, data);
    const { overLoads } = picturesOf(data, summarize(journal, data), { series: [], cutOff: [] });
    for (const [label, name] of [
      ['p95', 'latency_p95_ms'],
      ['2xx/s', 'requests_per_s'],
    ] as const) {
      const plot = overLoads.find(({ title }) => title.includes(label));
      for (const line of plot?.lines.filter((one) => one.name !== run.control) ?? []) {
        const table = averages.filter(({ variant }) => variant === line.name).map(({ metrics }) => metrics[name]);
        for (const [at, { y }] of line.points.entries()) expect(y).toBeCloseTo(table[at] ?? Number.NaN, 2);
      }
    }
    const scarce = drawn({ ...few, requestsPerSecond: 1 }).overLoads.find(({ title }) => title.includes('p99'));
    expect(scarce?.lines.flatMap(({ points }) => points.flatMap(({ interval }) => interval ?? [])) ?? []).toEqual([]);
    for (const { lines } of drawn({ ...few, rounds: 3 }).overLoads)
      for (const { points } of lines) expect(points.every(({ interval }) => interval === undefined)).toBe(true);
  });

  it('of latencies: curves that never fall, the slow one above', () => {
    const [plot] = pictures.loads[1]?.latency ?? [];
    const ys = plot?.lines.map(({ points }) => points.map(({ y }) => y ?? 0)) ?? [];
    expect(ys).toHaveLength(3);
    for (const line of ys) expect(line).toEqual([...line].sort((a, b) => a - b));
    expect(ys[2]?.[5]).toBeGreaterThan(ys[0]?.[5] ?? 0);
    const rows = pictures.loads[1]?.percentiles?.rows ?? [];
    expect(rows.map(([name]) => name?.text)).toEqual(['a', 'a again (A/A)', 'b', 'c']);
    for (const row of rows) {
      const numbers = row.slice(2).map(({ text }) => Number(text.replaceAll(',', '')));
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    }
  });

  it('round by round: changes against the control of the round', () => {
    const [plot] = pictures.loads[0]?.rounds ?? [];
    expect(plot?.lines.map(({ name }) => name)).toEqual(['a again (A/A)', 'b', 'c']);
    for (const { y } of plot?.lines[2]?.points ?? []) expect(y).toBeLessThan(-10);
    expect(pictures.loads[0]?.roundTables[0]).toMatchObject({ title: '2xx/s by round, 1 connection' });
    expect(pictures.loads[0]?.roundTables[0]?.rows).toHaveLength(8);
  });

  it('over time: rates by turns, with a gap behind each round', () => {
    const inTurns = drawn(options, (record) =>
      record.type !== 'slice' || record.turns === undefined
        ? record
        : { ...record, turns: { ...record.turns, okByTime: [10, 10, 20, 20] } },
    );
    const title = '2xx/s, by turns';
    const plot = inTurns.loads[0]?.overTime.find((one) => one.title === title);
    // Four turns in 4 s.
    expect(plot?.lines[0]?.points.slice(0, 6).map(({ y }) => y)).toEqual([10, 10, 20, 20, null, 10]);
    expect(pictures.loads[0]?.overTime.map((one) => one.title)).not.toContain(title);
  });

  it('over time: the rate of a part that the end of a slice cuts short is that of its own time', () => {
    const course = (ok: readonly number[]) => ({ partMs: 1600, ok, meanUs: ok, p99Us: ok, byRequest: {} });
    const ratesOf = (ok: readonly number[]) =>
      drawn(options, (record) => (record.type === 'slice' ? { ...record, course: course(ok) } : record))
        .loads[0]?.overTime.find(({ title }) => title === '2xx/s, in the course of a slice')
        ?.lines[0]?.points.slice(0, ok.length)
        .map(({ y }) => y);
    // A slice of 4 s has 800 ms of the third part, and nothing of a fourth.
    expect(ratesOf([16, 16, 8])).toEqual([10, 10, 10]);
    expect(ratesOf([16, 16, 8, 1])).toEqual([10, 10, 10, null]);
  });

  it('over time: CPU by rounds, where a probe saw it', () => {
    const probed = drawn({ ...options, probes: ({ round }) => ({ processes: { service_cpu_cores: round / 10 } }) });
    const plot = probed.loads[0]?.overTime.find(({ title }) => title === 'CPU of the service, cores');
    expect(plot?.lines[0]?.points.map(({ y }) => y)).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]);
  });
});

describe('a bounded run', () => {
  it('shows CPU, memory and sessions in its course, whether arms differ in them or not', () => {
    const journal = fixtureJournal({ ...options, connections: [25], rounds: 1 });
    const { scenario } = journal.run;
    const run = { ...journal.run, scenario: { ...scenario, load: { ...scenario.load, forMs: 60_000 } } };
    const bounded = { ...journal, run };
    const data = aggregateRun(bounded);
    const same = (name: string, value: number) => ({ name, of: () => new Map([[1, [value, value, value]]]) });
    const series = [
      same('service_cpu_cores', 0.5),
      same('postgres_memory_bytes', 80e6),
      same('connections_sessions', 10),
      same('pg_pool_max', 10),
    ];
    const [level] = picturesOf(data, summarize(bounded, data), { series, cutOff: [] }).loads;
    const plots = level?.overTime.map(({ title, lines }) => [title, lines[0]?.points.map(({ y }) => y)]);
    expect(plots).toEqual([
      ['CPU of the service, cores, in the course of a slice', [0.5, 0.5, 0.5, null]],
      ['memory of Postgres, MB, in the course of a slice', [80, 80, 80, null]],
      ['database sessions, in the course of a slice', [10, 10, 10, null]],
    ]);
  });
});

describe('a service that is several processes', () => {
  it('has pictures of the CPU and the memory of each', () => {
    const probes = ({ round }: { round: number }) => ({
      processes: {
        'service_cpu_cores{process="api"}': round / 10,
        'service_memory_max_bytes{process="api"}': round * 1e6,
        'service_cpu_cores{process="1"}': 1,
        'service_cpu_user_cores{process="1"}': 1,
      },
    });
    const { overTime = [] } = drawn({ ...options, probes }).loads[0] ?? {};
    expect(overTime.slice(-3).map(({ title }) => title)).toEqual([
      'CPU of api, cores',
      'memory of api, MB',
      'CPU of instance 1, cores',
    ]);
    expect(overTime.at(-2)?.lines[0]?.points.map(({ y }) => y)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe('a run with many variants', () => {
  const many = Array.from({ length: 12 }, (_, index) => `v${index}`);

  it('has lines for the control and five others, those with verdicts among them, and says so', () => {
    const { arms, leftOut, loads } = drawn({
      ...options,
      variants: many,
      control: 'v0',
      rounds: 6,
      effect: ({ variant }) => (variant === 'v9' || variant === 'v11' ? -0.3 : 0),
    });
    expect(arms).toHaveLength(6);
    expect(arms.map(({ name }) => name)).toEqual(expect.arrayContaining(['v0', 'v9', 'v11']));
    expect(leftOut).toEqual([expect.stringContaining('Lines are drawn for the control and 5 of 11 variants')]);
    // Bars stand for all.
    expect(loads[0]?.changes[0]?.bars.bars).toHaveLength(12);
  });
});
