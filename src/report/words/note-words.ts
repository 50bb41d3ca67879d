import { groupBy } from '../../base/group-by.ts';
import { present } from '../../base/present.ts';
import { formatDuration, formatShare } from '../../base/units.ts';
import { loadLabel } from '../../journal/load-level.ts';
import type { ShortRounds } from '../../journal/run/short-rounds.ts';
import type { DatabaseDiffers, FailedShares, NotSustained, OthersShares } from '../../judge/caveat.ts';
import { formatChange, formatCount, formatDelta, formatValue, plural } from '../../judge/format.ts';
import type {
  Note,
  OtherControl,
  ProvenanceChange,
  RateTrend,
  RunNote,
  StaysApart,
  TooManyVoid,
} from '../../judge/notes.ts';
import { MIN_SAME_ROUNDS } from '../../judge/stats/looks.ts';
import { partNotes } from '../parts/parts.ts';
import { noCapacityWords } from './capacity-words.ts';
import { loadsWords } from './found.ts';
import { littleHousekeepingWords, variedHousekeepingWords } from './housekeeping.ts';
import { labelOf } from './judged.ts';
import { missedWords } from './limit-words.ts';
import { endWord, oddWords, skewedWords } from './odd-words.ts';
import { autocannonWords, closingWords, notMeasuredWords, ownDatabaseWords } from './process-words.ts';
import { someNames } from './short-name.ts';
import { wholeWords } from './whole-words.ts';

