import { groupBy } from '../../base/group-by.ts';
import { loadLabel, unitOfWork } from '../../journal/load-level.ts';
import { cutTo, plural } from '../../judge/format.ts';
import { allJudged } from '../../judge/judged-view.ts';
import type { Metric } from '../../judge/read/metrics/metrics.ts';
import { namedMetrics } from '../../judge/read/metrics/work-metrics.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Comparison } from '../../judge/verdicts/comparison.ts';
import type { RequestComparison } from '../../judge/verdicts/requests.ts';
import { isBeside } from '../../judge/verdicts/screen-family.ts';
import { againstJudged } from '../request-words.ts';
import { judgedName, rank } from '../words/judged.ts';
import { shortName, someNames } from '../words/short-name.ts';
import { nameColumn } from './arm-name.ts';
import { deltaCell } from './delta-cell.ts';
import { left, right, type Table, weights } from './table.ts';

/** A name of more characters is cut. */
const MOST_CHARACTERS = 40;
/** A longer name in the head of a column is cut. */
const MOST_IN_HEAD = 14;
/** This many variants without a verdict are named. */
const MOST_NAMED = 4;

/** This many variants that are the same in 2xx/s stand before effects on anything else. */
const MOST_SAME = 3;

/** A change of a metric, or of the mean latency of one kind of request. */
type Shown = Comparison | RequestComparison;

/**
 * Changes with a verdict, the largest effect first: a row for each variant and metric, or kind of request, with the
 * change under the load level that shows it most. 2xx/s comes before what explains it, and only its `same` is worth a
 * row. A kind of request that changes the other way comes next. Beside a matrix of the judged metric without its rows. Null where
 * nothing has a verdict.
 */
export function verdictTable(summary: Summary, { besideMatrix = false } = {}): Table | null {
  const judged = allJudged(summary.run);
  const shown = summary.comparisons.filter((one) => isShown(one, judged));
  const opposed = againstJudged(summary);
  // Of a kind of request the load level that goes against the rest shows it most.
  const mostTellingFirst = (a: Shown, b: Shown): number =>
    oppositionOf(a, opposed) - oppositionOf(b, opposed) || rank(a) - rank(b);
  const groups = groupBy<Shown>([...shown, ...summary.requests.comparisons.filter(differs)], rowKey).map((group) =>
    [...group].sort((a, b) => mostTellingFirst(a, b) || size(b) - size(a)),
  );
  const sorted = groups.sort(([a], [b]) => (a === undefined || b === undefined ? 0 : mostTellingFirst(a, b)));
  const isSame = ([first]: readonly Shown[]): boolean => first?.verdict === 'same';
  const isMain = ([first]: readonly Shown[]): boolean =>
    first !== undefined && !isOfRequest(first) && judged.some(({ name }) => name === first.metric);
  const same = sorted.filter(isSame);
  const main = sorted.filter((group) => isMain(group) && !isSame(group));
  const others = sorted.filter((group) => !isMain(group));
  // A matrix has all of the judged metric.
  const ofJudged = besideMatrix ? [] : [...main, ...same.slice(0, MOST_SAME)];
  const rows = [...ofJudged, ...others, ...(besideMatrix ? [] : same.slice(MOST_SAME))].flatMap((group) =>
    rowOf(group, summary.run),
  );
  if (rows.length === 0) return null;
  return {
    title: 'Changes with a verdict',
    weight: weights.answer,
    keys: 3,
    columns: [
      nameColumn,
      left('metric'),
      left('load (+ others)'),
      right(`change against ${shortName(summary.run.control, summary.run, MOST_IN_HEAD)}`),
    ],
    rows,
    notes: [...heldBackNotes(summary.comparisons, judged, shown), ...(besideMatrix ? [] : noiseNotes(summary))],
  };
}

function isOfRequest(one: Shown): one is RequestComparison {
  return 'request' in one;
}

