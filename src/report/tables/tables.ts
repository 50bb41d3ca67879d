import { groupBy } from '../../base/group-by.ts';
import { present } from '../../base/present.ts';
import { formatShare } from '../../base/units.ts';
import { sliceTraitsOf, traitsOf, underLoad, unitOfWork } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { formatValue } from '../../judge/format.ts';
import { judgedOf } from '../../judge/judged-view.ts';
import {
  durationMetric,
  longestWait,
  type Metric,
  type MetricName,
  requestsPerSecond,
} from '../../judge/read/metrics/metrics.ts';
import { namedMetrics } from '../../judge/read/metrics/work-metrics.ts';
import type { Summary } from '../../judge/summary.ts';
import { type Average, averageValue } from '../../judge/verdicts/averages.ts';
import type { Comparison } from '../../judge/verdicts/comparison.ts';
import { liveWords } from '../parts/live.ts';
import { judgedName, labelOf, rank } from '../words/judged.ts';
import { leftWords, missingWords, noteWords } from '../words/note-words.ts';
import { bothWords, endWord, skewedWords, whatWords } from '../words/odd-words.ts';
import { fromNoneWords, openLoopNotes, sharedWords, turnWords, validityNotes } from '../words/pass-words.ts';
import { hasDatabaseColumns, uncountedWords } from '../words/uncounted-words.ts';
import { armName, counted, countText, nameColumn, repeatName, unfinishedWord } from './arm-name.ts';
import { besideTable } from './beside-table.ts';
import { bulkTable } from './bulk-tables.ts';
import { deltaCell } from './delta-cell.ts';
import { countsAny2xx, failureNotes, statusNotes, uncountedNotes } from './outcome-notes.ts';
import { type Cell, right, type Table, transpose, weights } from './table.ts';

/** At most this many variants stand side by side, each with its interval and verdict; more are easier to read as rows. */
const MAX_VARIANT_COLUMNS = 4;
/** The most arms of averages side by side: the control has two. */
const MAX_ARM_COLUMNS = MAX_VARIANT_COLUMNS + 1;

/**
 * The tables of one load level: averages and changes of the load, then of the work per request. pg_stat_database per
 * second repeats the throughput, and is folded.
 */
export function tablesOf(summary: Summary, load: LoadLevel): { readonly tables: Table[]; readonly folded: Table[] } {
  const averages = underLoad(summary.averages, load);
  const [comparisons, repeats] = [underLoad(summary.comparisons, load), underLoad(summary.repeats, load)];
  const ofGroup = (group: Group): Table[] => {
    const shown = namedMetrics.filter(
      ({ name, group: own }) =>
        own === group &&
        (group !== 'work' || averages.some((average) => averageValue(average, name) !== null)) &&
        (name !== durationMetric.name || sliceTraitsOf(summary.run).countsAll) &&
        (name !== longestWait.name || traitsOf(load).isBesideJob) &&
        (group !== 'load' || name === durationMetric.name || unitOfWork([load]) === 'request'),
    );
    const names = new Set<string>(shown.map(({ name }) => name));
    if (averages.every((average) => shown.every(({ name }) => averageValue(average, name) === null))) return [];
    const deltas = [...comparisons, ...repeats].filter(({ metric }) => names.has(metric));
    const deltaTable = deltas.length === 0 ? [] : [deltasTable(deltas, shown, summary, new Set(repeats))];
    return [averagesTable(averages, shown, summary, load), ...deltaTable];
  };
  const first = present([bulkTable(summary, load), besideTable(summary, load)]);
  const [ofLoad, ofWork] = [ofGroup('load'), ofGroup('work')];
  return { tables: [...first, ...ofLoad, ...ofWork], folded: ofGroup('database') };
}

type Group = 'load' | 'work' | 'database';

const titles: Readonly<Record<Group, readonly [string, string]>> = {
  load: ['Averages', 'Change'],
  work: ['Work per UNIT, averages', 'Work per UNIT, change'],
  database: ['pg_stat_database, averages per second', 'pg_stat_database, change'],
};

const groupWeights: Readonly<Record<Group, readonly [number, number]>> = {
  load: [weights.averages, weights.answer],
  work: [weights.workAverages, weights.work],
  database: [weights.repetition, weights.repetition],
};

/** Columns of counted answers; failures have some where any arm has failures. */
function countColumns(averages: readonly Average[], unit: ReturnType<typeof unitOfWork>) {
  const failures = [
    { head: 'no answer', count: ({ errors, timeouts }: Average) => errors + timeouts },
    { head: 'not sent', count: ({ unsent = 0 }: Average) => unsent },
    { head: 'failed uncounted', count: ({ uncounted }: Average) => uncounted.failed },
  ];
  const isByStatus = averages.every(countsAny2xx);
  const [ok, notOk] = isByStatus ? ['2xx', 'non-2xx'] : ['as expected', 'failed'];
  return [
    { head: unit === 'run' ? 'runs' : ok, count: (average: Average) => counted(average, average.ok) },
    { head: unit === 'run' ? 'failed' : notOk, count: (average: Average) => counted(average, average.not_ok) },
    ...failures.filter(({ count }) => averages.some((average) => count(average) > 0)),
  ];
}

