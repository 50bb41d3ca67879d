import { groupBy } from '../../base/group-by.ts';
import { present } from '../../base/present.ts';
import { formatShare } from '../../base/units.ts';
import { loadLabel } from '../../journal/load-level.ts';
import type { WholeSlicesReason } from '../../journal/pass-records.ts';
import { formatCount, formatDelta, formatInterval, formatValue, plural } from '../../judge/format.ts';
import type {
  BetweenNote,
  CapacityOutcome,
  Caveat,
  ComparisonNote,
  NotBorne,
  Note,
  ProvenanceChange,
  RateTrend,
  RunNote,
  UnequalVoiding,
} from '../../judge/notes.ts';
import { littleHousekeepingWords, variedHousekeepingWords } from './housekeeping.ts';
import { judgedName, labelOf } from './judged.ts';
import { oddWords } from './odd-words.ts';
import { closingWords, ownDatabaseWords } from './process-words.ts';
import { someNames } from './short-name.ts';

/** A note as a sentence without full stop. Every sentence about a note is made in this file, or in odd-words.ts. */
export function noteWords(note: Note): string {
  if (note.kind === 'flaky' || note.kind === 'mean-differs') return oddWords(note);
  switch (note.kind) {
    case 'not-measured':
      return 'n/a: not measured';
    case 'few-samples':
      return `${missingWords(note)} (had ${formatCount(note.samples)})`;
    case 'quick':
      return 'quick run: no verdicts';
    case 'few-rounds':
      return `no verdict: ${plural(note.rounds, 'round')}, verdicts need ${note.needed}`;
    case 'both-zero':
      return '0 in every round';
    case 'from-zero':
      return `n/a (0 -> ${formatValue(note.value)})`;
    case 'zeros':
      return `no verdict: ${zerosWords(note)}`;
    case 'rare':
      return 'no verdict: rare';
    case 'follows-time':
      return `no verdict: ${formatShare(note.sharePercent / 100)} follows time, not requests`;
    case 'idle-unknown':
      return 'no verdict: how much follows time is not known';
    case 'outlast-turns':
      return note.byTurnsPercent === null
        ? 'answers outlast turns, so it is not `same`'
        : `answers outlast turns: ${formatDelta(note.byTurnsPercent)} by those that came within them, so the interval holds both`;
    case 'carry-over':
      return `no verdict: about ${formatValue(note.percent)} % carry over from turn to turn`;
    case 'little-housekeeping':
      return littleHousekeepingWords(note);
    case 'control-apart':
      return `no verdict: all ${note.variants} variants differ from the control alike, by about ${formatDelta(note.percent)}`;
    case 'machines-disagree':
      return `${note.machines} machines disagree (p ${formatValue(note.p)}): the interval is that of their means`;
    case 'left':
      return `left after round ${note.after}`;
    case 'rounds-needed':
      return `would take ${note.rounds === null ? `more than ${note.most}` : `about ${note.rounds}`} rounds`;
    case 'not-borne':
    case 'more-failures':
    case 'more-uncounted-failures':
    case 'control-fails-more':
    case 'control-fails-more-uncounted':
    case 'lost-documents':
    case 'database-differs':
      return caveatWords(note);
    case 'unequal-voiding':
      return voidingWords(note);
    case 'not-through':
      return `no verdict: ${note.slices} of ${plural(note.of, 'slice')} had not answered all requests when load.limit came`;
    case 'faster-by-loss':
      return 'faster with documents lost: no verdict';
    case 'unfit':
      return 'session unfit: no verdict';
    case 'different-sessions':
    case 'not-in-turn':
    case 'no-interval':
    case 'unfit-session':
    case 'quick-session':
    case 'caveats':
      return betweenWords(note);
    case 'no-variants':
      return 'there is nothing to choose from';
    case 'none-borne':
      return 'no recommendation: none bears it';
    case 'no-rounds':
      return 'no round was completed';
    case 'too-many-void':
      return `${note.voided} of ${note.slices} slices are void: ${countsBy(note.byReason)}`;
    case 'control-differs':
      return `A/A: with ${loadLabel(note.load)} the control differs from itself in ${judgedName({ judgedBy: note.metric })} (${endsOf(note.interval)} %)`;
    case 'control-capacity-differs':
      return `A/A: the control differs from itself in what it bears (${endsOf(note.interval)} %)`;
    case 'no-capacity':
      return `the question has no answer: ${note.outcomes.map((outcome) => noAnswerWords[outcome]).join(', ')}`;
    case 'journal':
      return note.text;
    case 'void-included':
      return 'averages and changes include the void slices: too few others are left';
    case 'killed-services':
      return `services that did not end by SIGTERM were killed: ${countsBy(note.variants)}`;
    case 'distance-off':
      return `the database of ${note.variant} was ${note.p50Ms.toFixed(2)} ms away where ${note.askedMs} ms were asked for, off by more than a tenth (of it, or of a millisecond) in ${note.off} of ${plural(note.looks, 'look')}`;
    case 'link-busy':
      return `what stands between the service of ${note.variant} and its database used ${note.cpus.toFixed(2)} CPUs, and may have been the limit`;
    case 'closing-services':
      return closingWords(note);
    case 'idle-instances':
      return `${note.loads.map(loadLabel).join('; ')}: fewer than the ${note.instances} instances of the service, so the others had no load`;
    case 'whole-slices': {
      const where = note.passes === note.of ? '' : ` in ${note.passes} of ${plural(note.of, 'pass', 'passes')}`;
      return `${loadLabel(note.load)}: arms had whole slices and not short turns${where}: ${wholeWords[note.reason]}`;
    }
    case 'groups':
      return `${loadLabel(note.load)}: arms took turns in ${note.groups} groups, drawn anew in each round; a change is against the control of its own group`;
    case 'control-stands-apart':
      return `${loadLabel(note.load)}: all ${note.variants} variants differ from the control alike in ${note.metrics.map(labelOf).join(', ')} (by about ${formatDelta(note.percent)}), although they change unlike things: so the control differs and not they, and no verdict stands`;
    case 'short-warmup':
      return `in ${note.rounds} of ${plural(note.of, 'round')} a slow arm was warmed by fewer requests than the others: ${formatCount(note.requests)} where ${formatCount(note.wanted)} were wanted`;
    case 'unsteady-rates':
      return trendWords(note.trends);
    case 'housekeeping':
      return variedHousekeepingWords(note);
    case 'shard':
      return `share ${note.index} of ${note.count} of a plan, by itself`;
    case 'missing-rounds':
      return `not all rounds of the plan are here: ${note.shards.map(missingShardWords).join(', ')} (of ${note.count} shards)`;
    case 'machines-differ':
      return `${note.machines} machines disagree in ${note.changes} of ${plural(note.of, 'change')}, whose intervals are those of the machines' means`;
    case 'unfinished-round':
      return `${plural(note.slices, 'slice')} of a round that was not completed: not judged`;
    case 'own-databases':
      return ownDatabaseWords(note);
    case 'no-database-columns':
      return `no pg_stat_database columns: ${note.text}`;
    case 'resumed-elsewhere':
      return `the run was resumed elsewhere: ${note.changes.map(changeWords).join(', ')}`;
  }
}

