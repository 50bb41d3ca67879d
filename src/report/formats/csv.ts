import { type CsvValue, csvRows } from '../../base/files/csv-text.ts';
import { loadAxis, loadLabel, loadSize, sliceTraitsOf } from '../../journal/load-level.ts';
import type { LoadAxis } from '../../journal/load-traits.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { type Metric, metrics, type UsualMetricName } from '../../judge/read/metrics/metrics.ts';
import { workMetrics } from '../../judge/read/metrics/work-metrics.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Average } from '../../judge/verdicts/averages.ts';
import type { Change } from '../../judge/verdicts/comparison.ts';
import { counted } from '../tables/arm-name.ts';
import { notesWords } from '../words/note-words.ts';
import type { ReportFormat } from './format.ts';

export const averages: ReportFormat = { file: 'averages.csv', render: ({ summary }) => averagesCsv(summary) };
export const deltas: ReportFormat = { file: 'deltas.csv', render: ({ summary }) => deltasCsv(summary) };

/** averages.csv: one row per arm and load level, with every metric. An empty field has no value. */
export function averagesCsv(summary: Summary): string {
  const columns = averageColumns(summary);
  const rows = summary.averages.map((row) => columns.map(([, read]) => read(row)));
  return csvRows([columns.map(([head]) => head), ...rows]);
}

type AverageColumn = readonly [head: string, read: (row: Average) => CsvValue];

function averageColumns(summary: Summary): AverageColumn[] {
  const kinds = axesOf(summary);
  const metricColumns = (some: readonly Metric<UsualMetricName>[]): AverageColumn[] =>
    some.map(({ name }) => [name, (row) => row.metrics[name]]);
  return [
    ['variant', (row) => row.variant],
    ['repeat', (row) => String(row.repeat)],
    ...kinds.map((kind): AverageColumn => [kind, ({ load }) => sizeIn(load, kind)]),
    ['rounds', (row) => row.rounds],
    ...metricColumns(metrics),
    ['ok', (row) => counted(row, row.ok)],
    ['not_ok', (row) => counted(row, row.not_ok)],
    ['errors', (row) => counted(row, row.errors)],
    ['timeouts', (row) => counted(row, row.timeouts)],
    ['outcomes', (row) => countsText(row.outcomes, ' ')],
    ['load', (row) => loadLabel(row.load)],
    // Reasons have spaces in them.
    ['voided', (row) => countsText(row.voided, '; ')],
    ['not_steady', (row) => row.notSteady],
    ...metricColumns(workMetrics),
    ['uncounted_requests', (row) => row.uncounted.requests],
    ['uncounted_failed', (row) => row.uncounted.failed],
    ['discarded_requests', (row) => row.discarded?.requests ?? 0],
    ['discarded_failed', (row) => row.discarded?.failed ?? 0],
    ...(kinds.includes('rate') ? rateColumns : []),
    ...(sliceTraitsOf(summary.run).countsAll ? [durationColumn] : []),
    ...(summary.beside === undefined ? [] : [longestWaitColumn]),
  ];
}

const rateColumns: readonly AverageColumn[] = [
  ['unsent', (row) => row.unsent ?? null],
  ['send_lag_p99_ms', (row) => row.sendLagP99Ms ?? null],
];
const durationColumn: AverageColumn = ['duration_ms', (row) => row.durationMs ?? null];
const longestWaitColumn: AverageColumn = ['longest_wait_ms', (row) => row.longestWaitMs ?? null];

/** `200:4012 500:3` */
function countsText(counts: Readonly<Record<string, number>>, separator: string): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name}:${count}`)
    .join(separator);
}

/** deltas.csv: one row per comparison. An empty field has no value: no percentage, or no interval. */
export function deltasCsv(summary: Summary): string {
  const kinds = axesOf(summary);
  const head = ['variant', ...kinds, ...changeColumns, 'load'];
  const rows = summary.comparisons.map((row) => [
    row.variant,
    ...kinds.map((kind) => sizeIn(row.load, kind)),
    ...changeFields(row, notesWords(row.notes)),
    loadLabel(row.load),
  ]);
  return csvRows([head, ...rows]);
}

/** Axes of the run's load levels: each has a column. */
function axesOf({ run }: Summary): LoadAxis[] {
  return [...new Set(run.loads.map(loadAxis))];
}

function sizeIn(load: LoadLevel, axis: LoadAxis): CsvValue {
  return axis === loadAxis(load) ? loadSize(load) : null;
}

export const changeColumns = [
  'metric',
  'unit',
  'control',
  'value',
  'delta_percent',
  'interval_low_percent',
  'interval_high_percent',
  'verdict',
  'rounds',
  'note',
] as const;

/** A change as fields of `changeColumns`. */
export function changeFields(change: Change, note: string): CsvValue[] {
  const { metric, unit, control, value, deltaPercent, interval, verdict, rounds } = change;
  const [low, high] = interval ?? [null, null];
  return [metric, unit, control, value, deltaPercent, low, high, verdict, rounds, note];
}