function averagesTable(
  averages: readonly Average[],
  shown: readonly Metric<MetricName>[],
  summary: Summary,
  load: LoadLevel,
): Table {
  const group = groupOf(shown);
  const counts = group === 'load' ? countColumns(averages, unitOfWork([load])) : [];
  const table: Table = {
    title: titles[group][0].replace('UNIT', unitOfWork([load])),
    columns: [nameColumn, ...[...shown.map(({ label }) => label), ...counts.map(({ head }) => head)].map(right)],
    rows: averages.map((average) => [
      { text: armName(average, summary) },
      ...shown.map(({ name }) => ({ text: valueText(average, name) })),
      ...counts.map(({ count }) => ({ text: countText(count(average)) })),
    ]),
    notes: notesOf[group](averages, summary, load),
    weight: groupWeights[group][0],
  };
  if (group === 'work' && table.rows.length <= MAX_ARM_COLUMNS) return transpose(table, `a ${unitOfWork([load])}`);
  return { ...table, order: byEffectSize(averages, summary, load) };
}

function valueText(average: Average, name: MetricName): string {
  const value = averageValue(average, name);
  // A rate of 0 is no finding where nothing came back in time.
  const word = value === null || name === requestsPerSecond.name ? unfinishedWord(average) : null;
  return word ?? formatValue(value);
}

type NotesOf = (averages: readonly Average[], summary: Summary, load: LoadLevel) => string[];

const notesOf: Readonly<Record<Group, NotesOf>> = {
  load: averageNotes,
  work: (_, summary, load) => sharedWords(underLoad(summary.passes, load), unitOfWork([load])),
  database: withoutDatabase,
};

/** Why some arms, or all, have no columns of the database. */
function withoutDatabase(averages: readonly Average[], summary: Summary, load: LoadLevel): string[] {
  return uncountedWords(underLoad(summary.passes, load), averages, (average) => armName(average, summary));
}

function averageNotes(averages: readonly Average[], summary: Summary, load: LoadLevel): string[] {
  if (unitOfWork([load]) === 'run') return failureNotes(averages);
  return [
    ...statusNotes(averages, summary),
    ...uncountedNotes(averages, summary),
    ...failureNotes(averages),
    ...openLoopNotes(averages, load, (average) => armName(average, summary)),
    ...validityNotes(averages, (average) => armName(average, summary)),
    ...turnWords(underLoad(summary.passes, load), underLoad(summary.comparisons, load)),
    ...(averages.some(hasDatabaseColumns) ? [] : withoutDatabase(averages, summary, load)),
    ...liveWords(underLoad(summary.live, load)),
  ];
}

function groupOf(shown: readonly Metric[]): Group {
  const group = shown[0]?.group;
  return group === 'work' || group === 'database' ? group : 'load';
}

function deltasTable(
  deltas: readonly Comparison[],
  shown: readonly Metric[],
  summary: Summary,
  repeats: ReadonlySet<Comparison>,
): Table {
  const rowName = (one: Comparison | undefined): string =>
    one === undefined || repeats.has(one) ? repeatName(summary) : one.variant;
  const judged = judgedOf(summary.run);
  const arms = groupBy(deltas, rowName);
  const across = arms.length <= MAX_VARIANT_COLUMNS;
  const rows = arms.map((comparisons): Cell[] => [
    { text: rowName(comparisons[0]) },
    ...shown.map(({ name: metric }) => {
      const comparison = comparisons.find((one) => one.metric === metric);
      if (comparison === undefined || !across) return deltaCell(comparison);
      return cellAcross(comparison, judged, repeats.has(comparison));
    }),
  ]);
  const group = groupOf(shown);
  const table: Table = {
    title: `${titles[group][1].replace('UNIT', unitOfWork(deltas.map(({ load }) => load)))} against ${summary.run.control}`,
    columns: [nameColumn, ...shown.map(({ label }) => right(label))],
    rows,
    notes: deltaNotes(
      deltas.filter((one) => !repeats.has(one)),
      group,
      summary.run,
    ),
    weight: groupWeights[group][1],
  };
  if (across) return transpose(table, 'metric');
  const firsts = arms.flatMap(([first]) => first ?? []);
  const [{ load } = { load: null }] = firsts;
  return load === null ? table : { ...table, order: byEffectSize(firsts, summary, load) };
}