function betweenWords(note: Exclude<BetweenNote, ComparisonNote>): string {
  switch (note.kind) {
    case 'different-sessions':
      return `no verdict: different sessions (${note.sessions} a side, ${note.needed} in turn are needed)`;
    case 'not-in-turn':
      return 'no verdict: sessions not taken in turn';
    case 'no-interval':
      return `no verdict: ${note.side} has none${note.notes.length === 0 ? '' : ` (${notesWords(note.notes)})`}`;
    case 'unfit-session':
      return 'no verdict: a session is unfit';
    case 'quick-session':
      return 'no verdict: a quick run';
    case 'caveats':
      return `${note.side}: ${notesWords(note.notes)}`;
  }
}

const wholeWords: Readonly<Record<WholeSlicesReason, string>> = {
  'turned off': 'turns are off',
  latency: 'latency is too long for turns',
  waits: 'some answers outlast turns',
  'idle work': 'an arm went on working in the turns of others',
  'shared buffers': 'the databases of all arms together do not fit in shared_buffers',
  memory: 'the databases and shared_buffers of all arms together do not fit in memory',
  'kind of load': 'this kind of load is not to be interrupted',
};

/** `1.2 to 3.4` */
function endsOf(interval: readonly [number, number]): string {
  return interval.map((end) => end.toFixed(1)).join(' to ');
}

