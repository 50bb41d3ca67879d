import { LatencyCounts } from '../../src/analysis/read/cells/latency-counts.ts';
import type { Reaper } from '../../src/base/process/reaper.ts';
import { startLoadGenerator } from '../../src/load/generator-process.ts';
import { openRateStream } from '../../src/load/open-loop/rate-stream.ts';
import type { RequestSource } from '../../src/load/request-source.ts';
import { mean, median } from '../../src/stats/moments.ts';
import { openBareLoop } from '../support/bare-open-loop.ts';
import type { Goal } from './goal.ts';

const RATE = 2000;
const PERCENTS = [50, 90, 95, 99];
const CYCLES = 12;
const CYCLE_MS = 4000;
const get = { method: 'GET', path: '/', name: 0 };
const source: RequestSource = { names: ['get'], fixed: get, next: () => get };
const openLoop = { arrivals: 'poisson', inFlight: 4000 } as const;

/** An open loop of 2,000 requests a second beside a service on the same cores: its quantiles, how late it sends, and its CPU. */
export async function benchOpenLoop(url: string, slowUrl: string, reaper: Reaper): Promise<Goal[]> {
  return [await againstBare(url, 'at once'), await againstBare(slowUrl, 'after 50 ms'), await costs(url, reaper)];
}

/**
 * Half of the requests by the generator's stream, half by sockets that do nothing but look for what is due, with the accounting
 * of wrk2, at the same time and in one process. Both are Poisson, so that both see the same service (Wolff, Poisson arrivals
 * see time averages, 1982).
 */
async function againstBare(url: string, which: string): Promise<Goal> {
  const ours: number[][] = [];
  const theirs: number[][] = [];
  for (let cycle = 0; cycle < CYCLES + 1; cycle++) {
    const rate = RATE / 2;
    const stream = openRateStream({ url, load: { rate }, openLoop, seed: 2 * cycle, timeoutMs: 10_000 }, source);
    // Connections are there before it counts, as the bare client's are.
    await stream.turn({ durationMs: 500, fromMs: 0, toMs: 0.001 });
    const load = { url, rate, arrivals: 'poisson', seed: 2 * cycle + 1, durationMs: CYCLE_MS, sockets: 1000 } as const;
    const bare = await openBareLoop(load);
    const turn = stream.turn({ durationMs: CYCLE_MS, fromMs: 0, toMs: CYCLE_MS });
    const [latencies] = await Promise.all([bare(), turn]);
    const counts = new LatencyCounts();
    counts.addRecord((await stream.close()).latency);
    // The first is compiled in.
    if (cycle === 0) continue;
    ours.push(counts.percentilesUs(PERCENTS).map((us) => us / 1000));
    theirs.push(PERCENTS.map((percent) => latencies[Math.ceil((percent / 100) * latencies.length) - 1] ?? Number.NaN));
  }
  const found = PERCENTS.map((percent, at) => {
    const bareMs = median(theirs.map((one) => one[at] ?? Number.NaN));
    const logs = ours.map((one, cycle) => Math.log((one[at] ?? Number.NaN) / (theirs[cycle]?.[at] ?? Number.NaN)));
    return { percent, bareMs, off: Math.expm1(median(logs)) };
  });
  const words = found.map(
    ({ percent, bareMs, off }) => `p${percent} ${bareMs.toFixed(2)} ms ${(100 * off).toFixed(1)} %`,
  );
  return {
    name: `open loop of ${RATE}/s, half of it bare sockets with wrk2's accounting: the quantiles of a service that answers ${which}`,
    measured: words.join(', '),
    goal: 'each within 2 %',
    reached: found.every(({ off }) => Math.abs(off) <= 0.02),
  };
}

/** In a process of its own, as in a run. */
async function costs(url: string, reaper: Reaper): Promise<Goal> {
  const request = { name: 'get', method: 'GET', path: '/', headers: {}, weight: 1 };
  const generator = await startLoadGenerator(
    { workload: { kind: 'requests', requests: [request] }, documents: [] },
    reaper,
  );
  const shares: number[] = [];
  const lags: number[] = [];
  for (let cycle = 0; cycle < 4; cycle++) {
    const stream = await generator.open({ url, load: { rate: RATE }, openLoop, seed: cycle, timeoutMs: 10_000 });
    await stream.turn({ durationMs: CYCLE_MS, fromMs: 500, toMs: CYCLE_MS });
    const { generator: use, loadMs, sendLag } = await stream.close();
    if (cycle === 0) continue;
    shares.push(use.cpuMs / loadMs);
    lags.push((sendLag?.p99Us ?? Number.NaN) / 1000);
  }
  await generator.stop();
  return {
    name: `the generator's CPU at ${RATE}/s, and how late it sends (p99)`,
    measured: `${(100 * mean(shares)).toFixed(0)} % of a core; ${lags.map((ms) => ms.toFixed(2)).join(', ')} ms`,
    goal: '<= 50 %; <= 2 ms',
    reached: mean(shares) <= 0.5 && median(lags) <= 2,
  };
}
