/**
 * Turns must not lie. A service of one thread does 10 % more work an answer: is that found at every load level, with the
 * truth within the interval? And do the control's two arms differ from each other in turns as little as in whole slices,
 * taken in turns in the same run?
 *
 *   node --import tsx test/bench/turns.ts [rounds] [part]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { decideStop } from '../../src/analysis/stop-rule.ts';
import { summarize } from '../../src/analysis/summary.ts';
import { readJournal } from '../../src/journal/journal.ts';
import type { SliceRecord } from '../../src/journal/records.ts';
import { createRunFolder, type RunFolder } from '../../src/run/run-folder.ts';
import { runSession } from '../../src/run/session.ts';
import { parseScenario } from '../../src/scenario/load-scenario.ts';
import { tInterval } from '../../src/stats/interval.ts';
import { mean, standardDeviation } from '../../src/stats/moments.ts';
import type { Goal } from './goal.ts';

const ROUNDS = 8;
const CONNECTIONS = [1, 4, 25, 50];
/** With more work, latency at 50 connections is about 70 ms, and turns have fewer latencies. */
const SLOW = { work: 400, connections: [50] };

/** About 0.3 ms an answer. */
const scenario = (rounds: number, variants: string, load: string): string => `
title: Turns do not lie
target: { command: node services/busy.mjs, ready: /health }
dataset: { command: "true" }
variants: ${variants}
control: Control
load: { ${load}, requests: [{ path: / }] }
rounds: { min: ${rounds}, max: ${rounds}, budget: 60m }
probes: { all: off }
`;

type Slices = readonly SliceRecord[];

interface RunOptions {
  readonly wholeSlicesIn?: (round: number) => boolean;
  readonly seed?: number;
  /** Whether it ends as a sweep does, as soon as all is decided. */
  readonly untilVerdicts?: boolean;
}

/** Runs a scenario's text. The folder is the caller's to remove. */
export async function runText(
  text: string,
  { wholeSlicesIn, seed = 1, untilVerdicts = false }: RunOptions = {},
): Promise<{ folder: RunFolder; slices: Slices; path: string }> {
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-turns-'));
  const folder = createRunFolder(join(path, 'run'));
  await runSession({
    scenario: parseScenario(text, resolve('test/bench/turns.yaml')),
    seed,
    quick: false,
    folder,
    intervalMs: 5000,
    resume: null,
    stackChoice: { kind: 'embedded' },
    decideStop: () => (untilVerdicts ? decideStop(readJournal(folder.journal)) : { stop: false, undecided: 1 }),
    ...(wholeSlicesIn && { wholeSlicesIn }),
    emit(event) {
      if (event.kind === 'warning') console.error(event.message);
      if (event.kind === 'round-ended') console.error(`round ${event.round}: ${Math.round(event.durationMs / 1000)} s`);
    },
    signal: new AbortController().signal,
  });
  const slices = [...readJournal(folder.journal).records].filter((record) => record.type === 'slice');
  return { folder, slices, path };
}

/** The planted difference at every load level. */
async function planted(
  rounds: number,
  { work, connections: levels } = { work: 200, connections: CONNECTIONS },
): Promise<Goal[]> {
  const variants = `{ Control: { env: { WORK: "${work}" } }, More: { env: { WORK: "${Math.round(1.1 * work)}" } } }`;
  const { folder, slices, path } = await runText(
    scenario(rounds, variants, `connections: [${levels}], slice: 2s, warmup: 2s`),
  );
  try {
    const { comparisons } = summarize(readJournal(folder.journal));
    return levels.map((connections) => {
      const found = comparisons.find(
        ({ metric, load }) => metric === 'requests_per_s' && load.connections === connections,
      );
      const truth = truthOf(slices.filter(({ load }) => load.connections === connections));
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

/**
 * The true change of the rate in percent: the service's CPU time an answer is what differs, all else that a cycle takes
 * (the generator, the sockets) stays. With rate r a thread that answers one after the other spends 1/r on each.
 */
export function truthOf(slices: Slices, controlName = 'Control', variantName = 'More'): number {
  const of = (variant: string): { everyMs: number; cpuMs: number } => {
    const own = slices.filter((slice) => slice.variant === variant);
    const sum = (pick: (slice: SliceRecord) => number): number => own.reduce((total, slice) => total + pick(slice), 0);
    const answered = sum(({ whole }) => whole.statuses['200'] ?? 0);
    return {
      everyMs: sum(({ windowMs }) => windowMs) / sum(({ latency }) => latency.count),
      cpuMs: sum(({ work }) => work?.serviceCpuMs ?? Number.NaN) / answered,
    };
  };
  const [control, more] = [of(controlName), of(variantName)];
  return 100 * (control.everyMs / (control.everyMs + more.cpuMs - control.cpuMs) - 1);
}

function turnOf(slices: Slices, connections: number): number {
  return Math.round(slices.findLast(({ load }) => load.connections === connections)?.turns?.turnMs ?? 0);
}

/** Two arms of the same, in whole slices in odd rounds and in turns in even ones. */
async function sameOfTheSame(rounds: number): Promise<Goal[]> {
  const variants = '{ Control: { env: { WORK: "200" } } }';
  const text = scenario(2 * rounds, variants, 'connections: [1, 25], slice: 3s, warmup: 2s');
  const { slices, path } = await runText(text, { wholeSlicesIn: (round) => round % 2 === 1 });
  rmSync(path, { recursive: true });
  return [1, 25].map((connections) => {
    const of = (whole: boolean): number[] => {
      const own = slices.filter(({ load, round }) => load.connections === connections && (round % 2 === 1) === whole);
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
