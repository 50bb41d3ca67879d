import type { Average } from '../analysis/averages.ts';
import type { Comparison } from '../analysis/comparison.ts';
import { type Metric, type MetricName, metrics, requestsPerSecond } from '../analysis/metrics.ts';
import type { Summary } from '../analysis/summary.ts';
import { loadKey } from '../journal/load-level.ts';
import type { LoadLevel } from '../journal/scenario-record.ts';
import { bulkTable } from './bulk-tables.ts';
import { deltaCell } from './delta-cell.ts';
import { formatCount, formatValue, plural } from './format.ts';
import { type Cell, type Column, right, type Table, transpose } from './table.ts';
import { validityNotes } from './validity-notes.ts';

/** Up to so many variants stand side by side, each with its interval and verdict; more are easier to read as rows. */
const MAX_VARIANT_COLUMNS = 4;

/** The tables of one load level: averages and deltas of the load, then of the database where it was sampled. */
export function tablesOf(summary: Summary, load: LoadLevel): Table[] {
  const here = <T extends { readonly load: LoadLevel }>(rows: readonly T[]): T[] =>
    rows.filter((row) => loadKey(row.load) === loadKey(load));
  const averages = here(summary.averages);
  const comparisons = here(summary.comparisons);
  const repeats = here(summary.repeats);
  const bulk = bulkTable(summary, load);
  const ofGroups = (['load', 'database'] as const).flatMap((group) => {
    const ofGroup = metrics.filter((metric) => metric.group === group);
    const names = new Set<string>(ofGroup.map(({ name }) => name));
    if (averages.every((average) => ofGroup.every(({ name }) => average.metrics[name] === null))) return [];
    const averageTable = group === 'load' ? loadAverages(averages, summary) : databaseAverages(averages, summary);
    const deltas = [...comparisons, ...repeats].filter(({ metric }) => names.has(metric));
    const deltaTable = deltasTable(deltas, ofGroup, summary, new Set(repeats));
    return deltas.length === 0 ? [averageTable] : [averageTable, deltaTable];
  });
  return bulk === null ? ofGroups : [bulk, ...ofGroups];
}

function loadAverages(averages: readonly Average[], summary: Summary): Table {
  const shown = metrics.filter(({ group }) => group === 'load');
  const rows = averages.map((average) => [
    { text: armName(average, summary) },
    ...valueCells(average, shown),
    { text: formatCount(average.ok) },
    { text: formatCount(average.not_ok) },
  ]);
  return {
    title: 'Averages',
    columns: [nameColumn, ...shown.map(({ label }) => right(label)), right('2xx'), right('non-2xx')],
    rows,
    notes: [
      ...statusNotes(averages, summary),
      ...failureNotes(averages),
      ...validityNotes(averages, (average) => armName(average, summary)),
    ],
  };
}

function databaseAverages(averages: readonly Average[], summary: Summary): Table {
  const shown = metrics.filter(({ group }) => group === 'database');
  return {
    title: 'pg_stat_database, averages per second',
    columns: [nameColumn, ...shown.map(({ label }) => right(label))],
    rows: averages.map((average) => [{ text: armName(average, summary) }, ...valueCells(average, shown)]),
    notes: [],
  };
}

function deltasTable(
  deltas: readonly Comparison[],
  shown: readonly Metric[],
  summary: Summary,
  repeats: ReadonlySet<Comparison>,
): Table {
  const rowNames = new Map<string, Comparison[]>();
  for (const comparison of deltas) {
    const name = repeats.has(comparison) ? repeatName(summary) : comparison.variant;
    rowNames.set(name, [...(rowNames.get(name) ?? []), comparison]);
  }
  const rows = [...rowNames].map(([name, comparisons]): Cell[] => [
    { text: name },
    ...shown.map(({ name: metric }) => {
      const comparison = comparisons.find((one) => one.metric === metric);
      return comparison === undefined ? { text: 'n/a' } : deltaCell(comparison);
    }),
  ]);
  const isDatabase = shown.some(({ group }) => group === 'database');
  const table: Table = {
    title: `${isDatabase ? 'pg_stat_database, change' : 'Change'} against ${summary.run.control}`,
    columns: [nameColumn, ...shown.map(({ label }) => right(label))],
    rows,
    notes: deltaNotes(
      deltas.filter((one) => !repeats.has(one)),
      isDatabase,
    ),
  };
  return rows.length <= MAX_VARIANT_COLUMNS ? transpose(table, 'metric') : table;
}

