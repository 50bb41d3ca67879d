import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startReaper } from '../../src/base/process/reaper.ts';
import { mean, median } from '../../src/judge/stats/moments.ts';
import { startLoadGenerator } from '../../src/measure/load/generator-process.ts';
import type { LoadGenerator, LoadStream } from '../../src/measure/load/load-generator.ts';
import { benchEngines, byHand, CONNECTIONS } from './engines.ts';
import type { Goal } from './goal.ts';
import { intervalOfMedian } from './interval-of-median.ts';
import { benchOpenLoop } from './open-loop.ts';
import { quantiles } from './quantiles.ts';

const PAIRS = 6;
const SECONDS = 4;
const TURN_MS = 250;
/** A turn of a second against four of 250 ms, so often that the machine's noise averages out. */
const LONG_MS = 1000;
const TURN_PAIRS = 40;
const CONSTANT_MS = 10_000;

/** The load generator against autocannon, and against a bare socket to a server whose latency is known. */
export function benchLoadGenerator(): Promise<Goal[]> {
  return withServers(async ({ fast, slow, spread, stalling }, reaper) => [
    ...(await throughput(fast, reaper)),
    ...(await benchEngines({ fast, spread }, reaper)),
    await shortTurns(fast, reaper),
    await constantLatency(slow, reaper),
    ...(await benchOpenLoop(fast, stalling, reaper)),
  ]);
}

/** Its latencies, quantile by quantile, against those of bare sockets beside it. */
export function benchQuantiles(): Promise<Goal[]> {
  return withServers(async ({ dropping }) => [await quantiles(dropping)]);
}

type Name = 'fast' | 'slow' | 'dropping' | 'spread' | 'stalling';
type Urls = Readonly<Record<Name, string>>;
type Ports = Readonly<Record<Name, number>>;

async function withServers(measure: (urls: Urls, reaper: Reaper) => Promise<Goal[]>): Promise<Goal[]> {
  const server = fork(join(import.meta.dirname, 'bare-server.mjs'));
  const ports = await new Promise<Ports>((resolve) => {
    server.once('message', (message: Ports) => resolve(message));
  });
  const urlOf = (port: number): string => `http://127.0.0.1:${port}`;
  const reaper = startReaper();
  try {
    const urls = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, urlOf(port)]));
    return await measure(urls as Record<Name, string>, reaper);
  } finally {
    server.disconnect();
    await reaper.close();
  }
}

type Reaper = ReturnType<typeof startReaper>;

function generatorFor(reaper: Reaper): Promise<LoadGenerator> {
  const request = { name: 'get', method: 'GET', path: '/', headers: {}, weight: 1 };
  return startLoadGenerator({ workload: { kind: 'requests', requests: [request] }, documents: [] }, reaper);
}

/** ABC CBA, so that drift is the same for all. Ours is started anew each time, as the others are. */
async function throughput(url: string, reaper: Reaper): Promise<Goal[]> {
  const ways = [plain, ours, ofWrk];
  const rates = new Map(ways.map((way) => [way, [] as number[]]));
  await plain(url);
  for (let pair = 0; pair < PAIRS; pair++) {
    for (const way of pair % 2 === 0 ? ways : [...ways].reverse()) rates.get(way)?.push(await way(url, reaper));
  }
  const against = (other: (typeof ways)[number], name: string, least: number): Goal => {
    const logs = (rates.get(ours) ?? []).map((rate, pair) => Math.log(rate / (rates.get(other)?.[pair] ?? Number.NaN)));
    const ratio = Math.exp(mean(logs));
    const spread = logs.map((log) => Math.exp(log).toFixed(2)).join(' ');
    return {
      name: `load generator in a closed loop, requests/s against ${name}'s`,
      measured: Number.isNaN(ratio) ? `${name} is not installed` : `${ratio.toFixed(3)} (${spread})`,
      goal: `>= ${least}`,
      reached: ratio >= least,
    };
  };
  return [against(plain, 'autocannon', 0.95), against(ofWrk, 'wrk', 0.5)];
}

