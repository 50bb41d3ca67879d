/**
 * What sampling costs, as a sweep of the bench itself: the document service, whose control is compared with itself. In
 * each pass one of its two arms is seen by all probes and the other by none; which one changes from pass to pass, so that
 * the difference of two processes (5 %) falls out of a round. What is read once for both (the machine's own counters) is
 * in both alike: probe-cost.ts measures that, and preload-cost.ts the library of pg_stat_statements, which is loaded in
 * both.
 *
 *   node --import ./src/base/typescript.mjs test/bench/probes.ts [rounds]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readJournal } from '../../src/journal/journal.ts';
import type { SliceRecord } from '../../src/journal/records.ts';
import { tInterval } from '../../src/judge/stats/interval.ts';
import { mean } from '../../src/judge/stats/moments.ts';
import type { ProbedArm } from '../../src/measure/probe/probe.ts';
import { runLive } from '../support/live-run.ts';
import type { Goal } from './goal.ts';

const ROUNDS = 10;
/** Sampling may take this much of the requests a second. */
const MOST_PERCENT = 1;

/** Four load levels that are nearly the same: as many passes in a round. */
const scenario = (rounds: number) => `
title: What sampling costs
target: { service: documents }
dataset: { template: partial-grand-bend, documents: 2000, seed: 1 }
variants: { Control: { env: { POOL_MAX: "10" } } }
control: Control
load: { connections: [23, 24, 26, 27], slice: 6s, workload: upsert-schools, warmup: 8s }
rounds: { min: ${rounds}, max: ${rounds}, budget: 60m }
`;

/** Probes on against off, in requests/s. */
export async function benchProbes(rounds = ROUNDS): Promise<Goal[]> {
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-probes-'));
  try {
    const folder = await runLive(
      { text: scenario(rounds), file: 'scenarios/what-sampling-costs.yaml', path },
      { probesSee: isSeen },
    );
    const slices = [...readJournal(folder.journal).records].filter((record) => record.type === 'slice');
    return [goalOf(slices)];
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

/** A pass has two slices, one of each arm: the first is seen in every other pass, in the next round in the others. */
function isSeen({ round, slice }: Pick<ProbedArm, 'round' | 'slice'>): boolean {
  return (round + Math.floor(slice / 2) + slice) % 2 === 0;
}

function goalOf(slices: readonly SliceRecord[]): Goal {
  const rounds = [...new Set(slices.map(({ round }) => round))];
  const changes = rounds.map((round) => {
    const ofRound = slices.filter((slice) => slice.round === round);
    return meanLogRate(ofRound.filter(isSeen)) - meanLogRate(ofRound.filter((slice) => !isSeen(slice)));
  });
  const middle = 100 * Math.expm1(mean(changes));
  const interval = tInterval(changes, 0.05);
  const range =
    interval === null
      ? 'no interval from one round'
      : `${(100 * Math.expm1(interval.low)).toFixed(2)} to ${(100 * Math.expm1(interval.high)).toFixed(2)} %`;
  return {
    name: `all probes against none, requests/s, ${slices.length} slices in ${rounds.length} rounds`,
    measured: `${middle.toFixed(2)} % (95 %: ${range})`,
    goal: `> -${MOST_PERCENT} %`,
    reached: middle > -MOST_PERCENT,
  };
}

function meanLogRate(slices: readonly SliceRecord[]): number {
  return mean(slices.map(({ latency, windowMs }) => Math.log(Math.max(1, latency.count) / windowMs)));
}

const [, main, asked] = process.argv;
if (import.meta.url === pathToFileURL(main ?? '').href) console.log(await benchProbes(Number(asked ?? ROUNDS)));