/** 0 before 1: a kind of request that the judged metric hides. */
function oppositionOf(one: Shown, opposed: ReadonlySet<RequestComparison>): number {
  return isOfRequest(one) && opposed.has(one) ? 0 : 1;
}

function differs({ verdict }: Comparison): boolean {
  return verdict === 'higher' || verdict === 'lower';
}

/** Beside the judged metric a change must hold among all that could stand here: each metric alone has its own 5 % of error. */
function isShown(comparison: Comparison, judged: readonly Metric[]): boolean {
  if (!judged.some(({ name }) => name === comparison.metric))
    return differs(comparison) && comparison.onFirstScreen === true;
  return differs(comparison) || comparison.verdict === 'same';
}

/** A row for each variant and metric, or kind of request. */
function rowKey(one: Shown): string {
  return JSON.stringify([one.variant, one.metric, ...(isOfRequest(one) ? [one.request] : [])]);
}

/** How many rows there would be more, if each metric had its own error. */
function heldBackNotes(
  comparisons: readonly Comparison[],
  judged: readonly Metric[],
  shown: readonly Comparison[],
): string[] {
  const beside = new Set<string>(namedMetrics.filter((metric) => isBeside(metric, judged)).map(({ name }) => name));
  const shownRows = new Set(shown.map(rowKey));
  const held = comparisons.filter((one) => differs(one) && beside.has(one.metric) && !shownRows.has(rowKey(one)));
  const rows = new Set(held.map(rowKey)).size;
  if (rows === 0) return [];
  const hold = rows === 1 ? 'holds only for its metric' : 'hold only for their metric';
  return [`${plural(rows, 'more change')} ${hold} alone: see the tables.`];
}

const failures: ReadonlySet<string> = new Set([
  'not-sustained',
  'not-kept',
  'more-failures',
  'more-uncounted-failures',
]);

function size({ deltaPercent }: Comparison): number {
  return Math.abs(deltaPercent ?? 0);
}

function rowOf([first, ...others]: readonly Shown[], run: Summary['run']): Table['rows'] {
  if (first === undefined) return [];
  const metric = namedMetrics.find(({ name }) => name === first.metric);
  const of = isOfRequest(first) ? ` of ${cutTo(MOST_CHARACTERS, first.request)}` : '';
  const label = `${metric?.label ?? first.metric}${of}`;
  const alike = others.filter(({ verdict }) => verdict === first.verdict).length;
  const failed = first.notes.some(({ kind }) => failures.has(kind));
  return [
    [
      { text: `${shortName(first.variant, run, MOST_CHARACTERS)}${failed ? ' [!]' : ''}` },
      { text: metric?.group === 'work' ? `${label}/${unitOfWork([first.load])}` : label },
      { text: `${loadLabel(first.load)}${alike === 0 ? '' : ` (+${alike})`}` },
      deltaCell(first),
    ],
  ];
}

/** The variants that no load level says anything of. */
function noiseNotes({ comparisons, run }: Summary): string[] {
  return allJudged(run).flatMap((judged) => noiseNotesOf(comparisons, run, judged));
}

/** Slices that are discarded are no noise: there is no number. */
function isNoise({ verdict, notes }: Comparison): boolean {
  return verdict === 'noise' && notes.every(({ kind }) => kind !== 'not-measured');
}

function noiseNotesOf(comparisons: Summary['comparisons'], run: Summary['run'], judged: Metric): string[] {
  const headline = comparisons.filter(({ metric }) => metric === judged.name);
  const noise = groupBy(headline, ({ variant }) => variant)
    .filter((all) => all.every(isNoise))
    .flatMap(([first]) => (first === undefined ? [] : [shortName(first.variant, run, MOST_CHARACTERS)]));
  if (noise.length === 0) return [];
  const where = run.loads.length === 1 ? '' : ' under every load level';
  return [`${judgedName({ judgedBy: judged.name })} is noise${where}: ${someNames(noise, MOST_NAMED)}.`];
}
