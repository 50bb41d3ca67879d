import { groupBy } from '../../base/group-by.ts';
import { loadKey, loadLabel, underLoad } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { NotSustained } from '../../judge/caveat.ts';
import { cutTo, formatDelta, formatSize, formatValue, plural } from '../../judge/format.ts';
import { isDiscarded, judgedOf, marginIn, viewOf } from '../../judge/judged-view.ts';
import type { ComparisonNote } from '../../judge/notes.ts';
import type { Metric, MetricName } from '../../judge/read/metrics/metrics.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Comparison } from '../../judge/verdicts/comparison.ts';
import { apartWords } from '../request-words.ts';
import { besideLines, shortBesideLines } from './beside-words.ts';
import { capacityLines, shortCapacityLines } from './capacity-words.ts';
import { causeWords } from './cause-words.ts';
import { failedMark } from './failed-mark.ts';
import { effectWords } from './found.ts';
import { rank } from './judged.ts';
import { notSustainedWords } from './note-words.ts';
import { noVerdictWords, oddWords } from './odd-words.ts';
import { shortName, someNames } from './short-name.ts';

/** How much a sentence may name. */
interface Room {
  /** Variants that differ, each with its size. */
  readonly effects: number;
  /** Variants that share an answer. */
  readonly names: number;
  /** Kinds of request that a variant makes faster, and as many that it makes slower. */
  readonly requests: number;
  /** Characters of a name. */
  readonly characters: number;
}
const endless = Number.POSITIVE_INFINITY;
const unbounded: Room = { effects: endless, names: endless, requests: endless, characters: endless };
const little: Room = { effects: 3, names: 4, requests: 1, characters: 28 };
/** Load levels that have a sentence where there is little room. */
const MOST_LEVELS = 5;

/** The result by 2xx per second, one sentence per load level: the whole report for those who read no further. */
export function headlineOf(summary: Summary): string[] {
  if (summary.run.rounds === 0) return ['No round was completed: there is nothing to compare.'];
  return [
    ...capacityLines(summary),
    ...besideLines(summary),
    ...summary.run.loads.map((load) => sentenceOf(summary, load, unbounded).text),
  ];
}

/**
 * A few sentences, however many load levels and variants there are: those with an effect are named first. Beside a table that has
 * all changes only those that say more.
 */
export function shortHeadlineOf(summary: Summary, { besideMatrix = false } = {}): string[] {
  if (summary.run.rounds === 0) return headlineOf(summary);
  if (summary.capacity !== null) return shortCapacityLines(summary);
  const beside = shortBesideLines(summary);
  const all = summary.run.loads.map((load) => sentenceOf(summary, load, little));
  const sentences = besideMatrix ? all.filter(({ isSpecial }) => isSpecial) : all;
  const differing = sentences.filter(({ effects }) => effects > 0);
  const shown = new Set(
    [...differing, ...sentences].slice(0, sentences.length > MOST_LEVELS ? MOST_LEVELS : undefined),
  );
  const texts = sentences.flatMap((one) => (shown.has(one) ? [one.text] : []));
  const more = sentences.length - texts.length;
  if (more === 0) return [...beside, ...texts];
  const others = differing.filter((one) => !shown.has(one)).length;
  return [
    ...beside,
    ...texts,
    `${plural(more, 'more load level')}, ${others === 0 ? 'none' : others} with a difference.`,
  ];
}

/** The answer of a load level, and how many variants differ there. */
interface Said {
  readonly said: string;
  readonly effects: number;
  /** True where it has more to say than the changes and their verdicts. */
  readonly isSpecial: boolean;
}

interface Sentence extends Pick<Said, 'effects' | 'isSpecial'> {
  readonly text: string;
}

function sentenceOf(summary: Summary, load: LoadLevel, room: Room): Sentence {
  const { said, effects, isSpecial } = answer(summary, load, room);
  const ofControl = controlWords(summary, load, room);
  const cause = causeWords(summary, load);
  return {
    text: `${loadLabel(load)}: ${ofControl}${said}${againstItself(summary, load)}${cause}.`,
    effects,
    isSpecial: isSpecial || ofControl !== '' || cause !== '',
  };
}

/** How far apart the control's two arms are, in which nothing differs, in a quick run: that has no intervals. */
function againstItself({ run, repeats }: Summary, load: LoadLevel): string {
  const [own] = underLoad(repeats, load).filter(({ metric }) => metric === judgedOf(run).name);
  if (!run.quick || own === undefined || own.deltaPercent === null) return '';
  return `; the control against itself (A/A) ${formatDelta(own.deltaPercent)}`;
}