/** A cell where rows are metrics. 2xx/s is never quiet; a control that equals itself says nothing about variants. */
function cellAcross(comparison: Comparison, judged: Metric, isRepeat: boolean): Cell {
  const cell = deltaCell(comparison);
  if (comparison.metric === judged.name) return { text: cell.text, ...(cell.tone && { tone: cell.tone }) };
  return isRepeat && comparison.verdict === 'same' ? { ...cell, quiet: 'noise' } : cell;
}

/** Notes for what the cells leave out: why some have no number, and how long the noise in 2xx/s would take to settle. */
function deltaNotes(deltas: readonly Comparison[], group: Group, run: Summary['run']): string[] {
  const missing = new Map<string, Set<string>>();
  for (const { metric, notes, deltaPercent, control } of deltas) {
    const [why] = notes;
    if (deltaPercent !== null || control === 0 || why === undefined) continue;
    const label = labelOf(metric);
    const reason = missingWords(why);
    missing.set(reason, (missing.get(reason) ?? new Set()).add(label));
  }
  const reasons = [
    ...oddNotes(deltas),
    ...skewNotes(deltas),
    ...[...missing].map(([reason, labels]) => `${[...labels].join(', ')} ${reason}.`),
  ];
  if (group === 'work') return [...timeNotes(deltas), ...reasons];
  if (group === 'database') return [...fromNoneWords(deltas), ...reasons];
  const noise = deltas.filter((one) => one.metric === judgedOf(run).name && one.verdict === 'noise');
  const waits = noise.flatMap(({ variant, notes }) =>
    notes.flatMap((note) => (note.kind === 'rounds-needed' ? [`${variant} ${noteWords(note)}`] : [])),
  );
  return [
    ...leftWords(deltas),
    ...(waits.length === 0 ? [] : [`Noise in ${judgedName(run)}: ${waits.join(', ')} to settle.`]),
    ...fromNoneWords(deltas),
    ...voidingNotes(deltas),
    ...reasons,
  ];
}

/**
 * Variants with odd starts. The first metric that shows them says how many and how odd; each metric has its typical
 * change and its plain mean.
 */
function oddNotes(deltas: readonly Comparison[]): string[] {
  const odd = deltas.flatMap((one) =>
    one.notes.flatMap((note) => (note.kind === 'flaky' || note.kind === 'mean-differs' ? [{ one, note }] : [])),
  );
  return groupBy(odd, ({ one }) => one.variant).flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const changes = all.map(({ one, note }) => `${labelOf(one.metric)} ${bothWords(note, one)}`);
    return [`[!] ${first.one.variant}: ${whatWords(first.note)}. ${changes.join('; ')}.`];
  });
}

/** Variants whose noise is skewed, with the end of each interval that reaches further. */
function skewNotes(deltas: readonly Comparison[]): string[] {
  const skewed = deltas.flatMap(({ variant, metric, notes }) =>
    notes.flatMap((note) =>
      note.kind === 'skewed' ? [{ variant, end: `${endWord(note)} in ${labelOf(metric)}` }] : [],
    ),
  );
  const groups = groupBy(skewed, ({ variant }) => variant);
  return groups.map((own) => `${own[0]?.variant}: ${skewedWords(own.map(({ end }) => end))}.`);
}

/** A note on the metrics that follow time, with the largest share of each. */
function timeNotes(deltas: readonly Comparison[]): string[] {
  const shares = new Map<string, number>();
  for (const { metric, notes } of deltas) {
    for (const note of notes) {
      if (note.kind === 'follows-time') shares.set(metric, Math.max(note.sharePercent, shares.get(metric) ?? 0));
    }
  }
  const said = [...shares].map(([metric, percent]) => `${labelOf(metric)} ${formatShare(percent / 100)}`);
  if (said.length === 0) return [];
  return [`Depends on time, not on requests, so a slower arm has more of it a request: ${said.join(', ')} at most.`];
}

function voidingNotes(deltas: readonly Comparison[]): string[] {
  return deltas
    .filter(({ metric }) => metric === requestsPerSecond.name)
    .flatMap(({ variant, notes }) => {
      const note = notes.find(({ kind }) => kind === 'unequal-voiding');
      return note === undefined
        ? []
        : [`[!] ${variant}: ${noteWords(note)}. Leaving slices out unequally is a selection.`];
    });
}

/** Rows that are arms under a load level, in order: the control first, then by effect size in the judged metric. */
function byEffectSize(rows: readonly { readonly variant: string }[], summary: Summary, load: LoadLevel): number[] {
  const ranks = new Map(
    underLoad(summary.comparisons, load)
      .filter(({ metric }) => metric === judgedOf(summary.run).name)
      .map((one) => [one.variant, rank(one)]),
  );
  const rankAt = (place: number): number => ranks.get(rows[place]?.variant ?? '') ?? -Number.MAX_VALUE;
  return rows.map((_, place) => place).sort((a, b) => rankAt(a) - rankAt(b) || a - b);
}
