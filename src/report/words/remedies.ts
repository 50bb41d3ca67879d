import type { VoidReason } from '../../journal/records.ts';
import type { RunNote, SessionNote } from '../../judge/notes.ts';
import { partRemedies } from '../parts/parts.ts';
import { noteWords } from './note-words.ts';

/** A flag, a command or a key of the scenario to try, for each kind of note that warns. */
const remedies: Readonly<Record<(RunNote | SessionNote)['kind'], string>> = {
  ...partRemedies,
  'no-rounds': 'Try a longer --budget, or a shorter load.slice.',
  'too-many-void': 'Each load level names the reasons.',
  'control-differs': 'Try pgsweep doctor, then more --rounds.',
  'control-capacity-differs': 'Try pgsweep doctor, then more --rounds.',
  'no-capacity':
    'pgsweep doctor names what else uses the CPUs; a longer load.slice has more answers in each slice, and a longer --budget more rounds.',
  journal: 'pgsweep sweep --resume measures lost rounds again.',
  'void-included': 'pgsweep plan --check looks at the machine and the service before the next run.',
  'killed-services': 'A longer target.stopTimeout gives them time to end.',
  'link-busy':
    'Fewer load.connections leave it room. A database that is really so far away (--postgres) needs no proxy.',
  'closing-services': 'Without `connection: close` in its answers it is measured as behind a pool of connections.',
  'whole-slices':
    'load.turn and load.slice set how turns are taken; a larger shared_buffers in stack.postgres.settings holds more arms, and rounds.restart: server gives each arm its own.',
  groups: 'Fewer variants in sweep take turns in one group.',
  'control-stands-apart': 'A longer load.warmup may help; with another variant as control a run shows which is apart.',
  'short-warmup': 'A longer load.warmup serves all of them.',
  'unsteady-rates':
    'A longer load.warmup takes out what still grows; a longer load.slice shows how far a falling rate goes.',
  housekeeping:
    'load.slice sets their length; a lower checkpoint_timeout or autovacuum_naptime in stack.postgres.settings, for all arms, makes do with less.',
  shard: 'pgsweep merge puts all shares together and judges them once; before that nothing should follow from one.',
  'missing-rounds':
    'They were fixed beforehand, so the others are judged. pgsweep sweep --shard or --resume, then pgsweep merge, adds them.',
  'machines-differ':
    'The table by machine shows which. pgsweep sweep --shard on more machines makes such intervals narrower, more rounds do not.',
  'unfinished-round': 'pgsweep sweep --resume begins it again.',
  'own-databases': 'What is missing is n/a; target.reset, or that of a variant, puts data back before each start.',
  'no-database-columns': 'Runs without live settings, on Postgres 15 or later (stack.postgres.version), have them.',
  'resumed-elsewhere': 'Changes hold within each round; start without --resume to compare averages.',
};

/** A warning, and what to try: two sentences, or one more for each reason of discarded slices. */
export function warningWords(note: RunNote | SessionNote): string {
  return `${noteWords(note)}. ${note.kind === 'too-many-void' ? voidRemedy(note.byReason) : remedies[note.kind]}`;
}

const LESS_LOAD = 'Fewer load.connections, or a machine of its own for the service, leave the load generator room.';

/** Remedies by the reason of discarded slices. */
const voidRemedies: Readonly<Record<VoidReason, string>> = {
  'failed requests':
    'Statuses under the averages show what failed: load.maxFailedRate allows for failures, expect names a status that is none, and load.sessions: new begins new sessions for users whose own expire (401).',
  'littles law': LESS_LOAD,
  'generator busy': LESS_LOAD,
  'send lag':
    'The load generator sent its requests late: a lower load.rate, a calmer machine, or one of its own for the service leaves it room.',
  connections:
    'The service drops connections without `connection: close` in an answer: its log, or a proxy before it, says why.',
  'listen overflow':
    'The service does not take connections fast enough: a longer backlog of its listen, or fewer load.connections.',
  retransmits: 'The network loses segments: run both ends closer to each other, or on a quieter network.',
  transactions: 'Something else used the databases of the arms: have the run alone on its Postgres.',
};

/** Remedies for the most frequent reasons. If the load generator sent too late, other remedies do not help. */
function voidRemedy(byReason: Readonly<Partial<Record<VoidReason, number>>>): string {
  const reasons = (byReason['send lag'] ?? 0) > 0 ? ['send lag' as const] : byCount(byReason);
  return [...new Set(reasons.slice(0, MOST_REMEDIES).map((reason) => voidRemedies[reason]))].join(' ');
}

const MOST_REMEDIES = 2;

function byCount(byReason: Readonly<Partial<Record<VoidReason, number>>>): VoidReason[] {
  const counts = Object.entries(byReason) as [VoidReason, number][];
  return counts.sort(([, a], [, b]) => b - a).map(([reason]) => reason);
}
