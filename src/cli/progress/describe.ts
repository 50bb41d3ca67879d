import { formatDuration, wholeSeconds } from '../../base/units.ts';
import type { LengthsRecord } from '../../journal/length-records.ts';
import { loadLabel } from '../../journal/load-level.ts';
import type { OpenChoice } from '../../journal/open-estimate.ts';
import type { ConditionsRecord, WholeSlicesReason } from '../../journal/pass-records.ts';
import type { StopReason } from '../../journal/records.ts';
import { MIN_ROUNDS } from '../../judge/stats/looks.ts';
import type { RunEvent } from '../../measure/run/events.ts';
import { lineUpLine, searchWords } from './line-up-line.ts';
import {
  choiceWords,
  estimateWords,
  foundWords,
  machineWords,
  type Narrowing,
  narrowing,
  openLines,
  widest,
} from './open-lines.ts';
import { afterChoice, boundsLine, levelsLine } from './search-lines.ts';
import { warningLine } from './warning-words.ts';

const reasons: Record<StopReason, string> = {
  verdicts: 'its question is answered',
  stuck: 'more rounds would not settle the rest of its question',
  unsettled: 'its budget is over, and what is open needs more than the added time',
  budget: 'the budget does not allow another round',
  rounds: 'all rounds are done',
  quick: 'the quick run is complete',
};

type Share = Extract<RunEvent, { kind: 'run-started' }>['shard'];

/** `; shard 3 of 8, which share 40 rounds` */
function shareWords(shard: Share): string {
  return shard === undefined ? '' : `; shard ${shard.index} of ${shard.count}, which share ${shard.rounds} rounds`;
}

/** `2 load levels not decided yet, 3 comparisons without a verdict so far` */
function openWords(comparisons: number, choices: number): string {
  const several = (count: number): string => (count === 1 ? '' : 's');
  return [
    ...(choices > 0 ? [`${choices} load level${several(choices)} not decided yet`] : []),
    ...(comparisons > 0 ? [`${comparisons} comparison${several(comparisons)} without a verdict so far`] : []),
  ].join(', ');
}

/**
 * Nothing is open where no comparison has numbers, as where no limit is met: that is no answer before verdicts can be, unless it
 * is decided already which setting to take.
 */
function decidedWords({ round, found }: Extract<RunEvent, { kind: 'round-ended' }>): string {
  return round < MIN_ROUNDS && !found?.decided.length ? `verdicts start at ${MIN_ROUNDS} rounds` : 'all decided';
}

/** The lines that stay: the start, each round, warnings, the end. Null for what only a live display shows. */
export function lastingLine(event: RunEvent): string | null {
  switch (event.kind) {
    case 'preparing':
      return event.message;
    case 'run-started':
      return `run folder: ${event.folder} (${event.arms} arms, ${event.cells} cells${shareWords(event.shard)}); its report.html is rewritten after each round`;
    case 'round-ended': {
      const done = `round ${event.round} done in ${formatDuration(event.durationMs)}`;
      if (event.undecided === null) return done;
      if (event.search !== undefined)
        return `${done}: ${event.search === null ? 'no best setting so far' : searchWords(event.search)}`;
      const { undecided: open, choices = [] } = event;
      const undecided = open === 0 ? decidedWords(event) : openWords(open - choices.length, choices.length);
      const seen =
        event.detectablePercent === null
          ? ''
          : `; effects of ${Number(event.detectablePercent.toPrecision(2))} % can be seen by now`;
      const found = event.found === undefined ? '' : foundWords(event.found);
      return `${done}: ${undecided}${found === '' ? '' : `; so far: ${found}`}${seen}`;
    }
    case 'arms-left':
    case 'proposed':
    case 'refused':
      return lineUpLine(event);
    case 'lengths':
      return event.lengths.round === 1 ? lengthsLine(event.lengths) : null;
    case 'beyond-budget':
      return `the budget is over: the run continues for at most ${formatDuration(Math.round(event.leftMs / 1000) * 1000)}, while that should settle what is open`;
    case 'levels-chosen':
      return levelsLine(event);
    case 'round-started':
      return boundsLine(event);
    case 'slice-void': {
      const found = event.voided.map(({ reason, found: what }) => `${reason} ${what}`).join(', ');
      const cell = `${event.arm}, ${loadLabel(event.load)}`;
      return `slice discarded (${cell}): ${found}`;
    }
    case 'timeouts': {
      const { arm, load, timeouts, sliceMs, timeoutMs } = event;
      const early =
        sliceMs <= timeoutMs
          ? `; the slice was no longer than load.timeout (${formatDuration(timeoutMs)}), so pgsweep gave them up earlier`
          : '';
      return `timeouts (${arm}, ${loadLabel(load)}): ${timeouts} requests got no answer${early}`;
    }
    case 'service-killed':
      return `${partOf(event.processes)}the service of ${event.arm} did not end on SIGTERM: killed after ${formatDuration(event.afterMs)}`;
    case 'whole-slices':
      return `${loadLabel(event.load)}: ${inRounds(event.inRound)} in whole slices, since ${event.by === undefined ? wholeSlices[event.reason] : laterWords(event.by)}`;
    case 'warning':
      return warningLine(event.warning);
    case 'run-ended':
      return `done: ${reasons[event.reason]}`;
    default:
      return null;
  }
}