/** What the cells leave out: why some have no number, and how long the noise in 2xx/s would take to settle. */
function deltaNotes(deltas: readonly Comparison[], isDatabase: boolean): string[] {
  const missing = new Map<string, Set<string>>();
  for (const { metric, note, deltaPercent, control } of deltas) {
    if (deltaPercent !== null || control === 0) continue;
    const label = metrics.find(({ name }) => name === metric)?.label ?? metric;
    const reason = firstReason(note);
    missing.set(reason, (missing.get(reason) ?? new Set()).add(label));
  }
  const reasons = [...missing].map(([reason, labels]) => `${[...labels].join(', ')} ${reason}.`);
  if (isDatabase) {
    const perLoad = 'Per second of load: an arm that serves fewer requests also counts less of everything.';
    return [perLoad, ...rateNotes(deltas), ...reasons];
  }
  const noise = deltas.filter((one) => one.metric === requestsPerSecond.name && one.verdict === 'unclear');
  const waits = noise.flatMap(({ variant, interval, note }) =>
    interval === null ? [] : [`${variant} ${firstReason(note)}`],
  );
  return [
    'In a closed loop mean latency = connections / throughput: 2xx/s and mean ms are one finding, not two.',
    ...(waits.length === 0 ? [] : [`Noise in 2xx/s: ${waits.join(', ')} to settle.`]),
    ...rateNotes(deltas),
    ...voidingNotes(deltas),
    ...reasons,
  ];
}

/** Where the control counted nothing: how much more there is, since there is no percentage. */
function rateNotes(deltas: readonly Comparison[]): string[] {
  const rates = deltas.flatMap(({ variant, metric, value, rateInterval }) => {
    if (rateInterval === undefined || value === null) return [];
    const label = metrics.find(({ name }) => name === metric)?.label ?? metric;
    const [low, high] = rateInterval.map(formatValue);
    return [`${label} of ${variant} +${formatValue(value)}/s (${low} to ${high})`];
  });
  return rates.length === 0 ? [] : [`The control had none: ${rates.join(', ')}.`];
}

function voidingNotes(deltas: readonly Comparison[]): string[] {
  return deltas
    .filter(({ metric }) => metric === requestsPerSecond.name)
    .flatMap(({ variant, note }) => {
      const said = /unequal voiding: [^;]*/.exec(note)?.[0];
      return said === undefined ? [] : [`[!] ${variant}: ${said}. What is left out unequally is a selection.`];
    });
}

/** A note's first reason, without the counts that differ from arm to arm. */
function firstReason(note: string): string {
  return note.replace(/( \(|;).*/, '');
}

/** The split by status where there is more to see than the counts of 2xx and others. */
function statusNotes(averages: readonly Average[], summary: Summary): string[] {
  const split = averages.some(
    ({ outcomes, errors, timeouts }) => Object.keys(outcomes).length > 1 || errors > 0 || timeouts > 0,
  );
  if (!split) return [];
  const lines = averages.map((average) => {
    const parts = Object.entries(average.outcomes).map(([status, count]) => `${formatCount(count)} x ${status}`);
    if (average.errors > 0) parts.push(plural(average.errors, 'error'));
    if (average.timeouts > 0) parts.push(plural(average.timeouts, 'timeout'));
    return `${armName(average, summary)} ${parts.join(' + ')}`;
  });
  return [`Answers by status: ${lines.join('; ')}.`];
}

function failureNotes(averages: readonly Average[]): string[] {
  return averages.flatMap(({ variant, failures }) =>
    failures === null ? [] : [`[!] ${variant}: ${failures}. Faster because it failed is not faster.`],
  );
}

const nameColumn: Column = { head: 'variant', align: 'left' };

function valueCells(average: Average, shown: readonly Metric<MetricName>[]): Cell[] {
  return shown.map(({ name }) => ({ text: formatValue(average.metrics[name]) }));
}

function armName({ variant, repeat, failures }: Average, summary: Summary): string {
  if (repeat) return repeatName(summary);
  if (variant === summary.run.control) return `${variant} (control)`;
  return failures === null ? variant : `${variant} [!]`;
}

function repeatName(summary: Summary): string {
  return `${summary.run.control} again (A/A)`;
}