/** Warns where the control itself does not sustain the rate. */
function controlWords({ averages, run }: Summary, load: LoadLevel, room: Room): string {
  const own = underLoad(averages, load).filter(({ variant, repeat }) => variant === run.control && !repeat);
  const [note] = own.flatMap(({ notes }) => notes.flatMap(notSustainedIn));
  return note === undefined
    ? ''
    : `the control, ${cutTo(room.characters, run.control)}, does not sustain it: ${notSustainedWords(note)}; `;
}

function notSustainedIn(note: ComparisonNote): NotSustained[] {
  return note.kind === 'not-sustained' ? [note] : [];
}

function answer(summary: Summary, load: LoadLevel, room: Room): Said {
  const level = viewOf(summary).levels.find((one) => loadKey(one.load) === loadKey(load));
  if (level === undefined || level.changes.length === 0)
    return { said: 'nothing to compare with the control', effects: 0, isSpecial: false };
  const comparisons = level.changes;
  // What is said of the decision has a bound for those without a verdict; a second one would be of another test.
  const hasBound = summary.run.question === 'best' && level.advice !== null && level.advice.against !== null;
  // Variants that share an answer are named together; effects come first.
  const answers = new Map<string, Answer>();
  const counted = comparisons.filter((one) => !isDiscarded(one));
  for (const comparison of [...counted].sort((a, b) => rank(a) - rank(b))) {
    const shown = shortName(comparison.variant, summary.run, room.characters);
    const name = level.fails(comparison.variant) ? `${shown}${failedMark(load)}` : shown;
    const { value, said, range = null } = finding(comparison, summary);
    const { requests, characters } = room;
    const apart = apartWords(summary, comparison, { names: requests, characters });
    const key = `${said}${apart}`;
    const { names, ranges } = answers.get(key) ?? { names: [], ranges: [] };
    answers.set(key, {
      said,
      apart,
      names: [...names, value === null ? name : `${name} ${value}`],
      ranges: [...ranges, range],
    });
  }
  const parts = [...answers.values()].map(({ said, apart, names, ranges }) => {
    const known = ranges.flatMap((range) => (range === null ? [] : [range]));
    const excluded = hasBound || known.length < ranges.length ? '' : `, ${excludedWords(judgedOf(summary.run), known)}`;
    return [`${said}${excluded}${apart}`, names] as const;
  });
  const effects = comparisons.filter(({ verdict }) => verdict === 'higher' || verdict === 'lower').length;
  const isSpecial =
    [...answers.values()].some(({ apart }) => apart !== '') ||
    comparisons.some(({ notes }) => notes.some(({ kind }) => special.has(kind)));
  const others = parts.length === 0 ? [] : [joined(parts, effects, room)];
  return { said: [...lostAnswers(comparisons, summary, room), ...others].join('; '), effects, isSpecial };
}

/** Variants without a slice that counts, by the reason. */
function lostAnswers(comparisons: readonly Comparison[], summary: Summary, room: Room): string[] {
  return groupBy(comparisons.filter(isDiscarded), (one) => whyNone(one)).map((own) => {
    const names = own.map(({ variant }) => shortName(variant, summary.run, room.characters));
    return `${someNames(names, room.names)}: n/a${own[0] && whyNone(own[0])}`;
  });
}

/** Notes that a sentence says more of than a table of changes has. */
const special: ReadonlySet<ComparisonNote['kind']> = new Set([
  'flaky',
  'mean-differs',
  'machines-disagree',
  'not-sustained',
  'control-apart',
  'carry-over',
  'faster-by-loss',
  'not-through',
  'unfit',
]);

/** One answer, and the variants that share it. */
interface Answer {
  readonly said: string;
  /** Kinds of request that differ from it. */
  readonly apart: string;
  readonly names: readonly string[];
  readonly ranges: readonly (Range | null)[];
}

/** The answers in a row; variants that differ stand first. */
function joined(answers: readonly (readonly [string, readonly string[]])[], effects: number, room: Room): string {
  const parts: string[] = [];
  let [seen, named] = [0, 0];
  for (const [said, names] of answers) {
    const differs = seen < effects;
    seen += names.length;
    if (!differs || named < room.effects) {
      parts.push(`${someNames(names, room.names)}${said}`);
      named += names.length;
    }
    if (differs && seen >= effects && named < effects) parts.push(`${effects - named} more differ`);
  }
  return parts.join('; ');
}

/** Low and high, in percent. */
type Range = readonly [number, number];

/**
 * The words for a variant, and its own value where several variants may share the words. Of noise it adds what the
 * change may still be, if its interval says no more.
 */
