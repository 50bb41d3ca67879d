/**
 * Live switching must find small differences, and soon. A service of one thread that is switched by a request takes 5 %
 * longer for an answer: is that found, with the truth within the interval, and after how many seconds of load?
 *
 *   node --import ./src/base/typescript.mjs test/bench/live.ts [runs] [+percent] [connections]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Journal, readJournal } from '../../src/journal/journal.ts';
import type { LiveLevel } from '../../src/judge/read/parts/live.ts';
import { summarize } from '../../src/judge/summary.ts';
import { decideStop } from '../../src/judge/verdicts/stop-rule.ts';
import { runFolderAt } from '../../src/measure/run/run-folder.ts';
import { runLive } from '../support/live-run.ts';
import { switchedWork } from '../support/switched-work.ts';
import type { Goal } from './goal.ts';
import { loadSecondsOf, PLANTED_FILE, saturatedChangePercent } from './planted.ts';

/** An answer takes about a millisecond, nine tenths of which are the work's. */
const WORK = 600;
const WORK_SHARE = 0.9;
/** Of load, in the mean over runs. */
export const MOST_LOAD_S = 90;

/** A scenario in which an answer of the variant takes this many percent longer, switched live. */
export function liveScenario(percent: number, connections = 2): string {
  const more = Math.round(WORK * (1 + percent / 100 / WORK_SHARE));
  const scenario = switchedWork({
    title: 'A planted difference, switched live',
    levels: [WORK, more],
    load: `connections: [${connections}], settle: 20ms`,
    rounds: 'budget: 160s',
  });
  return `${scenario}probes: { all: off }\n`;
}

interface Found {
  readonly delta: number;
  readonly interval: readonly [low: number, high: number];
  readonly verdict: string;
  readonly truth: number;
  readonly starts: number;
  readonly live: LiveLevel | undefined;
  /** Warm-up, trials and what is not counted included. */
  readonly loadS: number;
}

async function once(percent: number, connections: number, seed: number): Promise<Found> {
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-live-'));
  const journal = (): Journal => readJournal(runFolderAt(path).journal);
  const text = liveScenario(percent, connections);
  try {
    await runLive({ text, file: PLANTED_FILE, path }, { seed, decideStop: () => decideStop(journal()) });
    const { comparisons, run, live } = summarize(journal());
    const found = comparisons.find(({ metric }) => metric === 'requests_per_s');
    const [control, more] = [run.control, run.variants.find((name) => name !== run.control) ?? ''];
    const slices = [...journal().records].filter((record) => record.type === 'slice');
    return {
      delta: found?.deltaPercent ?? Number.NaN,
      interval: found?.interval ?? [Number.NaN, Number.NaN],
      verdict: found?.verdict ?? 'none',
      truth: saturatedChangePercent(slices, control, more),
      starts: run.rounds,
      live: live[0],
      loadS: loadSecondsOf(journal()),
    };
  } finally {
    rmSync(path, { recursive: true });
  }
}

/** Each run by itself, then all of them. */
export async function benchLive(runs = 4, percent = 5, connections = 2): Promise<Goal[]> {
  const all: Found[] = [];
  for (let seed = 1; seed <= runs; seed++) {
    const found = await once(percent, connections, seed);
    all.push(found);
    const [low, high] = found.interval.map((end) => end.toFixed(1));
    console.error(
      `${found.delta.toFixed(1)} % [${low}, ${high}] ${found.verdict}; true by CPU time ${found.truth.toFixed(1)} %; ` +
        `${found.starts} starts, ${found.loadS.toFixed(0)} s of load; noise ${JSON.stringify(found.live?.noise)}, ${JSON.stringify(found.live?.blocks)}`,
    );
  }
  const found = all.filter(({ verdict }) => verdict === 'lower').length;
  const held = all.filter(({ interval: [low, high], truth }) => low <= truth && truth <= high).length;
  const loadS = all.reduce((sum, one) => sum + one.loadS, 0) / all.length;
  return [
    {
      name: `+${percent} % of time an answer, switched live, ${connections} connections`,
      measured: `found in ${found} of ${runs}, the truth within the interval in ${held}, ${loadS.toFixed(0)} s of load in the mean`,
      goal: `all found, in at most ${MOST_LOAD_S} s of load`,
      reached: found === runs && held === runs && loadS <= MOST_LOAD_S,
    },
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [runs, percent, connections] = process.argv.slice(2).map(Number);
  for (const { name, measured, goal, reached } of await benchLive(runs, percent, connections))
    console.log(`${reached ? 'reached' : 'MISSED'}  ${name}: ${measured} (${goal})`);
}