/** `from here on 4,500 requests of warm-up an arm; the next round has slices of 3.2 s (1 connection), 4.4 s (25 connections)` */
function lengthsLine({ warmups, levels }: LengthsRecord): string {
  const each = warmups.map(({ workload, requests, mostMs }) => {
    const length = requests === null ? formatDuration(mostMs) : `${requests.toLocaleString('en-US')} requests`;
    return workload === undefined ? length : `${length} (${workload})`;
  });
  const slices = levels.map(({ load, sliceMs }) => `${formatDuration(sliceMs)} (${loadLabel(load)})`);
  const next = slices.length === 0 ? '' : `; the next round has slices of ${slices.join(', ')}`;
  return `from here on ${each.join(', ')} of warm-up an arm${next}`;
}

/** `instances 0 and 2 of `; empty where the service is one process. */
function partOf(processes: readonly string[] | undefined): string {
  if (processes === undefined) return '';
  const areNumbers = processes.every((name) => /^\d+$/.test(name));
  const kind = areNumbers ? `instance${processes.length === 1 ? '' : 's'} ` : '';
  return `${kind}${processes.join(' and ')} of `;
}

function inRounds(only: number | undefined): string {
  return only === undefined ? 'from here on' : `in the rest of round ${only}`;
}

/** `pool=10 keeps working in the turns of others: 31 ms of CPU, beside 104 ms in its own` */
function laterWords({ arm, laterMs, ownMs }: NonNullable<Extract<RunEvent, { kind: 'whole-slices' }>['by']>): string {
  const [later, own] = [laterMs, ownMs].map((ms) => formatDuration(Number(ms.toPrecision(2))));
  return `${arm} keeps working in the turns of others: ${later} of CPU, beside ${own} in its own`;
}

const wholeSlices: Readonly<Record<WholeSlicesReason, string>> = {
  'turned off': 'load.turn is off',
  latency: 'answers take so long that turns would be no shorter',
  waits: 'some answers outlast turns',
  'idle work': 'an arm keeps working in the turns of others',
  'turn ends': 'an arm lost over 5 % of its time waiting for the last answers of its turns',
  'shared buffers': "the arms' databases together do not fit in shared_buffers",
  memory: "the arms' databases and shared_buffers together do not fit in memory",
  'kind of load': 'this kind of load cannot be interrupted',
};

function describePass({
  load,
  arms,
  turnMs,
  turnsPerArm,
  blocks,
}: Extract<RunEvent, { kind: 'pass-started' }>): string {
  if (blocks !== undefined && turnMs !== null) {
    const of = blocks === 1 ? '1 block' : `${blocks} blocks`;
    return `${loadLabel(load)}, ${arms} settings in ${of} of turns of ${formatDuration(turnMs)}`;
  }
  const how = turnMs === null || turnsPerArm === 1 ? '' : ` in turns of ${formatDuration(turnMs)}`;
  return `${loadLabel(load)}, ${arms} arms${how}`;
}

type BulkSituation = Extract<RunEvent, { kind: 'bulk-progress' }>['progress'];

/** State of the run for the progress lines, kept from event to event. */
export interface Situation {
  readonly round: number;
  readonly rounds: number;
  readonly passes: number;
  readonly pass: number;
  readonly what: string;
  readonly requestsPerSecond: number | null;
  readonly bulk: BulkSituation | null;
  /** The job that runs, and for how long. */
  readonly job: { readonly arm: string; readonly forMs: number } | null;
  /** The open comparisons after the last round that has ended, and which that was. */
  readonly open: readonly Narrowing[];
  readonly openAfter: number;
  /** Load levels without a decision after that round. */
  readonly choices: readonly OpenChoice[];
  /** The state of the machine in the passes of this round, and in the last pass there was. */
  readonly machine: readonly ConditionsRecord[];
  readonly lastPass: ConditionsRecord | null;
  /** On the clock of `performance.now()`. */
  readonly endsAtMs: number | null;
  /** Set in the first round of a search, on the same clock. */
  readonly budgetEndsAtMs: number | null;
}

export const nothingYet: Situation = {
  round: 0,
  rounds: 0,
  passes: 0,
  pass: 0,
  what: '',
  requestsPerSecond: null,
  bulk: null,
  job: null,
  open: [],
  openAfter: 0,
  choices: [],
  machine: [],
  lastPass: null,
  endsAtMs: null,
  budgetEndsAtMs: null,
};

