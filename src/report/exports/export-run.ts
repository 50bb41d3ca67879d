import { csvRows } from '../../base/files/csv-text.ts';
import { visible, visibleLines } from '../../base/visible.ts';
import { levelOf, loadLabel } from '../../journal/load-level.ts';
import type { Metric } from '../../judge/read/metrics/metrics.ts';
import { namedMetrics } from '../../judge/read/metrics/work-metrics.ts';
import type { ArmCell, RunData } from '../../judge/read/run-data.ts';
import { significant } from '../../judge/stats/rounding.ts';
import type { Summary } from '../../judge/summary.ts';
import { averageValue } from '../../judge/verdicts/averages.ts';
import { judgeCapacities } from '../../judge/verdicts/capacity/judge-capacities.ts';
import { CAPACITY } from '../../judge/verdicts/capacity/summarize-capacities.ts';
import { cellsOf } from '../../judge/verdicts/contrasts.ts';
import type { ExportFormat } from './export-formats.ts';

/** A run in another program's format, from its data and its summary. `metrics` is the content of metrics.csv. */
export function exportRun(data: RunData, summary: Summary, format: ExportFormat): string {
  if (format === 'openmetrics') return openMetricsText(summary);
  const { name } = data.scenario;
  if (format === 'benchstat') return visibleLines(benchstatText(name, roundValues(data)));
  return metricsCsv(name, roundValues(data));
}

/** metrics.csv: a row for each metric of each arm in each round. User-supplied text cannot become a spreadsheet's formula. */
function metricsCsv(scenario: string, values: readonly RoundValue[]): string {
  const head = ['scenario', 'variant', 'load', 'round', 'metric', 'unit', 'value', 'repeat'];
  const rows = values.map(({ variant, load, round, metric, value, repeat }) => [
    scenario,
    variant,
    load,
    round,
    metric.name,
    metric.unit,
    value,
    String(repeat),
  ]);
  return csvRows([head, ...rows]);
}

/**
 * The rounds of a run in the format of Go's benchmarks (golang.org/design/14313-benchmark-format), a line for each arm in each
 * round, for `benchstat -col /variant`. Each metric is a unit of its own name, with the direction that is good news. The
 * control's second arm is left out: it would count as further rounds of the first.
 */
function benchstatText(scenario: string, values: readonly RoundValue[]): string {
  const own = values.filter(({ repeat }) => !repeat);
  const metrics = new Map(own.map(({ metric }) => [metric.name, metric]));
  const units = [...metrics.values()].flatMap(({ name, better }) =>
    better === null ? [] : [`Unit ${name} better=${better}`],
  );
  const lines = new Map<string, string[]>();
  const [variants, loads] = [wordsOf(own.map(({ variant }) => variant)), wordsOf(own.map(({ load }) => load))];
  for (const { variant, load, round, metric, value } of own) {
    // A number behind a hyphen at its end would be read as GOMAXPROCS: `release-1`.
    const name = `Benchmark/variant=${variants.get(variant)}/load=${load === '' ? 'capacity' : loads.get(load)}`;
    const key = JSON.stringify([round, variant, load]);
    const line = lines.get(key) ?? [name, '1'];
    line.push(String(value), metric.name);
    lines.set(key, line);
  }
  return `${[`scenario: ${scenario.replace(/\s+/g, ' ')}`, ...units, ...[...lines.values()].map((line) => line.join(' '))].join('\n')}\n`;
}

/** A word for each text, and for no other: of texts that differ in spaces and slashes alone, later ones get a number. */
function wordsOf(texts: readonly string[]): Map<string, string> {
  const words = new Map<string, string>();
  const taken = new Set<string>();
  // A text that is a word keeps it.
  const [own, others] = [texts.filter((text) => word(text) === text), texts.filter((text) => word(text) !== text)];
  for (const text of new Set([...own, ...others])) {
    let name = word(text);
    for (let number = 2; taken.has(name); number++) name = `${word(text)}_${number}`;
    taken.add(name);
    words.set(text, name);
  }
  return words;
}

/** A slash begins the next part of a name, and a space the numbers. */
function word(text: string): string {
  return text.replace(/[\s/]+/g, '_');
}

