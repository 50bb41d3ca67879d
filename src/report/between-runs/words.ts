import { groupBy } from '../../base/group-by.ts';
import { present } from '../../base/present.ts';
import { loadKey, loadLabel } from '../../journal/load-level.ts';
import { isUnfitFor } from '../../judge/between-runs/session-facts.ts';
import type {
  ChangeDifference,
  DifferenceArea,
  RunsComparison,
  SessionFacts,
  Side,
} from '../../judge/between-runs/types.ts';
import { sides } from '../../judge/between-runs/types.ts';
import { formatChange, formatDelta, plural } from '../../judge/format.ts';
import type { OneSideFirst } from '../../judge/notes.ts';
import { marginOf } from '../../judge/read/metrics/margins.ts';
import type { Metric } from '../../judge/read/metrics/metrics.ts';
import { noteWords } from '../words/note-words.ts';
import { warningWords } from '../words/remedies.ts';
import { someNames } from '../words/short-name.ts';

/** A session in a line. */
export function sessionWords(side: Side, { place, run, rounds, complete }: SessionFacts): string {
  const end = complete ? '' : ', not ended as planned';
  return `${side}: ${place}: ${plural(rounds, 'round')}${end}, begun ${run.startedAt}, pgsweep ${run.provenance.pgsweepVersion}${
    run.provenance.gitCommit === null ? '' : `, commit ${run.provenance.gitCommit}`
  }`;
}

/** Warnings to read before anything else. */
export function warningsOf({ sessions, leftOut, control, unknownSecrets, only }: RunsComparison): string[] {
  const all = [...sessions.base, ...sessions.head];
  const controls = new Set(all.map(({ run }) => run.scenario.control));
  return present([
    ...all.flatMap(unfitWords),
    ...leftOut.flatMap(leftOutWords),
    ...all.map(({ place, run }) => run.quick && `${place} is a quick run, for trying things out: no verdicts.`),
    all.some(({ run }) => run.scenario.plannedControl !== undefined) &&
      `Changes are against ${control}, chosen after the runs: the error of 5 % holds if no result led to the choice, and if you look at several controls, for each alone.`,
    control === null && `Changes are against different controls (${[...controls].join(', ')}), and cannot be compared.`,
    ...sides.map((side) => onlyWords(side, only[side])),
    unknownSecrets.length > 0 &&
      `Secrets cannot be compared (${unknownSecrets.join(', ')}): their digests have keys of different users or machines.`,
  ]);
}

/** A line for each reason. One of a load level begins with its name, and the others have their verdicts. */
function unfitWords({ place, run, unfit }: SessionFacts): string[] {
  const isWhole = run.scenario.load.levels.every((load) => isUnfitFor({ unfit }, load));
  const where = isWhole ? `Unfit session ${place}, no verdicts` : `No verdicts at a load level of ${place}`;
  return unfit.map((reason) => `${where}: ${warningWords(reason)}`);
}

function leftOutWords({ place, unfit }: SessionFacts): string[] {
  return unfit.map((reason) => `Unfit session ${place}, left out: ${warningWords(reason)}`);
}

function onlyWords(side: Side, { variants, loads }: RunsComparison['only']['base']): string {
  const names = [...variants, ...loads.map(loadLabel)];
  return names.length === 0 ? '' : `Not in all runs, and left out: ${names.join(', ')} (${side}).`;
}

/** This many variants are named in a sentence. */
const MOST_NAMED = 8;

/**
 * For one metric, a sentence for each change that differs, and one for all others of a load level that are alike: `25
 * connections: pool=50: no difference of changes seen (noise).`
 */
export function headlineOf({ changes, loads, margins }: RunsComparison, { name, label, group }: Metric): string[] {
  const marginPercent = marginOf({ group }, margins);
  const ofMetric = changes.filter(({ metric }) => metric === name);
  return loads.flatMap((load) => {
    const here = ofMetric.filter((one) => loadKey(one.load) === loadKey(load));
    const differing = here.filter(({ verdict }) => verdict === 'higher' || verdict === 'lower');
    const others = here.filter((one) => !differing.includes(one));
    return [
      ...differing.map((one) => `${loadLabel(load)}, ${one.variant}: ${changeSentence(one, label)}`),
      ...groupBy(others, (one) => otherWords(one, marginPercent)).map((group) => {
        const names = group.map(({ variant }) => variant);
        return `${loadLabel(load)}: ${someNames(names, MOST_NAMED)}: ${group[0] && otherWords(group[0], marginPercent)}.`;
      }),
    ];
  });
}

function changeSentence(change: ChangeDifference, label: string): string {
  const [base, head] = sides.map((side) => formatDelta(change.deltaPercent[side] ?? 0));
  return `${label} ${base} in base, ${head} in head: the change is ${change.verdict} in head, ${differenceText(change)}.`;
}

function otherWords({ verdict, notes }: ChangeDifference, marginPercent: number): string {
  const [note] = notes;
  // A caveat beside a verdict is said below the table.
  if (note !== undefined && note.kind !== 'caveats') return noteWords(note);
  return verdict === 'same'
    ? `the change is the same in both within ±${marginPercent} %`
    : 'no difference between the changes seen (noise)';
}

/** `-5.6 % [-8.1, -3.0] lower`, or why there is no interval. */
export function differenceText({ differencePercent, interval, verdict, notes }: ChangeDifference): string {
  if (differencePercent === null) return 'n/a';
  const mark = notes.some(({ kind }) => kind === 'caveats') ? ' [!]' : '';
  if (interval !== null) return `${formatChange(differencePercent, interval)} ${verdict}${mark}`;
  return `${formatDelta(differencePercent)} ${verdict === 'unfit' ? 'unfit' : 'no verdict'}${mark}`;
}

/** The name of an area: `data set`. */
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
    return `Levels of head against base are judged from ${plural(order.rounds.length, 'pair')} of sessions, made alternately: each session counts once. Sessions are few, so intervals are wide.`;
  }
  const fewest = Math.min(sessions.base.length, sessions.head.length);
  if (fewest < 4) {
    return 'Levels of head against base have no verdict: these are different sessions, which share no rounds. They include drift of the machine in the meantime (all runs of one, then all of the other: 13 to 23 % false alarms).';
  }
  const [first] = levels.flatMap(({ notes }) => notes.flatMap((note) => (note.kind === 'one-side-first' ? note : [])));
  const why = first === undefined ? orderWords(order) : firstWords(first);
  return `Levels of head against base have no verdict: ${why}.`;
}

function firstWords({ side, pairs, among }: OneSideFirst): string {
  return `${side} ran first in ${pairs} of ${plural(among, 'pair')} of sessions, so drift of the machine looks like a change. Run base head head base, and again`;
}

function orderWords(order: RunsComparison['order']): string {
  switch (order.kind) {
    case 'no-times':
      return `it is not known when ${order.place} was made`;
    case 'overlapping':
      return `by their times ${order.places.join(' and ')} ran at the same time, so they disturbed each other or were on different machines`;
    case 'not-in-turn':
      return `sessions did not alternate: ${order.outside} of ${order.runs} have none of the other side next to them (base head head base alternates)`;
    default:
      return 'a session cannot be judged';
  }
}
