import { traitsOf } from '../../journal/load-level.ts';
import type { WholeSlicesReason } from '../../journal/pass-records.ts';
import type { VoidReason } from '../../journal/records.ts';
import type { ShortRounds } from '../../journal/run/short-rounds.ts';
import type { RunNote, SessionNote, TooManyVoid } from '../../judge/notes.ts';
import { isGrowing } from '../../judge/verdicts/steady-rates.ts';
import { partRemedies } from '../parts/parts.ts';
import { longerSlice } from './capacity-words.ts';
import { CHECK } from './commands.ts';
import { noteWords } from './note-words.ts';

/** A flag, a command or a key of the scenario to try, for each kind of note that warns, but for those whose facts decide. */
const remedies: Readonly<Record<Exclude<(RunNote | SessionNote)['kind'], 'whole-slices' | 'short-rounds'>, string>> = {
  ...partRemedies,
  'other-control':
    'It has one arm and the planned control two, so intervals are wider. To confirm what you find, run pgsweep sweep with it as control.',
  'no-rounds': `If the run failed, logs/ in its folder may say why. Fix the cause, try it with ${CHECK}, then start a new run.`,
  'too-many-void': 'Each load level names the reasons.',
  'stays-apart': 'Look for its cause with pgsweep doctor, or measure again: another session has other starts.',
  'few-loaded': 'failures.jsonl lists the other documents with their answers. load.maxFailedRate allows more losses.',
  'no-capacity':
    'pgsweep doctor shows what else uses the CPUs. A longer load.slice gives more answers per slice, a longer --budget more rounds.',
  journal: '--resume continues the run.',
  'void-included': `Run ${CHECK} before the next run: it checks the machine and the service.`,
  'killed-services': 'A longer target.stopTimeout gives them time to end.',
  'link-busy':
    'Fewer load.connections leave it room. A database that is really so far away (--postgres) needs no proxy.',
  'closing-services':
    'If its answers leave out `connection: close`, pgsweep measures it with open connections, as behind a proxy.',
  'expired-sessions': 'Where sessions of users expire, load.sessions: new begins new ones.',
  'by-autocannon': 'Without load.autocannon, pgsweep follows each request to its end. load.rate counts stalls fully.',
  groups: 'With fewer variants in sweep, all take turns in one group.',
  'others-wrote': 'A server that only the run uses shows them: --stack embedded, or another --postgres.',
  'control-stands-apart':
    'A longer load.warmup may help. pgsweep report --control shows the changes against another variant.',
  'short-warmup': 'With a longer load.warmup, every arm gets its whole warm-up.',
  'unsteady-rates': 'With a longer load.warmup, the rate stops growing before pgsweep measures.',
  housekeeping:
    'Use a longer load.slice, or a lower checkpoint_timeout or autovacuum_naptime in stack.postgres.settings for all arms.',
  shard: 'pgsweep merge combines all shards and judges them. Decide nothing from one shard alone.',
  'missing-rounds':
    'The other rounds are judged. To add the missing ones, run pgsweep sweep --shard or --resume, then pgsweep merge.',
  'machines-differ':
    'The table by machine shows which. More machines (pgsweep sweep --shard) make such intervals narrower, more rounds do not.',
  'unfinished-round': '--resume repeats it.',
  'own-databases': 'Missing values are n/a. target.reset, or reset of a variant, restores the data before each start.',
  'no-database-columns': 'Runs without live settings, on Postgres 15 or later (stack.postgres.version), have them.',
  'resumed-elsewhere': 'Changes hold within each round; start without --resume to compare averages.',
};

/** A warning, and what to try: two sentences, or one more for each reason of discarded slices. */
export function warningWords(note: RunNote | SessionNote): string {
  return `${noteWords(note)}. ${remedyOf(note)}`;
}

function remedyOf(note: RunNote | SessionNote): string {
  if (note.kind === 'too-many-void') return voidRemedies(note).join(' ');
  if (note.kind === 'whole-slices') return wholeRemedy(note);
  if (note.kind === 'short-rounds') return roomyWords(note);
  if (note.kind === 'no-capacity' && note.tooFew !== undefined)
    return `A load.slice of ${longerSlice(note.tooFew)} should give enough.`;
  if (note.kind === 'short-warmup' && note.throttled)
    return 'pgsweep doctor shows the limit: run without it (a container without --cpus).';
  const isFalling = note.kind === 'unsteady-rates' && !note.trends.some(isGrowing);
  return isFalling ? 'A longer load.slice shows how far the rate falls.' : remedies[note.kind];
}