/** The words of every note, as a sentence without full stop. odd-words.ts has those of odd starts. */
const words: { readonly [Kind in Note['kind']]: (note: Extract<Note, { readonly kind: Kind }>) => string } = {
  ...partNotes,
  flaky: oddWords,
  'mean-differs': oddWords,
  skewed: (note) => skewedWords([endWord(note)]),
  'not-measured': (note) => notMeasuredWords(note),
  'few-samples': (note) => `${missingWords(note)} (had ${formatCount(note.samples)})`,
  quick: () => 'quick run: no verdicts',
  'few-rounds': ({ rounds, needed }) =>
    `no verdict: ${plural(rounds, 'round')}, ${needed === MIN_SAME_ROUNDS ? 'same needs' : 'verdicts need'} ${needed}`,
  'both-zero': () => '0 in every round',
  'from-zero': (note) => `n/a (0 -> ${formatValue(note.value)})`,
  zeros: (note) => `no verdict: ${zerosWords(note)}`,
  rare: () => 'no verdict: rare',
  'follows-time': (note) => `no verdict: ${formatShare(note.sharePercent / 100)} depends on time, not on requests`,
  'idle-unknown': () => 'no verdict: how much depends on time is not known',
  'outlast-turns': (note) =>
    note.byTurnsPercent === null
      ? 'answers outlast turns, so it is not `same`'
      : `answers outlast turns: ${formatDelta(note.byTurnsPercent)} by the answers that came within turns; the interval covers both`,
  'carry-over': (note) => `no verdict: about ${formatValue(note.percent)} % carry over from turn to turn`,
  'still-moves': (note) =>
    `the rate still moves (${formatDelta(note.percent)}, the control ${formatDelta(note.controlPercent)}), so it is not \`same\``,
  'page-images': (note) => `no verdict: full-page images in the WAL may be up to ${formatDelta(note.percent)} of it`,
  'little-housekeeping': (note) => littleHousekeepingWords(note),
  'control-apart': (note) =>
    `no verdict: all ${note.variants} variants differ from the control by about the same, ${formatDelta(note.percent)}`,
  'machines-disagree': (note) =>
    `${note.machines} machines disagree (p ${formatValue(note.p)}): the interval comes from their means`,
  left: (note) =>
    note.decided
      ? `measured until it was decided, after round ${note.after}`
      : `${note.control ? 'the control ' : ''}left after round ${note.after}`,
  'rounds-needed': (note) =>
    `would take ${note.rounds === null ? `more than ${note.most}` : `about ${note.rounds}`} rounds`,
  'not-sustained': (note) => `not sustained: ${notSustainedWords(note)}`,
  'not-kept': (note) =>
    `${note.range !== null && note.range[0] > note.most ? 'breaks' : 'may break'} a limit: ${missedWords(note)}`,
  'more-failures': (note) => failedWords('', note),
  'more-uncounted-failures': (note) => failedWords(UNCOUNTED, note),
  'control-fails-more': (note) => controlFailedWords('', note),
  'control-fails-more-uncounted': (note) => controlFailedWords(UNCOUNTED, note),
  'lost-documents': (note) =>
    `loaded ${almostAll(note.loaded, note.documents)} of the documents (control ${almostAll(note.controlLoaded, note.controlDocuments)})`,
  'database-differs': differsWords,
  'control-lost-documents': (note) =>
    `the control loaded ${almostAll(note.loaded, note.documents)} of the documents (others ${almostAll(note.othersLoaded, note.othersDocuments)})`,
  'control-database-differs': (note) => `of the control, ${differsWords(note)}`,
  'unequal-voiding': ({ voided, slices, controlVoided, controlSlices }) =>
    `discarded unequally: ${voided} of ${slices} slices (control ${controlVoided} of ${controlSlices})`,
  'not-through': (note) =>
    note.job
      ? `no verdict: the job failed in ${note.slices} of ${plural(note.of, 'slice')}`
      : `no verdict: ${note.slices} of ${plural(note.of, 'slice')} reached load.limit before all requests were answered`,
  'faster-by-loss': (note) =>
    note.same
      ? `${note.control ? 'the control ' : ''}lost documents: no verdict`
      : `${note.control ? 'the control was ' : ''}faster with documents lost: no verdict`,
  unfit: () => 'unfit: no verdict',
  'different-sessions': (note) =>
    `no verdict: different sessions (${note.sessions} per side, verdicts need ${note.needed}, made alternately)`,
  'not-in-turn': () => 'no verdict: sessions were not made alternately',
  'one-side-first': ({ side, pairs, among }) =>
    `no verdict: ${side} ran first in ${pairs} of ${plural(among, 'pair')} of sessions`,
  'no-interval': (note) =>
    `no verdict: ${note.side} has none${note.notes.length === 0 ? '' : ` (${notesWords(note.notes)})`}`,
  'unfit-session': () => 'no verdict: a session is unfit',
  'quick-session': () => 'no verdict: a quick run',
  caveats: (note) => `${note.side}: ${notesWords(note.notes)}`,
  withheld: () => 'more rounds would not decide it: no verdict of these settings stands',
  'no-variants': () => 'there is nothing to choose from',
  'none-sustained': ({ nearest }) =>
    nearest === undefined
      ? 'no recommendation: no setting sustains it'
      : `no recommendation: no setting keeps all limits; ${nearest.variant} comes nearest, with ${nearest.notKept.map(missedWords).join(' and ')}`,
  'limits-unknown': ({ limits }) => `no recommendation: ${limits.map(missedWords).join(' and ')}`,
  'no-rounds': () => 'no round was completed',
  'too-many-void': (note) =>
    `${note.load === undefined ? '' : `${loadLabel(note.load)}: `}${note.voided} of ${note.slices} slices were discarded: ${reasonsWords(note)}`,
  'few-loaded': (note) =>
    `${loadLabel(note.load)}: only ${formatCount(note.loaded)} of ${formatCount(note.documents)} documents were loaded, and every variant lost more than load.maxFailedRate allows`,
  'stays-apart': (note) => staysApartWords(note),
  'no-capacity': (note) => noCapacityWords(note),
  'other-control': (note) => otherControlWords(note),
  journal: (note) => note.text,
  'void-included': () => 'averages and changes include the discarded slices: too few others are left',
  'killed-services': (note) => `services that did not end on SIGTERM were killed: ${countsBy(note.variants)}`,
  'link-busy': (note) =>
    `what stands between the service of ${note.variant} and its database used ${note.cpus.toFixed(2)} CPUs, and may have been the limit`,
  'closing-services': (note) => closingWords(note),
  'expired-sessions': ({ variants }) =>
    `most failures of ${someNames(variants, MOST_NAMED)} are answers with 401 (Unauthorized)`,
  'by-autocannon': (note) => autocannonWords(note),
  'whole-slices': ({ load, reason, passes, of }) => {
    const where = passes === of ? '' : ` in ${passes} of ${plural(of, 'pass', 'passes')}`;
    return `${loadLabel(load)}: arms had whole slices instead of short turns${where}: ${wholeWords[reason]}`;
  },
  groups: (note) =>
    `${loadLabel(note.load)}: arms took turns in ${note.groups} groups, drawn again in each round; changes are against the control of the same group`,
  'others-wrote': ({ load, slices, of }) =>
    `${loadLabel(load)}: other databases of the Postgres server wrote rows in ${slices} of ${plural(of, 'slice')}, which have no WAL bytes`,
  'control-stands-apart': (note) =>
    `${loadLabel(note.load)}: all ${note.variants} variants differ from the control by about the same in ${note.metrics.map(labelOf).join(', ')} (${formatDelta(note.percent)}), although they change different things. So the control is what differs, and no verdict stands`,
  'short-rounds': (note) => shortRoundsWords(note),
  'short-warmup': (note) =>
    `${loadLabel(note.load)}: ${note.arm} got ${formatCount(note.requests)} warm-up requests instead of ${formatCount(note.wanted)} because ${note.throttled ? 'pgsweep has used up its CPU limit' : 'it is slow'}${note.of === 1 ? '' : `; ${note.rounds} of ${plural(note.of, 'round')} had such an arm`}`,
  'unsteady-rates': (note) => trendWords(note.trends),
  housekeeping: (note) => variedHousekeepingWords(note),
  shard: (note) => `shard ${note.index} of ${note.count} of a plan, judged alone`,
  'missing-rounds': (note) =>
    `not all rounds of the plan are here: ${note.shards.map(missingShardWords).join(', ')} (of ${note.count} shards)`,
  'machines-differ': (note) =>
    `${note.machines} machines disagree in ${note.changes} of ${plural(note.of, 'change')}, so their intervals come from the machines' means`,
  'unfinished-round': (note) => `${plural(note.slices, 'slice')} of a round that was not completed: not judged`,
  'own-databases': (note) => ownDatabaseWords(note),
  'no-database-columns': (note) => `no pg_stat_database columns: ${note.text}`,
  'resumed-elsewhere': (note) => `the run was resumed elsewhere: ${note.changes.map(changeWords).join(', ')}`,
};

