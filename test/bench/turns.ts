/**
 * Turns must not lie. A service of one thread does 10 % more work an answer: is that found at every load level, with the
 * truth within the interval? And do the control's two arms differ from each other in turns as little as in whole slices,
 * taken in turns in the same run?
 *
 *   node --import ./src/base/typescript.mjs test/bench/turns.ts [rounds] [part]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { warningLine } from '../../src/cli/progress/warning-words.ts';
import { readJournal } from '../../src/journal/journal.ts';
import { loadSize } from '../../src/journal/load-level.ts';
import type { SliceRecord } from '../../src/journal/records.ts';
import { tInterval } from '../../src/judge/stats/interval.ts';
import { mean, standardDeviation } from '../../src/judge/stats/moments.ts';
import { summarize } from '../../src/judge/summary.ts';
import type { RunFolder } from '../../src/measure/run/run-folder.ts';
import { runLive } from '../support/live-run.ts';
import type { Goal } from './goal.ts';
import { PLANTED_FILE, type PlantedRun, plantedScenario, trueChangePercent } from './planted.ts';

const ROUNDS = 8;
const CONNECTIONS = [1, 4, 25, 50];
/** With more work, latency at 50 connections is about 70 ms, and turns have fewer latencies. */
const SLOW = { work: 400, connections: [50] };

type Slices = readonly SliceRecord[];

async function run(
  rounds: number,
  work: PlantedRun['work'],
  load: string,
  wholeSlicesIn?: (round: number) => boolean,
): Promise<{ folder: RunFolder; slices: Slices; path: string }> {
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-turns-'));
  const text = plantedScenario({
    title: 'Turns do not lie',
    work,
    load,
    rounds: `min: ${rounds}, max: ${rounds}, budget: 60m`,
  });
  const folder = await runLive(
    { text, file: PLANTED_FILE, path: join(path, 'run') },
    {
      ...(wholeSlicesIn && { wholeSlicesIn }),
      emit(event) {
        if (event.kind === 'warning') console.error(warningLine(event.warning));
        if (event.kind === 'round-ended')
          console.error(`round ${event.round}: ${Math.round(event.durationMs / 1000)} s`);
      },
    },
  );
  return { folder, slices: slicesOf(folder), path };
}

function slicesOf({ journal }: RunFolder): Slices {
  return [...readJournal(journal).records].filter((record) => record.type === 'slice');
}

/** The planted difference at every load level. */
async function planted(
  rounds: number,
  { work, connections: levels } = { work: 200, connections: CONNECTIONS },
): Promise<Goal[]> {
  const { folder, slices, path } = await run(
    rounds,
    { Control: work, More: Math.round(1.1 * work) },
    `connections: [${levels}], slice: 2s, warmup: 2s`,
  );
  try {
    const { comparisons } = summarize(readJournal(folder.journal));
    return levels.map((connections) => {
      const found = comparisons.find(
        ({ metric, load }) => metric === 'requests_per_s' && loadSize(load) === connections,
      );
      const own = slices.filter(({ load }) => loadSize(load) === connections);
      const truth = trueChangePercent(own, 'Control', 'More');
      const [low, high] = found?.interval ?? [Number.NaN, Number.NaN];
      return {
        name: `+10 % of work an answer, ${connections} connections, in turns of ${turnOf(slices, connections)} ms`,
        measured: `${found?.deltaPercent?.toFixed(1)} % [${low.toFixed(1)}, ${high.toFixed(1)}] ${found?.verdict}; true by CPU time ${truth.toFixed(1)} %`,
        goal: 'lower, the truth within the interval',
        reached: found?.verdict === 'lower' && low <= truth && truth <= high,
      };
    });
  } finally {
    rmSync(path, { recursive: true });
  }
}

function turnOf(slices: Slices, connections: number): number {
  return Math.round(slices.findLast(({ load }) => loadSize(load) === connections)?.turns?.turnMs ?? 0);
}

/** Two arms of the same, in whole slices in odd rounds and in turns in even ones. */
async function sameOfTheSame(rounds: number): Promise<Goal[]> {
  const load = 'connections: [1, 25], slice: 3s, warmup: 2s';
  const { slices, path } = await run(2 * rounds, { Control: 200 }, load, (round) => round % 2 === 1);
  rmSync(path, { recursive: true });
  return [1, 25].map((connections) => {
    const of = (whole: boolean): number[] => {
      const own = slices.filter(({ load, round }) => loadSize(load) === connections && (round % 2 === 1) === whole);
      return [...new Set(own.map(({ round }) => round))].map((round) => {
        const rate = (repeat: boolean): number => {
          const slice = own.find((one) => one.round === round && one.repeat === repeat);
          return slice === undefined ? Number.NaN : slice.latency.count / slice.windowMs;
        };
        return 100 * Math.log(rate(true) / rate(false));
      });
    };
    const [whole, turns] = [of(true), of(false)];
    const difference = mean(turns) - mean(whole);
    const half = halfWidth(whole) + halfWidth(turns);
    const told = (values: readonly number[]): string =>
      `${mean(values).toFixed(1)} % ±${halfWidth(values).toFixed(1)} (sd ${standardDeviation(values).toFixed(1)})`;
    return {
      name: `A/A, ${connections} connections, ${rounds} rounds each`,
      measured: `whole slices ${told(whole)}; turns ${told(turns)}`,
      goal: 'both hold 0, and they agree',
      reached:
        [whole, turns].every((values) => Math.abs(mean(values)) <= halfWidth(values)) && Math.abs(difference) <= half,
    };
  });
}

/** Of the 99 % interval: the four of one run then hold together at 96 %. */
function halfWidth(values: readonly number[]): number {
  const range = tInterval(values, 0.01);
  return range === null ? Number.NaN : (range.high - range.low) / 2;
}

const parts = [
  (rounds: number) => planted(rounds),
  (rounds: number) => planted(rounds, SLOW),
  (rounds: number) => sameOfTheSame(rounds),
];

export async function benchTurns(
  rounds = ROUNDS,
  wanted = parts,
  tell: (goal: Goal) => void = () => {},
): Promise<Goal[]> {
  const goals: Goal[] = [];
  for (const part of wanted) {
    const found = await part(rounds);
    for (const goal of found) tell(goal);
    goals.push(...found);
  }
  return goals;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const only =
    process.argv[3] === undefined ? parts : parts.slice(Number(process.argv[3]) - 1, Number(process.argv[3]));
  await benchTurns(Number(process.argv[2] ?? ROUNDS), only, ({ name, measured, goal, reached }) =>
    console.log(`${reached ? 'reached' : 'MISSED'}  ${name}: ${measured} (${goal})`),
  );
}
