import { formatDelta, formatInterval } from '../../analysis/format.ts';
import type { MoreFailures } from '../../analysis/notes.ts';
import type { Metric } from '../../analysis/read/metrics/metrics.ts';
import { allMetrics } from '../../analysis/read/metrics/work-metrics.ts';
import { shortened } from '../../base/visible.ts';
import {
  type ChangeDifference,
  type Difference,
  type LevelDifference,
  type RunsComparison,
  type Side,
  sides,
} from '../../between-runs/types.ts';
import { loadKey, loadLabel } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { type Cell, right, type Table } from '../tables/table.ts';
import { type Place, twoWayTable } from '../tables/two-way.ts';
import { noteWords } from '../words/note-words.ts';
import { areaWords, differenceText } from './words.ts';

/** Rows of what differs; more are counted. */
const MOST_DIFFERENCES = 30;
const LONGEST_VALUE = 60;

/** What is recorded and differs. */
export function differencesTable(differences: readonly Difference[]): Table {
  const left = differences.length - MOST_DIFFERENCES;
  return {
    title: 'What differs',
    columns: ['in', 'what', ...sides].map((head) => ({ head, align: 'left' })),
    rows: differences
      .slice(0, MOST_DIFFERENCES)
      .map(({ area, place, values }) => [
        { text: areaWords[area] },
        { text: shortened(place, LONGEST_VALUE) },
        ...sides.map((side) => ({ text: valuesWords(values[side]) })),
      ]),
    notes: left > 0 ? [`${left} more differ; --json has all.`] : [],
  };
}

function valuesWords(values: readonly (string | null)[]): string {
  return values.map((value) => (value === null ? '(none)' : shortened(value, LONGEST_VALUE))).join(' or ');
}

/**
 * Levels of every variant in both sides, with a Delta column (head against base) and Delta rows (against the control). Where
 * both meet stands how the change differs.
 */
export function levelsTable(comparison: RunsComparison, load: LoadLevel, metric: Metric): Table {
  const { control, changes, levels } = comparison;
  const others = comparison.variants.filter((name) => name !== control);
  const rows = control === null ? others : [control, ...others];
  const isHere = (one: { readonly load: LoadLevel; readonly metric: string }): boolean =>
    one.metric === metric.name && loadKey(one.load) === loadKey(load);
  const levelOf = new Map(levels.filter(isHere).map((level) => [level.variant, level]));
  const changeOf = new Map(changes.filter(isHere).map((change) => [change.variant, change]));
  const sideOf = (column: number): Side => sides[column] ?? 'base';
  const nameOf = ({ row }: Place): string => rows[row] ?? '';
  const table = twoWayTable({
    title: `${loadLabel(load)}: ${metric.label}`,
    corner: 'variant',
    rows,
    columns: sides,
    base: { row: control === null || rows.length < 2 ? null : 0, column: 0 },
    value: (place) => levelOf.get(nameOf(place))?.value[sideOf(place.column)] ?? null,
    judged: (from, to) =>
      from.row === to.row ? levelCell(levelOf.get(nameOf(to))) : ownCell(changeOf.get(nameOf(to)), sideOf(to.column)),
    notes: [...levelOf.values()].flatMap(({ variant, notes }) =>
      notes.flatMap((note) => (note.kind === 'more-failures' ? [`[!] ${variant}, head: ${failureWords(note)}`] : [])),
    ),
  });
  // Below the rows of variants come those of Delta, in the order of the other variants.
  return {
    ...table,
    rows: table.rows.map((row, index) => {
      const change = changeOf.get(others[index - rows.length] ?? '');
      return index < rows.length || change === undefined
        ? row
        : [...row.slice(0, -1), { text: differenceText(change) }];
    }),
  };
}

/** The control of these is base. */
function failureWords(note: MoreFailures): string {
  return noteWords(note).replace('(control ', '(base ');
}

function levelCell(level: LevelDifference | undefined): Cell {
  if (level === undefined) return { text: 'n/a' };
  const { deltaPercent, interval, verdict, notes } = level;
  if (deltaPercent === null) return { text: notes.map(noteWords)[0] ?? 'n/a' };
  const mark = notes.some(({ kind }) => kind === 'more-failures') ? ' [!]' : '';
  if (interval !== null) return { text: `${formatDelta(deltaPercent)} ${formatInterval(interval)} ${verdict}${mark}` };
  return { text: `${formatDelta(deltaPercent)} ${verdict === 'unfit' ? 'unfit' : 'no verdict'}${mark}` };
}

function ownCell(change: ChangeDifference | undefined, side: Side): Cell {
  if (change === undefined) return { text: 'n/a' };
  const [percent, own] = [change.deltaPercent[side], change.own[side]];
  if (percent === null) return { text: 'n/a' };
  if (own === null) return { text: `${formatDelta(percent)} (mean of ${change.sessions[side]} runs)` };
  const { interval, verdict } = own;
  if (interval === null) return { text: `${formatDelta(percent)} ${verdict === 'unfit' ? 'unfit' : 'no verdict'}` };
  return { text: `${formatDelta(percent)} ${formatInterval(interval)} ${verdict}` };
}

/** How changes against the control differ, by metric: those of the load, and work a request where it differs. */
export function changesTable({ changes, control }: RunsComparison, load: LoadLevel): Table {
  const shown = changes.filter((one) => loadKey(one.load) === loadKey(load) && isShown(one));
  const order = new Map(allMetrics.map(({ name }, index) => [name as string, index]));
  const rows = shown.toSorted((a, b) => (order.get(a.metric) ?? 0) - (order.get(b.metric) ?? 0));
  const why = rows.flatMap(({ metric, notes }) => notes.map((note) => `${metric}: ${noteWords(note)}`));
  return {
    title: `${loadLabel(load)}: how changes against ${control} differ`,
    columns: [
      { head: 'metric', align: 'left' },
      { head: 'variant', align: 'left' },
      ...[...sides, 'head against base'].map(right),
    ],
    rows: rows.map((change) => [
      { text: allMetrics.find(({ name }) => name === change.metric)?.label ?? change.metric },
      { text: change.variant },
      ...sides.map((side) => ownCell(change, side)),
      { text: differenceText(change) },
    ]),
    notes: [...new Set(why)].slice(0, 6),
  };
}

function isShown({ metric, verdict }: ChangeDifference): boolean {
  const group = allMetrics.find(({ name }) => name === metric)?.group;
  return group === 'load' || (group === 'work' && (verdict === 'higher' || verdict === 'lower'));
}
