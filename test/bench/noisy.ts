/**
 * What a sweep of three minutes is worth beside a neighbour that takes the machine's CPUs in bursts: does it see a change
 * where there is none, and does it find a planted one, also of 5 % that is switched live? It may be stopped at any time: started again with the same folder
 * it goes on with the next session.
 *
 *   npm run bench:noisy -- [--quick] [--minutes 120] [--folder results/bench-noisy]
 */
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { markdownTable } from 'markdown-table';
import { mean } from '../../src/judge/stats/moments.ts';
import type { Goal } from './goal.ts';
import { MOST_LOAD_S } from './live.ts';
import {
  type Disturbance,
  type FinishedSession,
  type Kind,
  type Lines,
  measureTruth,
  neighbourFile,
  openLines,
  runNoisySession,
  type Truth,
} from './noisy-sessions.ts';
import { RECORDINGS } from './recorded-turns.ts';

const SESSIONS = 20;
const LIVE_SESSIONS = 10;
/** Of each kind: they show how it goes, and keep no promise. */
const QUICK_SESSIONS = 3;
const MOST_MINUTES = { full: 120, quick: 20 };
/** Of the CPU time, on the stretch that the truth is measured on. */
const MOST_OTHERS_PERCENT = 5;
/** As long as a session may take. */
const SESSION_MINUTES = 3;

/** How many of twenty sessions are promised. */
interface Promised {
  readonly name: string;
  readonly sessions: readonly FinishedSession[];
  readonly holds: (session: FinishedSession) => boolean;
  readonly least?: number;
  readonly most?: number;
  /** Whose rounds and load are told. */
  readonly timed?: readonly FinishedSession[];
}

interface NoisyGoal extends Goal {
  /** False where there are fewer sessions than the promise is made for: it can be neither reached nor missed. */
  readonly isRun: boolean;
}

function goalOf({ name, sessions, holds, least = 0, most = SESSIONS, timed = [] }: Promised): NoisyGoal {
  const count = sessions.filter(holds).length;
  const isRun = sessions.length >= SESSIONS;
  return {
    name,
    measured: `${count} of ${sessions.length}${timesOf(timed)}`,
    goal: `${least > 0 ? `at least ${least}` : `at most ${most}`} of ${SESSIONS}`,
    reached: isRun && least <= count && count <= most,
    isRun,
  };
}

function timesOf(sessions: readonly FinishedSession[]): string {
  if (sessions.length === 0) return '';
  const [rounds, loadS, wallS] = (['rounds', 'loadS', 'wallS'] as const).map((name) =>
    mean(sessions.map((session) => session[name])).toFixed(0),
  );
  return `; mean ${rounds} rounds, ${loadS} s of load, ${wallS} s`;
}

function goalsOf(lines: Lines['all']): NoisyGoal[] {
  const of = (kind: Kind): FinishedSession[] =>
    lines.filter((line): line is FinishedSession => line.type === 'session' && line.kind === kind);
  const truth = lines.find((line): line is Truth => line.type === 'truth')?.changePercent ?? Number.NaN;
  const [same, slower] = [of('A/A'), of('+10 %')];
  const is =
    (...verdicts: readonly string[]) =>
    ({ verdict }: FinishedSession): boolean =>
      verdicts.includes(verdict);
  const planted = `+10 % of work an answer (${truth.toFixed(1)} % of the rate by CPU time)`;
  const promised: readonly Promised[] = [
    { name: 'A/A: false verdict', sessions: same, holds: is('higher', 'lower'), most: 3, timed: same },
    { name: `${planted}: wrong sign`, sessions: slower, holds: is('higher'), most: 0 },
    { name: `${planted}: found`, sessions: slower, holds: is('lower'), least: 15, timed: slower.filter(is('lower')) },
    {
      name: `${planted}: the interval holds it`,
      sessions: slower,
      holds: ({ interval }) => interval !== null && interval[0] <= truth && truth <= interval[1],
      least: 16,
    },
  ];
  return [...promised.map(goalOf), liveGoal(of('live +5 %'))];
}

/** Of all sessions, those among them that found nothing until their budget was spent. */
function liveGoal(sessions: readonly FinishedSession[]): NoisyGoal {
  const found = sessions.filter(({ verdict }) => verdict === 'lower').length;
  const isRun = sessions.length >= LIVE_SESSIONS;
  const least = 0.75 * LIVE_SESSIONS;
  return {
    name: 'answers that take 5 % longer, switched live: found',
    measured: `${found} of ${sessions.length}${timesOf(sessions)}`,
    goal: `at least ${Math.ceil(least)} of ${LIVE_SESSIONS}, after a mean of at most ${MOST_LOAD_S} s of load`,
    reached: isRun && found >= least && mean(sessions.map(({ loadS }) => loadS)) <= MOST_LOAD_S,
    isRun,
  };
}

