/**
 * What people get in ten minutes, live: a decision from the default sweep, and a verdict on a tail that differs where the
 * mean does not.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJournal } from '../../src/journal/journal.ts';
import { loadLabel } from '../../src/journal/load-level.ts';
import { median } from '../../src/judge/stats/moments.ts';
import type { Summary } from '../../src/judge/summary.ts';
import type { Comparison } from '../../src/judge/verdicts/comparison.ts';
import { runSessions } from './arms/run-sessions.ts';
import type { Goal } from './goal.ts';
import { sweepJson } from './sweep-json.ts';

const RUNS = 5;
const LEAST = 4;
const BUDGET_MINUTES = 10;

const DEFAULT_RUNS = 10;
const LEAST_DECIDED = 8;

/** The default sweep ten times, those that the folder has among them: how often it decides for all load levels within its budget, and in how many minutes. */
export async function benchDecisions(folder: string): Promise<Goal[]> {
  const names = await runSessions({ folder, sessions: 0, rounds: 0, defaults: DEFAULT_RUNS });
  const runs = names.map((name) => {
    const { run, recommendation } = JSON.parse(readFileSync(join(folder, name, 'summary.json'), 'utf8')) as Summary;
    const minutes = minutesOf(join(folder, name, 'journal.jsonl'));
    const words = recommendation.map(({ load, keep }) => `${loadLabel(load)}: ${keep ?? 'open'}`).join(', ');
    console.log(`${name}: ${minutes.toFixed(1)} min, ${run.rounds} rounds: ${words}`);
    return { minutes, decided: recommendation.every(({ keep }) => keep !== null) };
  });
  const decided = runs.filter((run) => run.decided).length;
  return [
    {
      name: `the default sweep decides for all load levels within ${BUDGET_MINUTES} minutes`,
      measured: `${decided} of ${runs.length}, median ${median(runs.map(({ minutes }) => minutes)).toFixed(1)} min`,
      goal: `${LEAST_DECIDED} of ${DEFAULT_RUNS}`,
      reached: decided >= LEAST_DECIDED,
    },
  ];
}

/** From the start of a run to its last record, its interruptions among them. */
function minutesOf(file: string): number {
  const { run, records } = readJournal(file, { probes: 'left out' });
  for (const record of records) {
    if (record.type === 'end') return (Date.parse(record.at) - Date.parse(run.startedAt)) / 60_000;
  }
  return Number.NaN;
}

const SLOW_SHARE = 0.03;
const SLOW_MS = 100;
const FAST_MS = 20;
/** Of a slow request's wait. */
const LONGER = 1.2;

/** The slow requests of a variant take a fifth longer, and the others so much less that the mean is the control's. */
const tailScenario = `
title: A tail that is a fifth longer, with the mean that it was
target: { command: node services/tail.mjs, cwd: ${JSON.stringify(import.meta.dirname)}, ready: /health, database: none }
variants:
  Control: { env: ${envOf(SLOW_MS, FAST_MS)} }
  Twin: { env: ${envOf(SLOW_MS, FAST_MS)} }
  Longer tail: { env: ${envOf(LONGER * SLOW_MS, fastOf(LONGER))} }
control: Control
judge: p99_ms
load: { connections: [10], requests: [{ path: / }] }
rounds: { budget: ${BUDGET_MINUTES}m }
probes: { all: off }
`;

function envOf(slowMs: number, fastMs: number): string {
  return JSON.stringify({ SLOW_SHARE: `${SLOW_SHARE}`, SLOW_MS: `${slowMs}`, FAST_MS: `${fastMs}` });
}

/** What the others wait where slow requests wait longer by a factor and the mean stays: a slow one waits 1.1 times SLOW_MS in the mean. */
function fastOf(longer: number): number {
  return FAST_MS - (SLOW_SHARE * 1.1 * SLOW_MS * (longer - 1)) / (1 - SLOW_SHARE);
}

/** That run five times: how often the longer tail is found within its budget, and how often anything of its twin is. */
export function benchTailDecisions(): Goal[] {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-tail-'));
  try {
    const file = join(folder, 'tail.yaml');
    writeFileSync(file, tailScenario);
    const runs = repeated(file, RUNS, ({ comparisons }, minutes) => {
      const of = (variant: string, metric: string): Comparison | undefined =>
        comparisons.find((one) => one.variant === variant && one.metric === metric);
      const [longer, mean, twin] = [
        of('Longer tail', 'latency_p99_ms'),
        of('Longer tail', 'latency_mean_ms'),
        of('Twin', 'latency_p99_ms'),
      ];
      return {
        minutes,
        found: longer?.verdict === 'higher',
        alarmed: twin?.verdict === 'higher' || twin?.verdict === 'lower',
        words: `p99 ${words(longer)}, mean ${words(mean)}; of the twin: p99 ${words(twin)}`,
      };
    });
    const [found, alarms] = [runs.filter((run) => run.found).length, runs.filter(({ alarmed }) => alarmed).length];
    const minutes = median(runs.map((run) => run.minutes)).toFixed(1);
    return [
      {
        name: `a p99 that is 20 % higher with the mean as it was, found within ${BUDGET_MINUTES} minutes`,
        measured: `${found} of ${RUNS}, median ${minutes} min`,
        goal: `${LEAST} of ${RUNS}`,
        reached: found >= LEAST,
      },
      { name: 'a p99 of its twin that differs', measured: `${alarms} of ${RUNS}`, goal: 'none', reached: alarms === 0 },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function words(comparison: Comparison | undefined): string {
  if (comparison === undefined) return 'not compared';
  const { deltaPercent, interval, verdict } = comparison;
  return `${deltaPercent?.toFixed(1)} % [${interval?.map((end) => end.toFixed(1)).join(', ')}] ${verdict}`;
}

/** A scenario this many times, each into a folder of its own; each run is told as soon as it has ended. */
function repeated<T extends { readonly words: string }>(
  file: string,
  runs: number,
  look: (summary: Summary, minutes: number) => T,
): T[] {
  return Array.from({ length: runs }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'pgsweep-decision-'));
    try {
      const start = performance.now();
      const summary = sweepJson(file, join(folder, 'run'));
      const minutes = (performance.now() - start) / 60_000;
      const run = look(summary, minutes);
      console.error(
        `${minutes.toFixed(1)} min, ${summary.run.rounds} rounds, ${summary.session.verdict}: ${run.words}`,
      );
      return run;
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
