/**
 * What a sweep of three minutes is worth beside a neighbour that takes the machine's CPUs in bursts: does it see a change
 * where there is none, and does it find a planted one? It may be stopped at any time: started again with the same folder
 * it goes on with the next session.
 *
 *   npm run bench:noisy -- [--quick] [--minutes 120] [--folder results/bench-noisy]
 */
import { parseArgs } from 'node:util';
import { markdownTable } from 'markdown-table';
import { mean } from '../../src/stats/moments.ts';
import type { Goal } from './goal.ts';
import {
  type FinishedSession,
  type Kind,
  type Lines,
  measureTruth,
  neighbourFile,
  openLines,
  runNoisySession,
  type Truth,
} from './noisy-sessions.ts';

const SESSIONS = 20;
/** Of each kind: they show how it goes, and keep no promise. */
const QUICK_SESSIONS = 3;
const MOST_MINUTES = { full: 120, quick: 20 };
/** As long as a session may take. */
const SESSION_MINUTES = 3;

const isMarked = ({ verdict }: FinishedSession): boolean => verdict === 'higher' || verdict === 'lower';

function shareOf(sessions: readonly FinishedSession[], holds: (session: FinishedSession) => boolean): string {
  return `${sessions.filter(holds).length} of ${sessions.length}`;
}

function timesOf(sessions: readonly FinishedSession[]): string {
  if (sessions.length === 0) return '';
  const [loadS, wallS, rounds] = [
    mean(sessions.map((session) => session.loadS)),
    mean(sessions.map((session) => session.wallS)),
    mean(sessions.map((session) => session.rounds)),
  ];
  return `; mean ${rounds.toFixed(1)} rounds, ${loadS.toFixed(0)} s of load, ${wallS.toFixed(0)} s`;
}

/** What is promised of twenty sessions of each kind. A goal is reached only by as many. */
function goalsOf(lines: Lines['all']): Goal[] {
  const of = (kind: Kind): FinishedSession[] =>
    lines.filter((line): line is FinishedSession => line.type === 'session' && line.kind === kind);
  const truth = lines.find((line): line is Truth => line.type === 'truth')?.changePercent ?? Number.NaN;
  const [same, slower] = [of('A/A'), of('+10 %')];
  const found = slower.filter(({ verdict }) => verdict === 'lower');
  const covers = ({ interval }: FinishedSession): boolean =>
    interval !== null && interval[0] <= truth && truth <= interval[1];
  const goal = (
    name: string,
    sessions: readonly FinishedSession[],
    holds: (session: FinishedSession) => boolean,
    [promised, isKept, rest = '']: readonly [string, (count: number) => boolean, string?],
  ): Goal => ({
    name,
    measured: `${shareOf(sessions, holds)}${rest}`,
    goal: `${promised} of ${SESSIONS}`,
    reached: sessions.length >= SESSIONS && isKept(sessions.filter(holds).length),
  });
  const planted = `+10 % of work an answer (${truth.toFixed(1)} % of the rate by CPU time)`;
  return [
    goal('A/A: false verdict', same, isMarked, ['at most 3', (count) => count <= 3, timesOf(same)]),
    goal(`${planted}: wrong sign`, slower, ({ verdict }) => verdict === 'higher', ['0', (count) => count === 0]),
    goal(`${planted}: found`, slower, ({ verdict }) => verdict === 'lower', [
      'at least 15',
      (count) => count >= 15,
      timesOf(found),
    ]),
    goal(`${planted}: the interval holds it`, slower, covers, ['at least 16', (count) => count >= 16]),
    {
      name: '+5 % that is switched live: found',
      measured: 'not run: sessions of this bench do not switch live',
      goal: 'a mean of at most 90 s of load',
      reached: false,
    },
  ];
}

/** Makes what is missing, A/A and planted by turns, until all is there, the time is up or it is stopped. */
async function runMissing(
  lines: Lines,
  { folder, sessions, mostMinutes, signal }: Wanted,
): Promise<'finished' | 'time is up' | 'stopped'> {
  const endMs = performance.now() + 60_000 * mostMinutes;
  const has = (kind: Kind, number: number): boolean =>
    lines.all.some((line) => line.type === 'session' && line.kind === kind && line.number === number);
  const numbers = Array.from({ length: sessions }, (_, index) => index + 1);
  const missing = numbers.flatMap((number) =>
    (['A/A', '+10 %'] as const).flatMap((kind) => (has(kind, number) ? [] : [{ kind, number }])),
  );
  try {
    if (!lines.all.some(({ type }) => type === 'truth')) lines.add(await measureTruth({ folder, signal }));
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

function tell({ kind, number, verdict, interval, rounds, loadS, wallS, ...seen }: FinishedSession): string {
  const range = interval === null ? 'no interval' : `[${interval.map((end) => end.toFixed(1)).join(', ')}]`;
  const disturbance = `cpu steal ${seen.stealPercent} %, others ${seen.foreignCpuPercent} %`;
  const delta = `${seen.deltaPercent?.toFixed(1)} % ${range}`;
  return `${kind} ${number}: ${verdict} ${delta}, ${rounds} rounds, ${loadS} s of load, ${wallS} s (${disturbance})`;
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
  console.error(`the neighbour is ${neighbourFile()}; what is finished stands in ${folder}`);
  const how = await runMissing(lines, {
    folder,
    sessions: quick ? QUICK_SESSIONS : SESSIONS,
    mostMinutes: Number(values.minutes ?? (quick ? MOST_MINUTES.quick : MOST_MINUTES.full)),
    signal: stop.signal,
  });
  const goals = goalsOf(lines.all);
  const rows = goals.map(({ name, measured, goal, reached }) => [
    name,
    measured,
    goal,
    reached ? 'reached' : 'not reached',
  ]);
  console.log(markdownTable([['goal', 'measured', 'promised', ''], ...rows]));
  if (how !== 'finished') console.error(`${how}: the same command goes on with what is missing`);
  process.exitCode = goals.every(({ reached }) => reached) ? 0 : 1;
}

await main();