function finding(
  comparison: Comparison,
  { run }: Summary,
): { readonly value: string | null; readonly said: string; readonly range?: Range | null } {
  const { verdict, deltaPercent, interval, control, value, rounds, notes } = comparison;
  const only = (said: string): { value: null; said: string } => ({ value: null, said });
  if (control === 0 && value === 0 && judgedOf(run).name === 'requests_per_s')
    return only(': no request succeeded, and none of the control');
  const [notSustained] = notes.flatMap(notSustainedIn);
  if (notSustained !== undefined && !notes.some(({ kind }) => kind === 'unfit'))
    return only(` does not sustain it: ${notSustainedWords(notSustained)}`);
  if (verdict === 'unfit') {
    const has = (wanted: ComparisonNote['kind']): boolean => notes.some(({ kind }) => kind === wanted);
    if (has('unfit')) return only(': no verdict, the numbers are unfit');
    if (has('control-apart')) return only(': no verdict, all variants differ from the control alike');
    const [notThrough] = notes.flatMap((note) => (note.kind === 'not-through' ? [note] : []));
    if (notThrough?.job) return only(`: no verdict, the job failed in ${notThrough.slices} of ${notThrough.of} slices`);
    if (notThrough) return only(': no verdict, not all requests were answered within load.limit');
    if (has('carry-over')) return only(': no verdict, it needs a longer load.settle');
    const isOfControl = notes.some((note) => note.kind === 'faster-by-loss' && note.control);
    return only(`: no verdict, ${isOfControl ? 'the control' : 'it'} lost documents`);
  }
  if (verdict === 'same') return only(`: the same within ±${marginIn(run, comparison.metric)} %`);
  if (deltaPercent === null) {
    const why = whyNone(comparison, run.control);
    return only(why !== '' || value === null ? `: n/a${why}` : `: n/a (0 -> ${formatValue(value)})`);
  }
  if (interval === null) {
    const [little] = notes.flatMap((note) => (note.kind === 'little-housekeeping' ? [note] : []));
    if (little !== undefined) return only(`: no verdict, too few ${little.work}`);
    return {
      value: formatDelta(deltaPercent),
      said: `: no verdict (${run.quick ? 'quick run' : plural(rounds, 'round')})`,
    };
  }
  const [odd] = notes.flatMap((note) => (note.kind === 'flaky' || note.kind === 'mean-differs' ? [note] : []));
  if (verdict === 'noise') {
    const [apart] = notes.flatMap((note) => (note.kind === 'machines-disagree' ? [note] : []));
    if (odd === undefined && apart !== undefined)
      return only(`: no verdict, ${apart.machines} machines disagree (p ${formatValue(apart.p)})`);
    const isWhole = notes.every(({ kind }) => kind !== 'outlast-turns' && kind !== 'carry-over');
    if (odd === undefined) return { ...only(': no difference seen (noise)'), range: isWhole ? interval : null };
    return only(`: ${noVerdictWords(odd, comparison)}`);
  }
  const also = odd === undefined ? '' : `. ${oddWords(odd)}`;
  const [near, far] = interval.map(Math.abs).sort((a, b) => a - b);
  const range = `${formatSize(near ?? 0)} to ${formatSize(far ?? 0)} %`;
  return only(` ${effectWords(judgedOf(run), verdict, formatSize(deltaPercent))} (${range})${also}`);
}

/** `not more than 1.5 % faster or 6.3 % slower`: what noise still excludes, of several changes for all of them. */
export function excludedWords(judged: Metric<MetricName>, ranges: readonly Range[]): string {
  const most = {
    higher: Math.max(0, ...ranges.map(([, high]) => high)),
    lower: Math.max(0, ...ranges.map(([low]) => -low)),
  };
  const sides = judged.better === 'lower' ? (['lower', 'higher'] as const) : (['higher', 'lower'] as const);
  return `not more than ${sides.map((side) => `${formatSize(most[side])} % ${sideWord(judged, side)}`).join(' or ')}`;
}

function sideWord({ name, percentile, group }: Metric<MetricName>, side: 'higher' | 'lower'): string {
  if (percentile !== undefined || name === 'latency_mean_ms') return side;
  if (group === 'work') return side === 'higher' ? 'more' : 'less';
  if (name === 'duration_ms') return side === 'higher' ? 'longer' : 'shorter';
  return side === 'higher' ? 'faster' : 'slower';
}

/** ` (discarded: transactions)`: why the variant, or the control, has no slice that counts; empty for another reason. */
function whyNone({ notes }: Comparison, control = ''): string {
  const [note] = notes.flatMap((one) => (one.kind === 'not-measured' ? [one] : []));
  if (note?.discarded === undefined) return '';
  return ` (${note.control ? `${control} is ` : ''}discarded: ${note.discarded.join(', ')})`;
}
