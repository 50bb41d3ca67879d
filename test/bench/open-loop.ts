import type { Reaper } from '../../src/base/process/reaper.ts';
import { LatencyCounts } from '../../src/judge/read/cells/latency-counts.ts';
import { mean, median } from '../../src/judge/stats/moments.ts';
import { startLoadGenerator } from '../../src/measure/load/generator-process.ts';
import { openRateStream } from '../../src/measure/load/open-loop/rate-stream.ts';
import type { RequestSource } from '../../src/measure/load/request-source.ts';
import { openBareLoop } from '../support/bare-open-loop.ts';
import type { Goal } from './goal.ts';
import { intervalOfMedian } from './interval-of-median.ts';

const RATE = 2000;
const PERCENTS = [50, 90, 95, 99];
const LEAST_CYCLES = 33;
/** Until each quantile is decided, but no longer. */
const MOST_MS = 420_000;
const CYCLE_MS = 4000;
const LARGEST_ERROR = 0.02;
const get = { method: 'GET', path: '/', name: 0 };
const source: RequestSource = { names: ['get'], fixed: get, next: () => get };
/** As wrk2 sends. Of random arrivals so different numbers fall into a stall that quantiles would be noise. */
const openLoop = { arrivals: 'constant', inFlight: 4000 } as const;

/** An open loop of 2,000 requests a second beside a service on the same cores: its quantiles, how late it sends, and its CPU. */
export async function benchOpenLoop(url: string, stallingUrl: string, reaper: Reaper): Promise<Goal[]> {
  return [await againstBare(stallingUrl), await costs(url, reaper)];
}

/**
 * Half of the requests by the generator's stream, half by sockets that do nothing but look for what is due, with the accounting
 * of wrk2, at the same time and in one process, so that both see the same service. What is compared is the median over the cycles of the ratios within each, with its interval.
 */
async function againstBare(url: string): Promise<Goal> {
  await cycle(url, 0);
  const cycles: Cycle[] = [];
  const startMs = performance.now();
  const isDone = (): boolean =>
    cycles.length >= LEAST_CYCLES &&
    (errorsOf(cycles).every(isDecided) || performance.now() - startMs > MOST_MS - CYCLE_MS);
  while (!isDone()) cycles.push(await cycle(url, cycles.length + 1));
  const found = errorsOf(cycles);
  const words = found.map((one) => {
    const [error, ...ends] = [one.error, ...one.interval].map((value) => (100 * value).toFixed(1));
    return `p${one.percent} ${one.bareMs.toFixed(1)} ms ${error} % [${ends.join(', ')}]${isDecided(one) ? '' : ' open'}`;
  });
  return {
    name: `open loop of ${RATE}/s, half of it bare sockets with wrk2's accounting: the quantiles of a service that stalls for 300 ms in 2 s`,
    measured: `${words.join(', ')}; ${cycles.length} times 4 s`,
    goal: 'each within 2 %, its interval of 99 % included',
    reached: found.every(agrees),
  };
}

/** The quantiles of both, in ms. */
interface Cycle {
  readonly ours: readonly number[];
  readonly bare: readonly number[];
}

async function cycle(url: string, number: number): Promise<Cycle> {
  const rate = RATE / 2;
  const stream = openRateStream({ url, load: { rate }, openLoop, seed: 2 * number, timeoutMs: 10_000 }, source);
  // Connections are there before it counts, as the bare client's are.
  await stream.turn({ durationMs: 500, fromMs: 0, toMs: 0.001 });
  const load = { url, rate, arrivals: 'constant', seed: 2 * number + 1, durationMs: CYCLE_MS, sockets: 1000 } as const;
  const bare = await openBareLoop(load);
  const turn = stream.turn({ durationMs: CYCLE_MS, fromMs: 0, toMs: CYCLE_MS });
  const [latencies] = await Promise.all([bare(), turn]);
  const counts = new LatencyCounts();
  counts.addRecord((await stream.close()).latency);
  return {
    ours: counts.percentilesUs(PERCENTS).map((us) => us / 1000),
    bare: PERCENTS.map((percent) => latencies[Math.ceil((percent / 100) * latencies.length) - 1] ?? Number.NaN),
  };
}

interface QuantileError {
  readonly percent: number;
  readonly bareMs: number;
  readonly error: number;
  readonly interval: readonly [low: number, high: number];
}

function errorsOf(cycles: readonly Cycle[]): QuantileError[] {
  return PERCENTS.map((percent, at) => {
    const logs = cycles.map(({ ours, bare }) => Math.log((ours[at] ?? Number.NaN) / (bare[at] ?? Number.NaN)));
    const [low, high] = intervalOfMedian(logs);
    return {
      percent,
      bareMs: median(cycles.map(({ bare }) => bare[at] ?? Number.NaN)),
      error: Math.expm1(median(logs)),
      interval: [Math.expm1(low), Math.expm1(high)],
    };
  });
}

function agrees({ interval: [low, high] }: QuantileError): boolean {
  return low >= -LARGEST_ERROR && high <= LARGEST_ERROR;
}

function isDecided(one: QuantileError): boolean {
  const [low, high] = one.interval;
  return agrees(one) || low > LARGEST_ERROR || high < -LARGEST_ERROR;
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
