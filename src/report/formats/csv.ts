import { type CsvValue, csvRows } from '../../base/files/csv-text.ts';
import { loadAxis, loadLabel, loadSize } from '../../journal/load-level.ts';
import type { LoadAxis } from '../../journal/load-traits.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { metrics } from '../../judge/read/metrics/metrics.ts';
import { workMetrics } from '../../judge/read/metrics/work-metrics.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Change } from '../../judge/verdicts/comparison.ts';
import { notesWords } from '../words/note-words.ts';
import type { ReportFormat } from './format.ts';

export const averages: ReportFormat = { file: 'averages.csv', render: ({ summary }) => averagesCsv(summary) };
export const deltas: ReportFormat = { file: 'deltas.csv', render: ({ summary }) => deltasCsv(summary) };

/** averages.csv: one row per arm and load level, with every metric. An empty field has no value. */
export function averagesCsv(summary: Summary): string {
  const kinds = axesOf(summary);
  const head = [
    'variant',
    'repeat',
    ...kinds,
    'rounds',
    ...metrics.map(({ name }) => name),
    'ok',
    'not_ok',
    'errors',
    'timeouts',
    'outcomes',
    'load',
    'voided',
    'not_steady',
    ...workMetrics.map(({ name }) => name),
    'uncounted_requests',
    'uncounted_failed',
    ...(kinds.includes('rate') ? ['unsent', 'send_lag_p99_ms'] : []),
    ...(summary.run.bounded === undefined ? [] : ['duration_ms']),
  ];
  const rows = summary.averages.map((row): CsvValue[] => [
    row.variant,
    String(row.repeat),
    ...sizesOf(row.load, kinds),
    row.rounds,
    ...metrics.map(({ name }) => row.metrics[name]),
    row.ok,
    row.not_ok,
    row.errors,
    row.timeouts,
    Object.entries(row.outcomes)
      .map(([status, count]) => `${status}:${count}`)
      .join(' '),
    loadLabel(row.load),
    // Reasons have spaces in them.
    Object.entries(row.voided)
      .map(([reason, count]) => `${reason}:${count}`)
      .join('; '),
    row.notSteady,
    ...workMetrics.map(({ name }) => row.metrics[name]),
    row.uncounted.requests,
    row.uncounted.failed,
    ...(kinds.includes('rate') ? [row.unsent ?? null, row.sendLagP99Ms ?? null] : []),
    ...(summary.run.bounded === undefined ? [] : [row.durationMs ?? null]),
  ]);
  return csvRows([head, ...rows]);
}

/** deltas.csv: one row per comparison. An empty field has no value: no percentage, or no interval. */
export function deltasCsv(summary: Summary): string {
  const kinds = axesOf(summary);
  const head = ['variant', ...kinds, ...changeColumns, 'load'];
  const rows = summary.comparisons.map((row) => [
    row.variant,
    ...sizesOf(row.load, kinds),
    ...changeFields(row, notesWords(row.notes)),
    loadLabel(row.load),
  ]);
  return csvRows([head, ...rows]);
}

/** What the sizes of the run's load levels are: each has a column. */
function axesOf({ run }: Summary): LoadAxis[] {
  return [...new Set(run.loads.map(loadAxis))];
}

function sizesOf(load: LoadLevel, kinds: readonly LoadAxis[]): CsvValue[] {
  return kinds.map((kind) => (kind === loadAxis(load) ? loadSize(load) : null));
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
