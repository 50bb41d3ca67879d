import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Reaper, startReaper } from '../../src/base/process/reaper.ts';
import { type Journal, readJournal } from '../../src/journal/journal.ts';
import { median } from '../../src/judge/stats/moments.ts';
import { summarize } from '../../src/judge/summary.ts';
import { decideStop } from '../../src/judge/verdicts/stop-rule.ts';
import type { OpenedLink } from '../../src/measure/link/link.ts';
import { openLink } from '../../src/measure/link/open-link.ts';
import { createCpuClocks } from '../../src/measure/probe/machine/cpu-clocks.ts';
import { runFolderAt } from '../../src/measure/run/run-folder.ts';
import { runLive } from '../support/live-run.ts';
import { startEmbeddedPostgres } from '../support/started-postgres.ts';
import type { Goal } from './goal.ts';

/** By how much a distance may be off. */
const DISTANCES = [
  { rttMs: 0.5, within: 0.2 },
  { rttMs: 1, within: 0.1 },
  { rttMs: 2, within: 0.1 },
];
const CONNECTIONS = [1, 25];
const MEASURED_MS = 4000;
/** Of several connections each rests in between, so that what is measured is the way and not a queue for the CPU. */
const REST_MS = 20;

const POOLS = [2, 5, 10, 25];

/** How far away a database is that is to be 0.5, 1 and 2 ms away, and what the proxy takes. */
export async function benchDistance(): Promise<Goal[]> {
  const reaper = startReaper();
  try {
    const postgres = await startEmbeddedPostgres({ reaper });
    try {
      const goals: Goal[] = [];
      for (const distance of DISTANCES) goals.push(...(await verified(postgres.adminUrl(), distance, reaper)));
      return goals;
    } finally {
      await postgres.stop();
    }
  } finally {
    await reaper.close();
  }
}

async function verified(
  databaseUrl: string,
  { rttMs, within }: (typeof DISTANCES)[number],
  reaper: Reaper,
): Promise<Goal[]> {
  const variant = { name: 'far', factors: {}, env: {}, distance: { rttMs } };
  const link = await openLink({ variant, databaseUrl, reaper, signal: new AbortController().signal });
  try {
    await link.verify();
    const goals: Goal[] = [];
    for (const connections of CONNECTIONS) {
      const { p50Ms, p99Ms, perSecond, cpus } = await measured(databaseUrl, link, connections);
      goals.push({
        name: `a database ${rttMs} ms away, ${connections} connections`,
        measured: `${p50Ms.toFixed(3)} ms (p99 ${p99Ms.toFixed(2)} ms), ${cpus.toFixed(2)} CPUs at ${perSecond.toFixed(0)} statements/s`,
        goal: `within ${100 * within} %`,
        reached: Math.abs(p50Ms / rttMs - 1) <= within,
      });
    }
    return goals;
  } finally {
    await link.close();
  }
}

/** What the way adds to the median and the 99th percentile, each connection going both ways in turns. */
async function measured(databaseUrl: string, link: OpenedLink, connections: number) {
  const [near, far]: [number[], number[]] = [[], []];
  const clocks = createCpuClocks({ threaded: true });
  clocks.include(link.pids);
  const endMs = performance.now() + MEASURED_MS;
  clocks.grown();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const clients = [databaseUrl, link.url].map((connectionString) => new pg.Client({ connectionString }));
      await Promise.all(clients.map((client) => client.connect()));
      for (const client of clients) await client.query('SELECT 1');
      while (performance.now() < endMs) {
        for (const [index, client] of clients.entries()) {
          if (connections > 1) await sleep(REST_MS * Math.random());
          const startMs = performance.now();
          await client.query('SELECT 1');
          [near, far][index]?.push(performance.now() - startMs);
        }
      }
      await Promise.all(clients.map((client) => client.end()));
    }),
  );
  const growth = clocks.grown();
  clocks.close();
  const p99 = [...far].sort((a, b) => a - b)[Math.ceil(0.99 * far.length) - 1] ?? Number.NaN;
  return {
    p50Ms: median(far) - median(near),
    p99Ms: p99 - median(near),
    perSecond: (1000 * far.length) / MEASURED_MS,
    cpus: growth === null ? Number.NaN : (growth.known + growth.fresh) / MEASURED_MS,
  };
}

/** The smallest pool that is as good as the best, with the database beside the service, 1 and 2 ms away: about 18 minutes. */
export async function benchDistancePools(): Promise<Goal[]> {
  const [beside, near, away] = [await smallestPool('0'), await smallestPool('1ms'), await smallestPool('2ms')];
  const goal = {
    name: `the smallest of the pools ${POOLS.join(', ')} that is as good as the best, with the database beside the service, 1 and 2 ms away`,
    measured: `${beside.words}; 1 ms away: ${near.words}; 2 ms away: ${away.words}`,
    goal: 'another one at 2 ms than beside it',
    reached: beside.pool !== null && away.pool !== null && beside.pool !== away.pool,
  };
  return [goal];
}

async function smallestPool(rtt: string): Promise<{ readonly pool: string | null; readonly words: string }> {
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-distance-'));
  const journal = (): Journal => readJournal(runFolderAt(path).journal);
  const text = `target: { service: documents }
dataset: { template: partial-grand-bend, documents: 2000, seed: 1 }
sweep: { pool: { env: POOL_MAX, levels: [${POOLS.join(', ')}] } }
control: { pool: 10 }
load: { connections: 25, workload: upsert-schools }
rounds: { budget: 6m }
stack: { distance: { rtt: ${rtt} } }
`;
  try {
    await runLive({ text, file: 'scenarios/bench-distance.yaml', path }, { decideStop: () => decideStop(journal()) });
    const { comparisons, recommendation, run } = summarize(journal());
    const verdicts = comparisons
      .filter(({ metric }) => metric === 'requests_per_s')
      .map(
        ({ variant, deltaPercent, interval, verdict }) =>
          `${variant} ${deltaPercent?.toFixed(1)} % [${interval?.map((end) => end.toFixed(1)).join(', ')}] ${verdict}`,
      );
    const [advice] = recommendation;
    const pool = advice?.keep ?? null;
    return { pool, words: `${pool} (against ${run.control}: ${verdicts.join(', ')}; ${run.rounds} rounds)` };
  } finally {
    rmSync(path, { recursive: true });
  }
}