/** `--budget 17m has room for full rounds.` */
export function roomyWords({ roomyBudgetMs }: ShortRounds): string {
  return `--budget ${Math.ceil(roomyBudgetMs / 60_000)}m has room for full rounds.`;
}

const LONGER_SLICE = 'A longer load.slice has room for turns.';

const MORE_ROUNDS = 'Each arm then loads in one stretch, and intervals are wider. More rounds narrow them.';

/** Remedies by the reason of whole slices. */
const wholeRemedies: Readonly<Record<WholeSlicesReason, string>> = {
  'turned off': 'load.turn: auto has turns again.',
  latency: LONGER_SLICE,
  waits: LONGER_SLICE,
  'idle work': 'That work then counts for its own arm, and intervals are wider. A longer load.slice narrows them.',
  'turn ends': MORE_ROUNDS,
  'shared buffers':
    'A larger shared_buffers in stack.postgres.settings has room for more arms; rounds.restart: server gives each arm its own server.',
  memory: 'Fewer variants, or a smaller shared_buffers in stack.postgres.settings, leave room.',
  'kind of load': 'load.connections and load.rate have turns.',
};

const LESS_LOAD =
  'Use fewer load.connections, or run the service on another machine: the load generator needs more CPU.';

const RATE_LIMITED =
  'The service refuses requests (429, Too Many Requests). Turn its rate limit off while you measure, or stay below it with load.rate.';

/** A bulk load is as long as its documents take, whatever the length of a slice. */
function wholeRemedy({ load, reason }: Extract<RunNote, { kind: 'whole-slices' }>): string {
  return reason === 'idle work' && traitsOf(load).counts === 'documents' ? MORE_ROUNDS : wholeRemedies[reason];
}

/** Remedies by the reason of discarded slices. */
const byReasons: Readonly<Record<VoidReason, string>> = {
  'failed requests':
    'Statuses under the averages show what failed. load.maxFailedRate allows failures, expect names statuses that are no failure, and load.sessions: new gives users a new session when theirs expires (401).',
  'littles law': LESS_LOAD,
  'generator busy': LESS_LOAD,
  'send lag':
    'The load generator sent its requests late. Use a lower load.rate or a calmer machine, or run the service on another machine.',
  connections:
    'The service drops connections without `connection: close` in an answer. Look for the reason in its log, or in a proxy before it.',
  'listen overflow':
    'The service does not accept connections fast enough. Set a longer backlog in its listen(), or use fewer load.connections.',
  retransmits: 'The network loses segments. Run both ends closer to each other, or on a quieter network.',
  'long answers':
    'Answers or iterations of k6 take longer than a slice, so none of it counts. Use a load.slice of at least twice their time, and leave out load.turn.',
  paused: 'The run was stopped for a while (Ctrl-Z, a suspended machine). Let the machine run until it ends.',
  transactions: 'Another program used the databases of the arms. Give the run a Postgres that nothing else uses.',
};

/** Remedies for the most frequent reasons. If the load generator sent too late, other remedies do not help. */
export function voidRemedies({ byReason, failed }: Pick<TooManyVoid, 'byReason' | 'failed'>): string[] {
  const reasons = (byReason['send lag'] ?? 0) > 0 ? ['send lag' as const] : byCount(byReason);
  const remedyFor = (reason: VoidReason): string =>
    reason === 'failed requests' && failed?.mostly === '429' ? RATE_LIMITED : byReasons[reason];
  return [...new Set(reasons.slice(0, MOST_REMEDIES).map(remedyFor))];
}

const MOST_REMEDIES = 2;

function byCount(byReason: Readonly<Partial<Record<VoidReason, number>>>): VoidReason[] {
  const counts = Object.entries(byReason) as [VoidReason, number][];
  return counts.sort(([, a], [, b]) => b - a).map(([reason]) => reason);
}