export function nextSituation(now: Situation, event: RunEvent, nowMs: number): Situation {
  switch (event.kind) {
    case 'round-started':
      return {
        ...nothingYet,
        round: event.round,
        rounds: event.rounds,
        passes: event.passes,
        open: now.open,
        openAfter: now.openAfter,
        choices: now.choices,
        lastPass: now.lastPass,
        endsAtMs: event.leftMs === null ? null : nowMs + event.leftMs,
        budgetEndsAtMs: event.budgetLeftMs === undefined ? null : nowMs + event.budgetLeftMs,
      };
    case 'levels-chosen':
      return { ...now, ...afterChoice(now, event, nowMs) };
    case 'arms-starting':
      return { ...now, what: `starting ${event.arms} arms`, requestsPerSecond: null, bulk: null };
    case 'warmup-started':
      return { ...now, what: `warming up ${event.arms} arms`, requestsPerSecond: null };
    case 'waiting':
      return { ...now, what: `waiting ${formatDuration(event.forMs)} ${event.reason}`, requestsPerSecond: null };
    case 'pass-started':
      return { ...now, pass: event.pass + 1, what: describePass(event), requestsPerSecond: null, bulk: null };
    case 'pass-ended':
      return { ...now, job: null, machine: [...now.machine, event.conditions], lastPass: event.conditions };
    case 'round-ended':
      return { ...now, open: narrowing(event.open, now.open), openAfter: event.round, choices: event.choices ?? [] };
    case 'rate':
      return { ...now, requestsPerSecond: event.requestsPerSecond };
    case 'bulk-progress':
      return { ...now, bulk: event.progress };
    case 'job-progress':
      return { ...now, job: event };
    default:
      return now;
  }
}

/** Lines below the current one: the machine in the last pass, and open comparisons. */
export function knownLines({ lastPass, open, openAfter, choices }: Situation, mostLines: number): string[] {
  const seen = lastPass === null ? '' : machineWords([lastPass]);
  const questions = choices.map((one) => `  ${choiceWords(one, openAfter)}`);
  const lines = [...questions, ...openLines(open, openAfter, Math.max(0, mostLines - 1 - questions.length))];
  return [...(seen === '' ? [] : [`  machine: ${seen}`]), ...lines].slice(0, Math.max(0, mostLines));
}

/** Addition of a round to its line in a log: the widest open interval, and the machine. Begins with `; `. */
export function roundFacts({ machine, open, openAfter, choices }: Situation): string {
  const most = widest(open.map(({ now }) => now));
  const [choice] = choices;
  const seen = machineWords(machine);
  return `${choice === undefined ? '' : `; ${choiceWords(choice, openAfter)}`}${most === null ? '' : `; widest ${estimateWords(most)}`}${seen === '' ? '' : `; ${seen}`}`;
}

/** `round 2/7  pass 1/3  25 connections, 5 arms in turns of 364 ms  1,204 requests/s  6 min 10 s left` */
export function describeSituation(now: Situation, nowMs: number): string {
  if (now.round === 0) return '';
  const parts = [`round ${now.round}/${now.rounds}`];
  if (now.pass > 0) parts.push(`pass ${now.pass}/${Math.max(now.pass, now.passes)}`);
  if (now.what !== '') parts.push(now.what);
  if (now.requestsPerSecond !== null) parts.push(rateWords(now.requestsPerSecond));
  if (now.bulk !== null) parts.push(...describeBulk(now.bulk));
  if (now.job !== null) parts.push(`${now.job.arm}: ${wholeSeconds(now.job.forMs)}`);
  if (now.endsAtMs !== null)
    parts.push(now.endsAtMs > nowMs ? `${wholeSeconds(now.endsAtMs - nowMs)} left` : 'longer than estimated');
  return parts.join('  ');
}

function rateWords(perSecond: number): string {
  const whole = Math.round(perSecond);
  return whole === 1 ? '1 request/s' : `${whole.toLocaleString('en-US')} requests/s`;
}

/** `unmeasured first load`, `1,200 of 9,126 documents`, `1,204 documents/s`, `7 s left` */
function describeBulk({ documents, total, documentsPerSecond, leftMs, unmeasured }: BulkSituation): string[] {
  const of = total === null ? '' : ` of ${total.toLocaleString('en-US')}`;
  return [
    ...(unmeasured ? ['unmeasured first load'] : []),
    `${documents.toLocaleString('en-US')}${of} documents`,
    `${Math.round(documentsPerSecond).toLocaleString('en-US')} documents/s`,
    ...(leftMs === null ? [] : [`${wholeSeconds(leftMs)} left to load`]),
  ];
}
