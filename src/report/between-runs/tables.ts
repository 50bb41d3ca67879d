import { shortened } from '../../base/visible.ts';
import { loadKey, loadLabel } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import {
  type ChangeDifference,
  type Difference,
  type LevelDifference,
  type RunsComparison,
  type Side,
  sides,
} from '../../judge/between-runs/types.ts';
import type { MoreFailures } from '../../judge/caveat.ts';
import { formatChange, formatDelta, plural } from '../../judge/format.ts';
import type { Metric } from '../../judge/read/metrics/metrics.ts';
import { namedMetrics } from '../../judge/read/metrics/work-metrics.ts';
import { type Cell, left, right, type Table, textCells } from '../tables/table.ts';
import { type Place, twoWayTable } from '../tables/two-way.ts';
import { noteWords } from '../words/note-words.ts';
import { areaWords, differenceText } from './words.ts';

/** Rows of what differs; more are counted. */
const MOST_DIFFERENCES = 30;
const LONGEST_VALUE = 60;

/** Recorded facts that differ. */
export function differencesTable(differences: readonly Difference[]): Table {
  const more = differences.length - MOST_DIFFERENCES;
  return {
    title: 'What differs',
    columns: ['in', 'what', ...sides].map(left),
    rows: differences
      .slice(0, MOST_DIFFERENCES)
      .map(({ area, place, values }) => [
        ...textCells([areaWords[area], shortened(place, LONGEST_VALUE)]),
        ...differingParts(values).map((text) => ({ text, code: true as const })),
      ]),
    notes: more > 0 ? [`${more} more differ; --json has all.`] : [],
  };
}

/** This many characters that are the same stand beside those that differ; a word that is no longer than this stands whole. */
const [CONTEXT, MOST_OF_WORD] = [12, 24];

/** The values of each side; of long ones that begin or end alike the part that differs: `… --pool=10 --port …`. */
function differingParts(values: Difference['values']): string[] {
  const known = sides.flatMap((side) => values[side].flatMap((value) => value ?? []));
  const [first = '', ...others] = known;
  const isLong = others.length > 0 && known.some(({ length }) => length > LONGEST_VALUE);
  const start = isLong ? beginning(first, Math.min(...others.map((other) => alike(first, other)))) : 0;
  const rests = known.map((value) => value.slice(start));
  const [rest = '', ...otherRests] = rests.map((text) => [...text].reverse().join(''));
  const end = isLong ? Math.max(0, Math.min(...otherRests.map((other) => alike(rest, other))) - CONTEXT) : 0;
  const part = (value: string): string => {
    const cut = value.slice(start, end > CONTEXT ? value.length - end : undefined);
    return shortened(`${start > 0 ? '…' : ''}${cut}${end > CONTEXT ? '…' : ''}`, LONGEST_VALUE);
  };
  return sides.map((side) => values[side].map((value) => (value === null ? '(none)' : part(value))).join(' or '));
}

/** Where to begin a text that is of interest from a place on: with the word there, or a little before. */
function beginning(text: string, at: number): number {
  const word = text.lastIndexOf(' ', at - 1) + 1;
  return at - word <= MOST_OF_WORD ? word : Math.max(0, at - CONTEXT);
}

/** How many characters two texts have in common at their beginning. */
function alike(one: string, other: string): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at++;
  return at;
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
    notes: [
      ...[...levelOf.values()].flatMap(({ variant, notes }) =>
        notes.flatMap((note) => (note.kind === 'more-failures' ? [`[!] ${variant}, head: ${failureWords(note)}`] : [])),
      ),
      ...[...changeOf.values()].flatMap(caveatWords),
    ],
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

/** The meaning of a change's mark. */
function caveatWords({ variant, notes }: ChangeDifference): string[] {
  return notes.flatMap((note) => (note.kind === 'caveats' ? [`[!] ${variant}, ${noteWords(note)}`] : []));
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
  if (interval !== null) return { text: `${formatChange(deltaPercent, interval)} ${verdict}${mark}` };
  return { text: `${formatDelta(deltaPercent)} ${verdict === 'unfit' ? 'unfit' : 'no verdict'}${mark}` };
}

function ownCell(change: ChangeDifference | undefined, side: Side): Cell {
  if (change === undefined) return { text: 'n/a' };
  const [percent, own] = [change.deltaPercent[side], change.own[side]];
  if (percent === null) return { text: 'n/a' };
  if (own === null) return { text: `${formatDelta(percent)} (mean of ${change.sessions[side]} runs)` };
  const { interval, verdict } = own;
  if (interval === null) return { text: `${formatDelta(percent)} ${verdict === 'unfit' ? 'unfit' : 'no verdict'}` };
  return { text: `${formatChange(percent, interval)} ${verdict}` };
}

/** The changes of other metrics that are not the same in both; what has no row is counted below. Null where there is no other. */
export function changesTable({ changes, control }: RunsComparison, load: LoadLevel, shown: Metric): Table | null {
  const order = new Map<string, Metric & { readonly place: number }>(
    namedMetrics.map((metric, place) => [metric.name, { ...metric, place }]),
  );
  const others = changes.filter(
    (one) => loadKey(one.load) === loadKey(load) && one.metric !== shown.name && isTelling(order.get(one.metric)),
  );
  if (others.length === 0) return null;
  const rows = others
    .filter(({ verdict }) => verdict === 'higher' || verdict === 'lower')
    .sort((a, b) => (order.get(a.metric)?.place ?? 0) - (order.get(b.metric)?.place ?? 0));
  const caveats = rows.flatMap(caveatWords);
  return {
    title: `${loadLabel(load)}: other changes against ${control} that differ`,
    columns: [left('metric'), left('variant'), ...[...sides, 'head against base'].map(right)],
    rows: rows.map((change) => [
      { text: order.get(change.metric)?.label ?? change.metric },
      { text: change.variant },
      ...sides.map((side) => ownCell(change, side)),
      { text: differenceText(change) },
    ]),
    notes: [...new Set(caveats), ...withoutRow(others)],
  };
}

/** Rates of the database follow requests per second. */
function isTelling(metric: Metric | undefined): boolean {
  return metric?.group === 'load' || metric?.group === 'work';
}

function withoutRow(others: readonly ChangeDifference[]): string[] {
  const same = others.filter(({ verdict }) => verdict === 'same').length;
  const noise = others.filter(({ verdict, interval }) => verdict === 'noise' && interval !== null).length;
  const rest = others.filter(({ interval }) => interval === null).length;
  const parts = [
    ...(same === 0 ? [] : [`${same} the same`]),
    ...(noise === 0 ? [] : [`${noise} noise`]),
    ...(rest === 0 ? [] : [`${rest} without a verdict`]),
  ];
  return parts.length === 0 ? [] : [`Of ${plural(others.length, 'other change')}: ${parts.join(', ')}; --csv has all.`];
}