/** A note as a sentence without full stop. */
export function noteWords(note: Note): string {
  return (words[note.kind] as (note: Note) => string)(note);
}

/** `1.2 to 3.4` */
function endsOf(interval: readonly [number, number]): string {
  return interval.map((end) => end.toFixed(1)).join(' to ');
}

type MissingShard = Extract<RunNote, { kind: 'missing-rounds' }>['shards'][number];

/** `slices have 2 turns instead of 6, and 2.5 s of warm-up instead of 5 s: intervals may be up to 1.7 times as wide` */
export function shortRoundsWords({ turns, usualTurns, warmupMs, usualWarmupMs }: ShortRounds): string {
  const warmup =
    warmupMs < usualWarmupMs
      ? `, and ${formatDuration(warmupMs)} of warm-up instead of ${formatDuration(usualWarmupMs)}`
      : '';
  const wider = Math.sqrt(usualTurns / turns).toFixed(1);
  return `slices have ${turns} turns instead of ${usualTurns}${warmup}: intervals may be up to ${wider} times as wide`;
}

/** Several notes in a row. */
export function notesWords(notes: readonly Note[], separator = '; '): string {
  return notes.map(noteWords).join(separator);
}

/** `Left after round 6, worse than another by more than the margin: pool=2, pool=5.`: one for each round that something left after. */
export function leftWords(changes: readonly { readonly variant: string; readonly notes: readonly Note[] }[]): string[] {
  const left = changes.flatMap(({ variant, notes }) =>
    notes.flatMap((note) => (note.kind === 'left' ? [{ variant, ...note }] : [])),
  );
  return groupBy(left, ({ after, control, decided }) => `${after} ${control} ${decided}`).map((own) => {
    const [first] = own;
    if (first?.decided) return `Decided after round ${first.after}, and not measured any more.`;
    const names = first?.control ? ['the control'] : [...new Set(own.map(({ variant }) => variant))];
    return `Left after round ${first?.after}, worse than another by more than the margin: ${names.join(', ')}.`;
  });
}

/** Which control is meant, what the choice means for the 5 %, and what is known up to an earlier round only. */
function otherControlWords({ control, planned, left, decided = [] }: OtherControl): string {
  const said = `changes are against ${control}, chosen after the run (planned: ${planned}): the error of 5 % holds if no result led to the choice, and if you look at several controls, for each alone`;
  if (left.length + decided.length === 0) return said;
  const ofArms = left.map(({ variant, loads }) => `${variant} (${loadsWords(loads)})`);
  const names = [...ofArms, ...(decided.length > 0 ? [`all (${loadsWords(decided)})`] : [])];
  return `${said}. Not measured to the end: ${someNames(names, MOST_NAMED)}`;
}

/** Why there is no number, in words that all arms share: without how many answers each of them had. */
export function missingWords(note: Note): string {
  if (note.kind !== 'few-samples') return noteWords(note);
  return note.needed === 1
    ? 'n/a: needs answers of each arm in every round'
    : `n/a: needs ${formatCount(note.needed)} answers of each arm`;
}

/** `0 in 2 of 8 rounds` */
export function zerosWords({ zeros, rounds }: { readonly zeros: number; readonly rounds: number }): string {
  return `0 in ${zeros} of ${rounds} rounds`;
}

