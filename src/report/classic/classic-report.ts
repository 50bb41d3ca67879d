import { visibleTexts } from '../../base/visible.ts';
import {
  countsRequests,
  differInSize,
  loadLabel,
  loadSize,
  sizeLabel,
  traitsOf,
  underLoad,
} from '../../journal/load-level.ts';
import { type DatabaseColumn, databaseColumns } from '../../journal/records.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { plural } from '../../judge/format.ts';
import type { MetricName } from '../../judge/read/metrics/metrics.ts';
import type { Summary } from '../../judge/summary.ts';
import { codeBlock, escapeText } from '../formats/escape-text.ts';
import type { ReportContent } from '../formats/format.ts';
import { graphTables } from '../formats/graphs-table.ts';
import { renderComments, renderTable } from '../formats/markdown.ts';
import { capacityTwoWays } from '../tables/capacity-tables.ts';
import { type Cell, left, right, type Table, textCells } from '../tables/table.ts';
import { factorNames, levelsOf, twoWayTable } from '../tables/two-way.ts';
import { twoWaysOf } from '../tables/two-way-tables.ts';
import { provenanceFacts } from '../words/provenance.ts';
import { abBlocks, abSummary } from './ab-text.ts';
import { classicCapacity } from './classic-capacity.ts';
import { type ClassicRow, classicCorner, classicDefault, classicName, classicRows } from './classic-rows.ts';
import { changePercent, NO_INTERVALS, percentDecimals, percentText, plain, twoDecimals, wholeMs } from './numbers.ts';

/** The report in the style of those that people wrote by hand. */
export const CLASSIC_FILE = 'classic.md';

/** More blocks than these are too many to read. */
const MOST_BLOCKS = 20;

/**
 * A run as GitHub Markdown in the style of reports that were written by hand: their rows, columns and rounding, and no
 * intervals. Ends in a newline.
 */