/** Makes what is missing, the kinds by turns, until all is there, the time is up or it is stopped. */
async function runMissing(
  lines: Lines,
  { folder, sessions, mostMinutes, signal }: Wanted,
): Promise<'finished' | 'time is up' | 'stopped'> {
  const endMs = performance.now() + 60_000 * mostMinutes;
  const has = (kind: Kind, number: number): boolean =>
    lines.all.some((line) => line.type === 'session' && line.kind === kind && line.number === number);
  const numbers = Array.from({ length: sessions }, (_, index) => index + 1);
  const missing = numbers.flatMap((number) =>
    (['A/A', '+10 %', 'live +5 %'] as const).flatMap((kind) =>
      has(kind, number) || (kind === 'live +5 %' && number > LIVE_SESSIONS) ? [] : [{ kind, number }],
    ),
  );
  try {
    if (!lines.all.some(({ type }) => type === 'truth')) {
      const truth = await measureTruth({ folder, signal });
      lines.add(truth);
      const isQuiet = (truth.stealPercent ?? 0) + (truth.foreignCpuPercent ?? 0) <= MOST_OTHERS_PERCENT;
      const seen = `${disturbanceText(truth)}${isQuiet ? '' : ': not quiet, so it may be off by some percent'}`;
      console.error(
        `planted: ${truth.changePercent.toFixed(1)} % of the rate by CPU time, without the neighbour (${seen})`,
      );
    }
    for (const { kind, number } of missing) {
      if (performance.now() + 60_000 * SESSION_MINUTES > endMs) return 'time is up';
      const session = await runNoisySession(kind, number, { folder, signal });
      lines.add(session);
      console.error(tell(session));
    }
    return 'finished';
  } catch (error) {
    if (signal.aborted) return 'stopped';
    throw error;
  }
}

interface Wanted {
  readonly folder: string;
  /** Of each kind. */
  readonly sessions: number;
  readonly mostMinutes: number;
  readonly signal: AbortSignal;
}

function tell({
  kind,
  number,
  verdict,
  deltaPercent,
  interval,
  rounds,
  loadS,
  wallS,
  ...seen
}: FinishedSession): string {
  const range = interval === null ? 'no interval' : `[${interval.map((end) => end.toFixed(1)).join(', ')}]`;
  const times = `${rounds} rounds, ${loadS} s of load, ${wallS} s`;
  return `${kind} ${number}: ${verdict} ${deltaPercent?.toFixed(1)} % ${range}, ${times} (${disturbanceText(seen)})`;
}

function disturbanceText({ stealPercent, foreignCpuPercent }: Disturbance): string {
  return `cpu steal ${stealPercent?.toFixed(0)} %, others ${foreignCpuPercent?.toFixed(0)} %`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      folder: { type: 'string', default: 'results/bench-noisy' },
    },
  });
  const { quick, folder } = values;
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new Error('interrupted')));
  process.once('SIGTERM', () => stop.abort(new Error('terminated')));
  const lines = openLines(folder);
  const neighbour = neighbourFile();
  const why = basename(neighbour) === 'burner.mjs' ? '' : `, since there is no burner.mjs in ${RECORDINGS}`;
  console.error(`the neighbour is ${neighbour}${why}; what is finished stands in ${folder}`);
  const how = await runMissing(lines, {
    folder,
    sessions: quick ? QUICK_SESSIONS : SESSIONS,
    mostMinutes: Number(values.minutes ?? (quick ? MOST_MINUTES.quick : MOST_MINUTES.full)),
    signal: stop.signal,
  });
  const goals = goalsOf(lines.all);
  const rows = goals.map(({ name, measured, goal, reached, isRun }) => [
    name,
    measured,
    goal,
    reached ? 'reached' : isRun ? 'MISSED' : 'not run in full',
  ]);
  console.log(markdownTable([['goal', 'measured', 'promised', ''], ...rows]));
  if (how !== 'finished') console.error(`${how}: the same command goes on with what is missing`);
  process.exitCode = how === 'stopped' ? 130 : goals.every(({ reached }) => reached) ? 0 : 1;
}

await main();