const UNCOUNTED = ' outside what is counted (warm-up, ends of turns)';

function failedWords(which: string, note: FailedShares): string {
  const [share, controlShare] = [note.failed / note.requests, note.controlFailed / note.controlRequests];
  return `more requests failed${which}: ${formatShare(share)} (control ${formatShare(controlShare)})`;
}

function staysApartWords({ metric, planned, widerPercent, at }: StaysApart): string {
  const wider = `${formatCount(Math.round(widerPercent))} % wider than their rounds show`;
  const where = at.map(({ load, interval }) => present([load && loadLabel(load), `${endsOf(interval)} %`]).join(': '));
  return `A/A: the two arms of ${planned ?? 'the control'} stay apart${metric === undefined ? '' : ` in ${labelOf(metric)}`} (${where.join(', ')}), so something stays with an arm for the whole session: intervals are ${wider}, and more rounds do not narrow that part`;
}

function controlFailedWords(which: string, note: OthersShares): string {
  const [share, othersShare] = [note.failed / note.requests, note.othersFailed / note.othersRequests];
  return `more requests of the control failed${which}: ${formatShare(share)} (others ${formatShare(othersShare)})`;
}

/** `41 % were not sent, 812/s answered` */
export function notSustainedWords({ unsent, requests, okPerS }: NotSustained): string {
  return `${formatShare(unsent / requests)} were not sent, ${formatValue(okPerS)}/s answered`;
}

function missingShardWords({ shard, rounds, of }: MissingShard): string {
  return rounds === 0 ? `shard ${shard} is missing` : `shard ${shard} has ${rounds} of ${plural(of, 'round')}`;
}

function changeWords({ name, before, after }: ProvenanceChange): string {
  return `${name} ${before} -> ${after}`;
}

/** `failed requests in 3 (3,490 of 4,281 requests, mostly 429), connections in 1`: slices are counted, and must not read as requests. */
function reasonsWords({ byReason, failed }: TooManyVoid): string {
  const mostly = failed?.mostly === undefined ? '' : `, mostly ${failed.mostly}`;
  const ofRequests = failed && ` (${formatCount(failed.failed)} of ${formatCount(failed.requests)} requests${mostly})`;
  return Object.entries(byReason)
    .map(([reason, slices]) => `${reason} in ${slices}${(reason === 'failed requests' && ofRequests) || ''}`)
    .join(', ');
}

/** `latency 2, errors 1` */
export function countsBy(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([reason, count]) => `${reason} ${count}`)
    .join(', ');
}

function differsWords({ missing, unexpected, doubled, dangling }: DatabaseDiffers): string {
  return present([
    missing > 0 && `${missing} accepted documents are not in the database`,
    unexpected > 0 && `${unexpected} documents are in the database that were not accepted`,
    doubled > 0 && `${doubled} documents or aliases are there twice`,
    dangling > 0 && `${dangling} references point to no document`,
  ]).join(', ');
}

/** Never 100 % of less than all. */
function almostAll(loaded: number, documents: number): string {
  const share = documents === 0 ? 1 : loaded / documents;
  return share === 1 ? '100 %' : `${Math.min(99.99, Number((100 * share).toFixed(2)))} %`;
}

/** This many trends and variants are named. */
const MOST_NAMED = 3;

/** Rates that still moved, in one line: the largest, and which changes depend on how long a variant runs. */
function trendWords(trends: readonly RateTrend[]): string {
  const more = trends.length - MOST_NAMED;
  const said = [...trends.slice(0, MOST_NAMED).map(oneWords), ...(more > 0 ? [`${more} more`] : [])].join('; ');
  const variants = [...new Set(trends.flatMap(({ variant }) => variant ?? []))];
  if (variants.length === 0) return `the rate still moved after the warm-up: ${said}`;
  return `the rate still moved after the warm-up: ${said}; the change of ${someNames(variants, MOST_NAMED)} depends on how long it runs`;
}

/** `25 connections: pool=50 -4.1 % over a slice, the control +0.2 %` */
function oneWords({ load, variant, percent, controlPercent, interval }: RateTrend): string {
  const where = load === null ? '' : `${loadLabel(load)}: `;
  const over = load === null ? 'from the start to the end of a round' : 'over a slice';
  if (variant === null || controlPercent === undefined) {
    return `${where}all arms ${formatChange(percent, interval)} ${over}`;
  }
  return `${where}${variant} ${formatDelta(percent)} ${over}, the control ${formatDelta(controlPercent)}`;
}
