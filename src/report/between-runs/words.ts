import { formatDelta, formatInterval, formatValue, plural } from '../../analysis/format.ts';
import type {
  BetweenNote,
  ChangeDifference,
  DifferenceArea,
  RunsComparison,
  SessionFacts,
  Side,
} from '../../between-runs/types.ts';
import { sides } from '../../between-runs/types.ts';
import { loadLabel } from '../../journal/load-level.ts';
import { notesWords, warningWords } from '../words/note-words.ts';

/** A note as a sentence without full stop. */
export function betweenWords(note: BetweenNote): string {
  switch (note.kind) {
    case 'different-sessions':
      return `no verdict: different sessions (${note.sessions} a side, ${note.needed} in turn are needed)`;
    case 'not-in-turn':
      return 'no verdict: sessions not taken in turn';
    case 'no-interval':
      return `no verdict: ${note.side} has none${note.notes.length === 0 ? '' : ` (${notesWords(note.notes)})`}`;
    case 'unfit-session':
      return 'a session is unfit: no verdict';
    case 'quick-session':
      return 'quick run: no verdict';
    case 'not-measured':
      return 'n/a: not measured';
    case 'both-zero':
      return '0 in both';
    case 'from-zero':
      return `n/a (0 -> ${formatValue(note.value)})`;
  }
}

/** A session in a line. */
export function sessionWords(side: Side, { place, run, rounds, complete }: SessionFacts): string {
  const end = complete ? '' : ', not ended as planned';
  return `${side}: ${place}: ${plural(rounds, 'round')}${end}, begun ${run.startedAt}, pgsweep ${run.provenance.pgsweepVersion}${
    run.provenance.gitCommit === null ? '' : `, commit ${run.provenance.gitCommit}`
  }`;
}

/** What is to be read before anything else. */
export function warningsOf({ sessions, control, unknownSecrets, only }: RunsComparison): string[] {
  const all = [...sessions.base, ...sessions.head];
  const unfit = all.flatMap(({ place, unfit: reasons }) =>
    reasons.map((reason) => `Unfit session ${place}, no verdicts: ${warningWords(reason)} Leave it out, or measure again.`),
  );
  const quick = all.flatMap(({ place, run }) =>
    run.quick ? [`${place} is a quick run, for trying things out: no verdicts.`] : [],
  );
  const controls = new Set(all.map(({ run }) => run.scenario.control));
  const other =
    control === null
      ? [`Changes are against different controls (${[...controls].join(', ')}), and cannot be compared.`]
      : [];
  const secrets =
    unknownSecrets.length === 0
      ? []
      : [
          `Whether secrets are the same cannot be told (${unknownSecrets.join(', ')}): their digests have keys of different users or machines.`,
        ];
  return [...unfit, ...quick, ...other, ...sides.flatMap((side) => onlyWords(side, only[side])), ...secrets];
}

function onlyWords(side: Side, { variants, loads }: RunsComparison['only']['base']): string[] {
  const names = [...variants, ...loads.map(loadLabel)];
  return names.length === 0 ? [] : [`Not in all runs, and left out: ${names.join(', ')} (${side}).`];
}

/** `25 connections: pool=25 changes 2xx/s by +8.0 % in base and +2.0 % in head: lower by 5.6 % ...` */
export function headlineOf({ changes, control }: RunsComparison, metric: string, label: string): string[] {
  if (control === null) return [];
  return changes
    .filter((one) => one.metric === metric)
    .map((one) => `${loadLabel(one.load)}, ${one.variant}: ${changeSentence(one, label)}`);
}

function changeSentence(change: ChangeDifference, label: string): string {
  const { deltaPercent, verdict, notes } = change;
  const [base, head] = sides.map((side) => {
    const percent = deltaPercent[side];
    return percent === null ? 'n/a' : formatDelta(percent);
  });
  const what = `${label} ${base} in base, ${head} in head`;
  const [note] = notes;
  if (note !== undefined) return `${what}: ${betweenWords(note)}.`;
  const means: Readonly<Record<ChangeDifference['verdict'], string>> = {
    higher: 'the change is higher in head',
    lower: 'the change is lower in head',
    same: 'the change is the same within the margin',
    noise: 'no difference seen (noise)',
    unfit: 'not to be judged',
  };
  return `${what}: ${means[verdict]}, ${differenceText(change)}.`;
}

/** `-5.6 % [-8.1, -3.0] lower`, or why there is no interval. */
export function differenceText({ differencePercent, interval, verdict, notes }: ChangeDifference): string {
  if (differencePercent === null) return 'n/a';
  const delta = formatDelta(differencePercent);
  if (interval !== null) return `${delta} ${formatInterval(interval)} ${verdict}`;
  return notes.some(({ kind }) => kind === 'unfit-session') ? `${delta} unfit` : `${delta} no verdict`;
}

/** What a difference is in: `data set`. */
export const areaWords: Readonly<Record<DifferenceArea, string>> = {
  machine: 'machine',
  stack: 'stack',
  'data set': 'data set',
  bench: 'pgsweep',
  code: 'code',
  service: 'service',
  variants: 'variants',
  load: 'load',
  rounds: 'rounds',
  secrets: 'secrets',
};

/** Why levels have no verdict, or of how many sessions it is. */
export function levelsWords({ levels, order, sessions }: RunsComparison): string {
  const judged = levels.find(({ interval }) => interval !== null);
  if (judged !== undefined && order.kind === 'in-turn') {
    return `Levels of head against base are judged from ${plural(order.rounds.length, 'pair')} of sessions, taken in turn: the session is what counts once. Sessions are few, so intervals are wide.`;
  }
  const fewest = Math.min(sessions.base.length, sessions.head.length);
  if (fewest < 4) {
    return 'Levels of head against base have no verdict: these are different sessions, which share no rounds. What the machine did in the meantime is in them (all of one, then all of the other gives 13 to 23 % false alarms).';
  }
  return `Levels of head against base have no verdict: ${orderWords(order)}.`;
}

function orderWords(order: RunsComparison['order']): string {
  switch (order.kind) {
    case 'no-times':
      return `nothing tells when ${order.place} was taken`;
    case 'overlapping':
      return `by their times ${order.places.join(' and ')} were taken at once, so that they disturbed each other or were on different machines`;
    case 'not-in-turn':
      return `sessions were not taken in turn: ${order.outside} of ${order.runs} have none of the other side next to them (base head head base is in turn)`;
    default:
      return 'a session is not to be judged';
  }
}
