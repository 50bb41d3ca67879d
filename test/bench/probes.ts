/**
 * What sampling costs, as a sweep of the bench itself: the document service in its default scenario with 25
 * connections, every other slice of each arm seen by all probes and the others by none. On and off share a process, whose
 * difference from others (5 %) would else be most of the noise. The library of pg_stat_statements is loaded in both:
 * preload-cost.ts measures that.
 *
 *   node --import tsx test/bench/probes.ts [rounds]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readJournal } from '../../src/journal/journal.ts';
import type { SliceRecord } from '../../src/journal/records.ts';
import type { ProbedArm } from '../../src/probe/probe.ts';
import { createRunFolder } from '../../src/run/run-folder.ts';
import { runSession } from '../../src/run/session.ts';
import { parseScenario } from '../../src/scenario/load-scenario.ts';
import { hodgesLehmann } from '../../src/stats/hodges-lehmann.ts';
import { tInterval } from '../../src/stats/interval.ts';
import { mean } from '../../src/stats/moments.ts';
import { isWarm } from '../../src/stats/warm-up.ts';
import type { Goal } from './goal.ts';

const ROUNDS = 10;
const SLICES = 6;
/** A slice, but for what happens at its end. */
const WATCHED_MS = 3500;
/** Sampling may take this much of the requests a second. */
const MOST_PERCENT = 1;

const scenario = (rounds: number) => `
title: What sampling costs
target: { service: documents }
dataset: { template: partial-grand-bend, documents: 2000, seed: 1 }
variants: { Control: { env: { POOL_MAX: "10" } } }
control: Control
load: { connections: 25, slice: 4s, workload: upsert-schools, slices: ${SLICES}, warmup: 8s }
rounds: { min: ${rounds}, max: ${rounds}, budget: 60m }
`;

/** Probes on against off, in requests/s. */
export async function benchProbes(rounds = ROUNDS): Promise<Goal[]> {
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-probes-'));
  try {
    const folder = createRunFolder(path);
    const seen = alternating();
    const cpu = ownCpu();
    await runSession({
      scenario: parseScenario(scenario(rounds), resolve('scenarios/what-sampling-costs.yaml')),
      seed: 1,
      // Void slices are not measured again: on and off would no longer alternate.
      quick: true,
      folder,
      intervalMs: 5000,
      resume: null,
      stackChoice: { kind: 'embedded' },
      decideStop: (round) =>
        round >= rounds ? { stop: true, reason: 'rounds', undecided: 0 } : { stop: false, undecided: 1 },
      isWarm,
      probesSee: seen.sees,
      emit: (event) => {
        if (event.kind === 'warning') console.error(event.message);
        if (event.kind === 'slice-started') cpu.watch(seen.isOn());
      },
      signal: new AbortController().signal,
    });
    const slices = [...readJournal(folder.journal).records].filter((record) => record.type === 'slice');
    return [goalOf(slices, seen.on, cpu.more())];
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

/** On, off, off, on, ... by arm, and the other way round in every other round: drift is in both alike. */
function alternating() {
  const counts = new Map<string, number>();
  const on = new Set<string>();
  let last = false;
  return {
    on,
    /** Whether the slice that was asked for last is seen. */
    isOn: () => last,
    sees(arm: ProbedArm): boolean {
      const key = `${arm.round} ${arm.arm}`;
      const nth = counts.get(key) ?? 0;
      counts.set(key, nth + 1);
      const isOn = [0, 3].includes((nth + 2 * arm.round) % 4);
      last = isOn;
      if (isOn) on.add(`${arm.round} ${arm.slice}`);
      return isOn;
    },
  };
}

/** CPU of this process, which samples, while load runs: it is what explains a cost. */
function ownCpu() {
  const msPerS: Record<'on' | 'off', number[]> = { on: [], off: [] };
  return {
    watch(isOn: boolean): void {
      const before = process.cpuUsage();
      setTimeout(() => {
        const { user, system } = process.cpuUsage(before);
        msPerS[isOn ? 'on' : 'off'].push((user + system) / WATCHED_MS);
      }, WATCHED_MS);
    },
    /** With probes, above that without, in ms a second. */
    more: () => mean(msPerS.on) - mean(msPerS.off),
  };
}

function goalOf(slices: readonly SliceRecord[], on: ReadonlySet<string>, cpuMsPerS: number): Goal {
  const isOn = ({ round, slice }: SliceRecord): boolean => on.has(`${round} ${slice}`);
  const rounds = [...new Set(slices.map(({ round }) => round))];
  const changes = rounds.map((round) => {
    const ofRound = slices.filter((slice) => slice.round === round);
    const arms = [...new Set(ofRound.map(({ arm }) => arm))];
    return mean(
      arms.map((arm) => {
        const ofArm = ofRound.filter((slice) => slice.arm === arm);
        return meanLogRate(ofArm.filter(isOn)) - meanLogRate(ofArm.filter((slice) => !isOn(slice)));
      }),
    );
  });
  const middle = 100 * Math.expm1(hodgesLehmann(changes));
  const interval = tInterval(changes, 0.05);
  const range =
    interval === null
      ? 'no interval from one round'
      : `${(100 * Math.expm1(interval.low)).toFixed(2)} to ${(100 * Math.expm1(interval.high)).toFixed(2)} %`;
  return {
    name: `all probes against none, requests/s, ${slices.length} slices in ${rounds.length} rounds`,
    measured: `${middle.toFixed(2)} % (95 %: ${range}; this process's CPU +${cpuMsPerS.toFixed(1)} ms/s)`,
    goal: `> -${MOST_PERCENT} %`,
    reached: middle > -MOST_PERCENT,
  };
}

function meanLogRate(slices: readonly SliceRecord[]): number {
  return mean(slices.map(({ latency, windowMs }) => Math.log(Math.max(1, latency.count) / windowMs)));
}

const [, main, asked] = process.argv;
if (import.meta.url === pathToFileURL(main ?? '').href) console.log(await benchProbes(Number(asked ?? ROUNDS)));
