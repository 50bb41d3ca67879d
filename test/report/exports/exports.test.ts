import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Journal } from '../../../src/journal/journal.ts';
import { loadSize } from '../../../src/journal/load-level.ts';
import { aggregateRun } from '../../../src/judge/read/aggregate-run.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { exportRun } from '../../../src/report/exports/export-run.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';
import { aloneJob, besideJob, bounded } from '../../judge/kinds-of-load.ts';

/** Six rounds; one of two variants is a tenth slower, and the other has a name that spreadsheets would calculate. */
let journal: Journal;
let summary: Summary;
beforeAll(() => {
  journal = fixtureJournal({
    variants: ['base', '=1+1 "quoted"', 'slow/er', 'es\u001bcape\n\\'],
    control: 'base',
    connections: [1, 25],
    rounds: 6,
    noise: 0.005,
    effect: ({ variant }) => (variant === 'slow/er' ? Math.log(0.9) : 0),
  });
  summary = summarize(journal);
});

const mean = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0) / values.length;

describe('metrics.csv', () => {
  it('has a row for each metric of each arm in each round, whose means are the averages', () => {
    const rows = parse(exportRun(aggregateRun(journal), summary, 'metrics'), {
      columns: true,
    }) as unknown as Record<string, string>[];
    expect(Object.keys(rows[0] ?? {})).toEqual([
      'scenario',
      'variant',
      'load',
      'round',
      'metric',
      'unit',
      'value',
      'repeat',
    ]);
    const own = rows.filter(
      (row) =>
        row.variant === 'base' &&
        row.load === '25 connections' &&
        row.metric === 'requests_per_s' &&
        row.repeat === 'false',
    );
    expect(own.map(({ round }) => round)).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(own[0]?.unit).toBe('1/s');
    const average = summary.averages.find(
      ({ variant, load, repeat }) => variant === 'base' && loadSize(load) === 25 && !repeat,
    );
    expect(mean(own.map(({ value }) => Number(value)))).toBeCloseTo(average?.metrics.requests_per_s ?? 0, 1);
  });

  it('has no cell that a spreadsheet calculates', () => {
    expect(exportRun(aggregateRun(journal), summary, 'metrics')).toContain(`"'=1+1 ""quoted"""`);
    const cells = (parse(exportRun(aggregateRun(journal), summary, 'metrics')) as string[][]).flat();
    expect(cells.filter((cell) => /^[=+@]/.test(cell))).toEqual([]);
  });
});

describe('OpenMetrics', () => {
  it('is gauges with types before them, escaped labels, and an end', () => {
    const lines = exportRun(aggregateRun(journal), summary, 'openmetrics').trimEnd().split('\n');
    expect(lines.at(-1)).toBe('# EOF');
    const sample = /^(pgsweep_[a-z0-9_]+)\{(?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)+\} -?[\d.e+-]+$/;
    let family = '';
    for (const line of lines.slice(0, -1)) {
      const type = /^# TYPE (\S+) gauge$/.exec(line);
      if (type !== null) family = type[1] ?? '';
      else if (!line.startsWith(`# HELP ${family} `)) expect(sample.exec(line)?.[1], line).toBe(family);
    }
    expect(lines.some((line) => line.includes('variant="=1+1 \\"quoted\\""'))).toBe(true);
    expect(lines.some((line) => line.includes('variant="es\\\\u001bcape\\\\u000a\\\\"'))).toBe(true);
    const delta = summary.comparisons.find(
      ({ variant, load, metric }) => variant === 'slow/er' && loadSize(load) === 25 && metric === 'requests_per_s',
    );
    expect(lines).toContain(
      `pgsweep_change_percent{scenario="${summary.run.scenario}",variant="slow/er",load="25 connections",metric="requests_per_s",verdict="lower"} ${delta?.deltaPercent}`,
    );
  });

  it('says of each metric how rounds became one value: a percentile is no average', () => {
    const text = exportRun(aggregateRun(journal), summary, 'openmetrics');
    expect(text).toContain('# HELP pgsweep_latency_p95_ms p95 ms, over the answers of all rounds\n');
    expect(text).toContain('# HELP pgsweep_latency_mean_ms mean ms, the average over rounds\n');
  });
});