/** Not a number where wrk is not on the PATH (Debian has it: apt-get install wrk). */
async function ofWrk(url: string): Promise<number> {
  try {
    const args = ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, url];
    const { stdout } = await promisify(execFile)('wrk', args);
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Number.NaN;
    throw error;
  }
}

async function plain(url: string): Promise<number> {
  return (await byHand(url)).rate;
}

async function ours(url: string, reaper: Reaper): Promise<number> {
  const generator = await generatorFor(reaper);
  const stream = await generator.open({ url, load: { connections: CONNECTIONS }, seed: 1, timeoutMs: 5000 });
  const rate = await turnsRate(stream, SECONDS * 1000, 1);
  await generator.stop();
  return rate;
}

/** Requests a second of the turns' own time. */
async function turnsRate(stream: LoadStream, durationMs: number, turns: number, overheadsMs: number[] = []) {
  let ok = 0;
  for (let turn = 0; turn < turns; turn++) {
    const startMs = performance.now();
    const result = await stream.turn({ durationMs, fromMs: 0, toMs: durationMs });
    overheadsMs.push(performance.now() - startMs - result.wallMs);
    ok += result.ok;
  }
  return (ok * 1000) / (durationMs * turns);
}

/** The same time in turns of 250 ms and in one, and what a turn costs beside its load: its messages, both ways. */
async function shortTurns(url: string, reaper: Reaper): Promise<Goal> {
  const generator = await generatorFor(reaper);
  const stream = await generator.open({ url, load: { connections: CONNECTIONS }, seed: 1, timeoutMs: 5000 });
  await turnsRate(stream, 1000, 1);
  const logs: number[] = [];
  const overheadsMs: number[] = [];
  for (let pair = 0; pair < TURN_PAIRS; pair++) {
    const short = () => turnsRate(stream, TURN_MS, LONG_MS / TURN_MS, overheadsMs);
    const long = () => turnsRate(stream, LONG_MS, 1);
    const rates = pair % 2 === 0 ? [await short(), await long()] : [await long(), await short()].reverse();
    logs.push(Math.log((rates[0] ?? 0) / (rates[1] ?? 1)));
  }
  await generator.stop();
  const ratio = Math.exp(median(logs));
  const spread = intervalOfMedian(logs).map((log) => Math.exp(log).toFixed(3));
  const overheadMs = median(overheadsMs);
  return {
    name: `requests/s of turn time in turns of ${TURN_MS} ms against one of ${LONG_MS} ms; what a turn costs beside`,
    measured: `${ratio.toFixed(3)} [${spread.join(', ')}]; ${overheadMs.toFixed(2)} ms`,
    goal: '>= 0.95; <= 2 ms',
    reached: ratio >= 0.95 && overheadMs <= 2,
  };
}

/** A server is as constant as its wire: what a bare socket sees of the same server at the same time is the truth to be met. */
async function constantLatency(url: string, reaper: Reaper): Promise<Goal> {
  const generator = await generatorFor(reaper);
  const stream = await generator.open({ url, load: { connections: 3 }, seed: 1, timeoutMs: 5000 });
  await stream.turn({ durationMs: 1000, fromMs: 0, toMs: 0.001 });
  const bare = bareSocketMs(url, CONSTANT_MS);
  await stream.turn({ durationMs: CONSTANT_MS, fromMs: 0, toMs: CONSTANT_MS });
  const socketMs = await bare;
  const { latency } = await stream.close();
  await generator.stop();
  const p50Ms = latency.p50Us / 1000;
  const errors = [p50Ms / socketMs - 1, p50Ms / 50 - 1].map((error) => `${(100 * error).toFixed(2)} %`);
  return {
    name: 'p50 of a server of constant 50 ms, against what a bare socket beside it sees',
    measured: `${p50Ms.toFixed(2)} ms: ${errors[0]} (${errors[1]} from 50 ms)`,
    goal: 'within 1 %',
    reached: Math.abs(p50Ms / socketMs - 1) <= 0.01,
  };
}

/** The median round trip of a socket that does nothing but wait for its answer. */
async function bareSocketMs(url: string, durationMs: number): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  const timesMs: number[] = [];
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs) {
    const start = performance.now();
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'data');
    timesMs.push(performance.now() - start);
  }
  socket.destroy();
  return median(timesMs);
}