export function classicMarkdown({
  summary: asRecorded,
  comments,
  charts,
}: Pick<ReportContent, 'summary' | 'comments' | 'charts'>): string {
  const summary = visibleTexts(asRecorded);
  const twoWays = classicTwoWays(summary);
  const requests = classicRequestTables(summary);
  const lines = abSummary(summary);
  const blocks = [
    `# ${escapeText(summary.run.title)}`,
    '> No intervals: these tables do not show what is real and what is chance. report.md does.',
    ...comments.flatMap(renderComments),
    '## Setup as recorded',
    draw(setUp(summary)),
    '## Results',
    ...(summary.run.loads.length === 0 ? [] : [draw(testRuns(summary))]),
    ...classicCapacity(summary).map(draw),
    ...twoWays.map(draw),
    ...summary.run.loads.flatMap((load) => [
      `### ${escapeText(loadLabel(load))}`,
      ...classicTables(summary, load).map(draw),
    ]),
    ...(requests.length === 0 ? [] : ['### Response times by request', ...requests.map(draw)]),
    ...(lines.length === 0 ? [] : ['### Summary', codeBlock(lines.join('\n'))]),
    ...blocksOf(summary),
    ...(charts.length === 0 ? [] : ['### Graphs', ...graphTables(charts).map(({ markdown }) => markdown)]),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** Names of factors and requests are keys in the summary, where `visibleTexts` leaves them alone. */
function draw(table: Table): string {
  return renderTable(visibleTexts(table));
}

function setUp(summary: Summary): Table {
  return {
    title: 'Setup',
    columns: ['Setting', 'Value'].map(left),
    rows: provenanceFacts(summary).map(textCells),
    notes: [],
  };
}

function blocksOf(summary: Summary): string[] {
  const all = abBlocks(summary);
  const shown = all.slice(0, MOST_BLOCKS).flatMap(({ title, text }) => [`#### ${escapeText(title)}`, codeBlock(text)]);
  const more = all.length - MOST_BLOCKS;
  return more > 0 ? [...shown, `${plural(more, 'block')} more ${more === 1 ? 'is' : 'are'} left out.`] : shown;
}

interface LoadColumn {
  readonly head: string;
  value(row: ClassicRow): number | null;
}

const loadColumns: readonly LoadColumn[] = [
  { head: 'Request', value: (row) => row.value('requests_per_s') },
  { head: 'Latency', value: (row) => row.value('latency_mean_ms') },
  { head: 'Throughput', value: (row) => row.value('throughput_bytes_per_s') },
  { head: '2xxx', value: (row) => row.okPerRound },
];

const databaseHeads: Readonly<Record<DatabaseColumn, string>> = {
  xact_commit: 'commit',
  xact_rollback: 'rollback',
  blks_read: 'disk blocks read',
  blks_hit: 'blocks hit cache',
  tup_returned: 'tuples returned',
  tup_fetched: 'tuples fetched',
  tup_inserted: 'tuples_inserted',
  tup_updated: 'tuples updated',
  tup_deleted: 'tuples deleted',
};

/**
 * The tables of a load level: averages and changes of the load (not of bulk loads, which have a time and no rate), then
 * pg_stat_database per second.
 */
export function classicTables(summary: Summary, load: LoadLevel): Table[] {
  const rows = classicRows(summary, load);
  const control = rows.find(({ isControl }) => isControl);
  const label = loadLabel(load);
  const tables = countsRequests(load) ? loadTables(summary, rows, control, label) : [];
  return [...tables, ...databaseTables(summary, rows, control, label)];
}

function loadTables(
  summary: Summary,
  rows: readonly ClassicRow[],
  control: ClassicRow | undefined,
  label: string,
): Table[] {
  if (rows.length === 0) return [];
  const columns = [left(''), ...loadColumns.map(({ head }) => right(head))];
  const name = ({ variant }: ClassicRow): Cell => ({ text: classicName(summary, variant) });
  const cells = (row: ClassicRow, write: (column: LoadColumn) => string): Cell[] => [
    name(row),
    ...loadColumns.map((column) => ({ text: row.word ?? write(column) })),
  ];
  const averages: Table = {
    title: `Averages, ${label} ${NO_INTERVALS}`,
    columns,
    rows: rows.map((row) => cells(row, ({ value }) => twoDecimals(value(row)))),
    notes: [],
  };
  const others = rows.filter(({ isControl }) => !isControl);
  if (control === undefined || others.length === 0) return [averages];
  const changes: Table = {
    title: `Change against ${classicName(summary, control.variant)}, ${label} ${NO_INTERVALS}`,
    columns,
    rows: others.map((row) => cells(row, ({ value }) => percentText(changePercent(value(control), value(row))))),
    notes: [],
  };
  return [averages, changes];
}

function databaseTables(
  summary: Summary,
  rows: readonly ClassicRow[],
  control: ClassicRow | undefined,
  label: string,
): Table[] {
  const metric = (column: DatabaseColumn): MetricName => `${column}_per_s`;
  if (rows.every((row) => databaseColumns.every((column) => row.value(metric(column)) === null))) return [];
  const columnsWith = (before: string) => [
    left(classicCorner(summary)),
    ...databaseColumns.map((column) => right(`${before} ${databaseHeads[column]}`)),
  ];
  const averages: Table = {
    title: `pg_stat_database per second, ${label} ${NO_INTERVALS}`,
    columns: columnsWith('Avg'),
    rows: rows.map((row) => [
      { text: row.isControl ? classicDefault(summary, row.variant) : classicName(summary, row.variant) },
      ...databaseColumns.map((column) => ({ text: twoDecimals(row.value(metric(column))) })),
    ]),
    notes: [],
  };
  const others = rows.filter(({ isControl }) => !isControl);
  if (control === undefined || others.length === 0) return [averages];
  const changes: Table = {
    title: `pg_stat_database against ${classicDefault(summary, control.variant)}, in percent, ${label} ${NO_INTERVALS}`,
    columns: columnsWith('%'),
    rows: others.map((row) => [
      { text: classicName(summary, row.variant) },
      ...databaseColumns.map((column) => ({
        text: percentDecimals(changePercent(control.value(metric(column)), row.value(metric(column)))),
      })),
    ]),
    notes: [],
  };
  return [averages, changes];
}

/** The two-way tables with both Deltas as plain percentages. */
export function classicTwoWays(summary: Summary): Table[] {
  return [...capacityTwoWays(summary), ...twoWaysOf(summary)].map((two) => {
    const values = two.rows.flatMap((_, row) => two.columns.map((_, column) => two.value({ row, column })));
    const areWhole = values.every((value) => typeof value !== 'number' || Number.isInteger(value));
    const style = { value: areWhole ? plain : twoDecimals, delta: percentText };
    const table = twoWayTable({ ...two, judged: () => null }, style);
    return { ...table, title: `${two.title} ${NO_INTERVALS}` };
  });
}

/** A table of mean latencies by request name for every variant, load levels side by side. Empty without names. */
export function classicRequestTables(summary: Summary): Table[] {
  const averages = summary.requests.averages.filter(({ repeat, load }) => !repeat && countsRequests(load));
  const names = [...new Set(averages.map(({ request }) => request))];
  const loads = summary.run.loads.filter((load) => underLoad(averages, load).length > 0);
  if (names.length === 0) return [];
  return summary.run.variants.map((variant) => {
    const own = averages.filter((one) => one.variant === variant);
    return {
      title: `${variant} ${NO_INTERVALS}`,
      columns: [
        left('API'),
        ...loads.map((load) =>
          right(load.workload === undefined ? `${usersText(load, ' Users')} Average` : `${loadLabel(load)}, Average`),
        ),
      ],
      rows: names.map((name) => [
        { text: name },
        ...loads.map((load) => ({
          text: wholeMs(underLoad(own, load).find(({ request }) => request === name)?.meanMs ?? null),
        })),
      ]),
      notes: [],
    };
  });
}

/** The load levels as a list of tests, by name where they differ in more than their size; of a grid with the levels of its factors. */
export function testRuns({ run, averages }: Summary): Table {
  const factors = factorNames({ run }).map((factor) => ({ factor, levels: levelsOf(run, factor).join(', ') }));
  const heads = factors.map(({ factor }) => left(factor));
  const [first] = run.loads;
  const isNamed = run.loads.some((load) => first !== undefined && !differInSize(load, first));
  return {
    title: 'Test Runs',
    columns: [left('Test'), ...(isNamed ? [left('Load')] : []), right('Virtual Users'), right('Duration'), ...heads],
    rows: run.loads.map((load, index) => {
      const windowMs = underLoad(averages, load).find(({ repeat }) => !repeat)?.windowMs ?? 0;
      const levels = factors.map((factor) => factor.levels);
      const name = isNamed ? [loadLabel(load)] : [];
      return textCells([`${index + 1}`, ...name, usersText(load), durationText(windowMs), ...levels]);
    }),
    notes: ['Duration: the time of each variant that counts, all rounds together.'],
  };
}

/** A connection is a user there; only a rate has none. */
function usersText(load: LoadLevel, unit = ''): string {
  return traitsOf(load).isOpenLoop ? sizeLabel(load) : `${loadSize(load)}${unit}`;
}

function durationText(ms: number): string {
  return ms >= 60_000 ? `${Number((ms / 60_000).toFixed(1))} min` : `${Number((ms / 1000).toFixed(1))} s`;
}