type MissingShard = Extract<RunNote, { kind: 'missing-rounds' }>['shards'][number];

/** Several notes in a row. */
export function notesWords(notes: readonly Note[], separator = '; '): string {
  return notes.map(noteWords).join(separator);
}

/** `Left after round 6, worse than another by more than the margin: pool=2, pool=5.`: one for each round that some left after. */
export function leftWords(changes: readonly { readonly variant: string; readonly notes: readonly Note[] }[]): string[] {
  const left = changes.flatMap(({ variant, notes }) =>
    notes.flatMap((note) => (note.kind === 'left' ? [{ variant, after: note.after }] : [])),
  );
  return groupBy(left, ({ after }) => after).map((own) => {
    const names = [...new Set(own.map(({ variant }) => variant))];
    return `Left after round ${own[0]?.after}, worse than another by more than the margin: ${names.join(', ')}.`;
  });
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

function caveatWords(note: Caveat): string {
  switch (note.kind) {
    case 'not-borne':
      return `not borne: ${unborneWords(note)}`;
    case 'more-failures':
    case 'more-uncounted-failures': {
      const [share, controlShare] = [note.failed / note.requests, note.controlFailed / note.controlRequests];
      const which = note.kind === 'more-failures' ? '' : UNCOUNTED;
      return `more requests failed${which}: ${formatShare(share)} (control ${formatShare(controlShare)})`;
    }
    case 'control-fails-more':
    case 'control-fails-more-uncounted': {
      const [share, othersShare] = [note.failed / note.requests, note.othersFailed / note.othersRequests];
      const which = note.kind === 'control-fails-more' ? '' : UNCOUNTED;
      return `more requests of the control failed${which}: ${formatShare(share)} (others ${formatShare(othersShare)})`;
    }
    case 'lost-documents': {
      const share = almostAll(note.loaded, note.documents);
      return `loaded ${share} of the documents (control ${almostAll(note.controlLoaded, note.controlDocuments)})`;
    }
    case 'database-differs':
      return present([
        note.missing > 0 && `${note.missing} accepted documents are not in the database`,
        note.unexpected > 0 && `${note.unexpected} documents are in the database that were not accepted`,
        note.doubled > 0 && `${note.doubled} documents or aliases stand twice`,
        note.dangling > 0 && `${note.dangling} references lead to no document`,
      ]).join(', ');
  }
}

/** `41 % were not sent, 812/s answered` */
export function unborneWords({ unsent, requests, okPerS }: NotBorne): string {
  return `${formatShare(unsent / requests)} were not sent, ${formatValue(okPerS)}/s answered`;
}

function voidingWords({ voided, slices, controlVoided, controlSlices }: UnequalVoiding): string {
  return `unequal voiding: ${voided} of ${slices} slices (control ${controlVoided} of ${controlSlices})`;
}

function missingShardWords({ shard, rounds, of }: MissingShard): string {
  return rounds === 0 ? `shard ${shard} is missing` : `shard ${shard} has ${rounds} of ${plural(of, 'round')}`;
}

function changeWords({ name, before, after }: ProvenanceChange): string {
  return `${name} ${before} -> ${after}`;
}

/** `latency 2, errors 1` */
export function countsBy(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([reason, count]) => `${reason} ${count}`)
    .join(', ');
}

/** Never 100 % of less than all. */
function almostAll(loaded: number, documents: number): string {
  const share = documents === 0 ? 1 : loaded / documents;
  return share === 1 ? '100 %' : `${Math.min(99.99, Number((100 * share).toFixed(2)))} %`;
}

const noAnswerWords: Readonly<Record<CapacityOutcome, string>> = {
  generator: 'before any limit was reached, the load generator or the machine was too busy',
  unstable: 'rounds show loads that are too far apart',
  'not-measured': 'no slice shows the limits',
  supports: 'supported',
  'not-reached': 'not reached',
  below: 'below the range',
};

/** So many trends and variants are named. */
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
    return `${where}all arms ${formatDelta(percent)} ${formatInterval(interval)} ${over}`;
  }
  return `${where}${variant} ${formatDelta(percent)} ${over}, the control ${formatDelta(controlPercent)}`;
}