/** One metric of one arm in one round. */
interface RoundValue {
  readonly variant: string;
  /** `25 connections`; empty for a capacity, which is a load itself. */
  readonly load: string;
  /** True for the control's second arm (A/A). */
  readonly repeat: boolean;
  readonly round: number;
  readonly metric: Pick<Metric, 'name' | 'unit' | 'better'>;
  /** Six significant digits. */
  readonly value: number;
}

/** Every metric of every arm in every complete round; what has no value is left out. Cell by cell, round by round; capacities last. */
function roundValues(data: RunData): RoundValue[] {
  return [...ofCells(data), ...capacities(data)];
}

function ofCells(data: RunData): RoundValue[] {
  return [...cellsOf(data), ...searchedCells(data)].flatMap((cell) =>
    [...data.samples(cell)].flatMap(([round, sample]) =>
      namedMetrics.flatMap((metric): RoundValue[] => {
        const { value } = metric.read(sample);
        const { variant, repeat } = cell;
        return value === null
          ? []
          : [{ variant, load: loadLabel(cell.load), repeat, round, metric, value: significant(value) }];
      }),
    ),
  );
}

/** The loads of a capacity search, ascending. */
function searchedCells({ scenario, capacity }: RunData): ArmCell[] {
  const { capacity: spec } = scenario.load;
  if (spec === undefined) return [];
  return capacity.flatMap(({ variant, repeat, points }) =>
    [...new Set(points.map(({ load }) => load))]
      .sort((a, b) => a - b)
      .map((size) => ({ variant, repeat, load: levelOf(spec.of, size) })),
  );
}

function capacities(data: RunData): RoundValue[] {
  const judged = judgeCapacities(data);
  if (judged === null) return [];
  const metric = { name: CAPACITY, unit: judged.spec.of === 'rate' ? '1/s' : '', better: 'higher' } as const;
  return judged.arms.flatMap(({ variant, repeat, byRound }) =>
    [...byRound].map(([round, log]) => {
      return { variant, repeat, round, load: '', metric, value: significant(Math.exp(log)) };
    }),
  );
}

type Labels = Readonly<Record<string, string>>;

/**
 * Averages and changes of a run as OpenMetrics text (prometheus.io/docs/specs/om/open_metrics_spec), all of them gauges; a
 * pushgateway takes it as it is.
 */
function openMetricsText({ run, averages, comparisons }: Summary): string {
  const { scenario } = run;
  const families = namedMetrics.map(({ name, label, overRounds }) =>
    family(
      `pgsweep_${name}`,
      `${label}, ${overRounds === 'merged' ? 'over the answers of all rounds' : 'the average over rounds'}`,
      averages.map((average) => {
        const { variant, load, repeat } = average;
        return [{ scenario, variant, load: loadLabel(load), repeat: String(repeat) }, averageValue(average, name)];
      }),
    ),
  );
  const changes = (
    name: string,
    help: string,
    pick: (row: Summary['comparisons'][number]) => number | null,
  ): string[] =>
    family(
      name,
      help,
      comparisons.map((row) => [
        { scenario, variant: row.variant, load: loadLabel(row.load), metric: row.metric, verdict: row.verdict },
        pick(row),
      ]),
    );
  const lines = [
    ...families.flat(),
    ...changes('pgsweep_change_percent', 'change against the control', ({ deltaPercent }) => deltaPercent),
    ...changes('pgsweep_change_low_percent', 'low end of its interval', ({ interval }) => interval?.[0] ?? null),
    ...changes('pgsweep_change_high_percent', 'high end of its interval', ({ interval }) => interval?.[1] ?? null),
    '# EOF',
  ];
  return `${lines.join('\n')}\n`;
}

/** One metric family; none where nothing has a value. */
function family(name: string, help: string, samples: readonly (readonly [Labels, number | null])[]): string[] {
  const lines = samples.flatMap(([labels, value]) =>
    value === null ? [] : [`${name}{${labelsText(labels)}} ${value}`],
  );
  return lines.length === 0 ? [] : [`# TYPE ${name} gauge`, `# HELP ${name} ${help}`, ...lines];
}

function labelsText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');
}

/** Escapes a label value. Invisible characters become visible first: their backslash is then escaped like any other. */
function escaped(text: string): string {
  return visible(text).replace(/\\/g, '\\\\').replace(/"/g, '\\"');
}