describe('--export benchstat', () => {
  it('has a line for each arm and round, and says which direction is good', () => {
    const lines = exportRun(aggregateRun(journal), summary, 'benchstat').trimEnd().split('\n');
    expect(lines[0]).toBe(`scenario: ${summary.run.scenario}`);
    expect(lines).toContain('Unit requests_per_s better=higher');
    expect(lines).toContain('Unit latency_p50_ms better=lower');
    const own = lines.filter((line) => line.startsWith('Benchmark/variant=slow_er/load=25_connections 1 '));
    expect(own).toHaveLength(6);
    for (const line of lines.filter((one) => one.startsWith('Benchmark')))
      expect(line).toMatch(/^\S+ 1( [\d.e+-]+ \S+)+$/);
  });
});

it('variants whose names differ in spaces and slashes alone are a benchmark each', () => {
  const variants = ['a b', 'a_b', 'a/b', 'a_b_2'];
  const data = aggregateRun(fixtureJournal({ variants, control: 'a b', connections: [1], rounds: 4 }));
  const lines = exportRun(data, summary, 'benchstat').split('\n');
  const valuesOf = (name: string): (string | undefined)[] =>
    lines.flatMap((line) => (line.startsWith(`Benchmark/variant=${name}/`) ? [line.split(' ')[4]] : []));
  // A name that needs no change keeps it.
  const names = ['a_b_3', 'a_b', 'a_b_4', 'a_b_2'];
  for (const name of names) expect(valuesOf(name), name).toHaveLength(4);
  expect(new Set(names.flatMap(valuesOf)).size).toBe(16);
});

it('no benchmark has a name that ends in a hyphen and a number, which benchstat takes for GOMAXPROCS', () => {
  const variants = ['release-1', 'release-2'];
  const data = aggregateRun(fixtureJournal({ variants, control: 'release-1', connections: [1], rounds: 4 }));
  const { scenario, rounds } = data;
  const capacity = { of: 'connections', from: 50, to: 200, until: [{ metric: 'p95_ms', most: 100 }] } as const;
  const pointsOf = (round: number) =>
    [50, 80, 100, 140, 200].map((load) => {
      const values = new Map([['p95_ms', load + round / 10]]);
      return { round, load, wanted: true, generatorBusy: false, machineBusy: false, answers: 1000, values };
    });
  const searched = {
    ...data,
    scenario: { ...scenario, load: { ...scenario.load, levels: [], capacity } },
    capacity: variants.map((variant) => ({ variant, repeat: false, points: rounds.flatMap(pointsOf), hiddenShare: 0 })),
  };
  const lines = exportRun(searched, summary, 'benchstat').split('\n');
  const names = lines.filter((line) => line.includes(' capacity')).map((line) => line.split(' ')[0]);
  expect(new Set(names.slice(1))).toEqual(
    new Set(variants.map((variant) => `Benchmark/variant=${variant}/load=capacity`)),
  );
  for (const name of names) expect(name).not.toMatch(/-\d+$/);
});

describe('the metrics of a kind of load', () => {
  const small = { variants: ['a', 'b'], control: 'a', connections: [1], rounds: 4, repeat: false };
  const beside = { jobMs: 500, longestMs: 40, beforeMs: 5, rateRatio: 1 };
  it.each([
    ['count', bounded(small, ({ variant }) => (variant === 'b' ? 2000 : 1000)), { duration_ms: [1000, 2000] }],
    ['job', aloneJob(small, ({ variant }) => (variant === 'b' ? 2000 : 1000)), { duration_ms: [1000, 2000] }],
    ['a job beside requests', besideJob(small, () => beside), { duration_ms: [500, 500], longest_wait_ms: [40, 40] }],
  ])('of %s are in every format', (_, own, expected) => {
    const [data, judged] = [aggregateRun(own), summarize(own)];
    const csv = parse(exportRun(data, judged, 'metrics'), { columns: true }) as unknown as Record<string, string>[];
    const [benchstat, openmetrics] = (['benchstat', 'openmetrics'] as const).map((format) =>
      exportRun(data, judged, format),
    );
    for (const [metric, [a, b]] of Object.entries(expected)) {
      const rows = csv.filter((row) => row.metric === metric && row.round === '4');
      expect(rows.map(({ variant, value }) => [variant, Number(value)])).toEqual([
        ['a', a],
        ['b', b],
      ]);
      expect(benchstat).toContain(`Unit ${metric} better=lower\n`);
      expect(benchstat).toContain(` ${b} ${metric}`);
      expect(openmetrics).toMatch(new RegExp(`^pgsweep_${metric}\\{.*variant="b".*\\} ${b}$`, 'm'));
    }
  });
});
