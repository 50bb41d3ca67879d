import { csvRows } from '../../base/files/csv-text.ts';
import { visibleLines } from '../../base/visible.ts';
import type { RunData } from '../../judge/read/run-data.ts';
import type { Summary } from '../../judge/summary.ts';
import type { ExportFormat } from './export-formats.ts';
import { openMetricsText } from './open-metrics.ts';
import { type RoundValue, roundValues } from './round-values.ts';

/** A run for another program, by its data and what they were judged to be: `metrics` is the content of metrics.csv. */
export function exportRun(data: RunData, summary: Summary, format: ExportFormat): string {
  if (format === 'openmetrics') return openMetricsText(summary);
  const { name } = data.scenario;
  if (format === 'benchstat') return visibleLines(benchstatText(name, roundValues(data)));
  return metricsCsv(name, roundValues(data));
}

/** metrics.csv: a row for each metric of each arm in each round. Text of others is safe for spreadsheets. */
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
  for (const { variant, load, round, metric, value } of own) {
    const name = `Benchmark/variant=${word(variant)}${load === '' ? '' : `/load=${word(load)}`}`;
    const key = `${round} ${name}`;
    const line = lines.get(key) ?? [name, '1'];
    line.push(String(value), metric.name);
    lines.set(key, line);
  }
  return `${[`scenario: ${scenario.replace(/\s+/g, ' ')}`, ...units, ...[...lines.values()].map((line) => line.join(' '))].join('\n')}\n`;
}

/** A slash begins the next part of a name, and a space the numbers. */
function word(text: string): string {
  return text.replace(/[\s/]+/g, '_');
}
