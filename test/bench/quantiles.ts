import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import * as hdr from 'hdr-histogram-js';
import { createLatencyHistogram, type LatencyHistogram } from '../../src/journal/histogram.ts';
import { median } from '../../src/judge/stats/moments.ts';
import { openHttpStream } from '../../src/measure/load/http-stream.ts';
import type { RequestSource } from '../../src/measure/load/request-source.ts';
import { compressed } from '../fixtures/merge-latencies.ts';
import type { Goal } from './goal.ts';
import { intervalOfMedian } from './interval-of-median.ts';

const LEAST_CYCLES = 33;
/** Until each quantile is decided, but no longer. */
const MOST_MS = 300_000;
const TURN_MS = 400;
const CONNECTIONS = 5;
/** The server's five times are a fifth of the answers each: between them a quantile is any of two. */
const QUANTILES = [10, 30, 50, 70, 90, 95, 99];

type Quantiles = readonly number[];
interface Turn {
  readonly quantilesMs: Quantiles;
  readonly answers: number;
  readonly errors: number;
}

/**
 * Of a server that answers after five different times and drops a connection now and then: the load generator's stream
 * beside two clients that are nothing but sockets, in turns that all three begin in the same moment of one process, so
 * that whatever has one of them wait has the others wait too. What is compared is the median over the turns of the
 * differences within each, with its interval: a quantile agrees where that lies within the bound, and differs where it
 * lies beyond. How much the bare clients differ from each other is what the machine does.
 */
export async function quantiles(url: string): Promise<Goal> {
  // Compiled by then.
  for (let i = 0; i < 4; i++) await cycle(url, i);
  const cycles: Cycle[] = [];
  const startMs = performance.now();
  const isDone = (): boolean => {
    if (cycles.length < LEAST_CYCLES) return false;
    return found(cycles).every(isDecided) || performance.now() - startMs > MOST_MS;
  };
  while (!isDone()) cycles.push(await cycle(url, cycles.length));
  const all = found(cycles);
  const words = all.map((one) => {
    const { percent, bareMs, errorMs, interval, noiseMs } = one;
    const [low, high] = interval.map(signed);
    return `p${percent} ${bareMs.toFixed(2)} ${signed(errorMs)} [${low}, ${high}] (${signed(noiseMs)})${isDecided(one) ? '' : ' open'}`;
  });
  const count = (pick: (turn: Turn) => number): number => cycles.reduce((sum, { ours }) => sum + pick(ours), 0);
  const counted = `${count(({ answers }) => answers)} answers, ${count(({ errors }) => errors)} errors`;
  return {
    name: 'latencies of a server that drops connections, against bare sockets beside it (those against each other)',
    measured: `${words.join(', ')} ms; ${counted} in ${cycles.length} turns`,
    goal: 'each within 1 % or 0.1 ms, its interval of 99 % included',
    reached: all.every(agrees),
  };
}

interface Cycle {
  readonly ours: Turn;
  readonly bare: readonly [Turn, Turn];
}

async function cycle(url: string, number: number): Promise<Cycle> {
  const place = number % 3;
  const clients = [0, 1, 2].map((at) => (at === place ? openStream(url) : openBare(url)));
  const begins = await Promise.all(clients);
  const turns = await Promise.all(begins.map((begin) => begin()));
  const [ours] = turns.splice(place, 1);
  const [a, b] = turns;
  if (ours === undefined || a === undefined || b === undefined) throw new RangeError('a cycle has three turns');
  return { ours, bare: [a, b] };
}

/** What the cycles say of each quantile. */
function found(cycles: readonly Cycle[]) {
  return QUANTILES.map((percent, at) => {
    const of = (turn: Turn): number => turn.quantilesMs[at] ?? Number.NaN;
    const bareMs = median(cycles.map(({ bare: [a, b] }) => (of(a) + of(b)) / 2));
    const errors = cycles.map(({ ours, bare: [a, b] }) => of(ours) - (of(a) + of(b)) / 2);
    return {
      percent,
      bareMs,
      errorMs: median(errors),
      interval: intervalOfMedian(errors),
      noiseMs: median(cycles.map(({ bare: [a, b] }) => of(b) - of(a))),
      boundMs: Math.max(0.1, 0.01 * bareMs),
    };
  });
}

interface Compared {
  readonly interval: readonly [lowMs: number, highMs: number];
  readonly boundMs: number;
}

function agrees({ interval: [low, high], boundMs }: Compared): boolean {
  return low >= -boundMs && high <= boundMs;
}

function isDecided(one: Compared): boolean {
  const [low, high] = one.interval;
  return agrees(one) || low > one.boundMs || high < -one.boundMs;
}

function signed(ms: number): string {
  return `${ms < 0 ? '' : '+'}${ms.toFixed(3)}`;
}

/** Connected, and ready to begin. */
type Client = () => Promise<Turn>;

async function openStream(url: string): Promise<Client> {
  const get = { method: 'GET', path: '/', name: 0 };
  const source: RequestSource = { names: ['get'], fixed: get, next: () => get };
  const stream = openHttpStream({ url, load: { connections: CONNECTIONS }, seed: 1, timeoutMs: 5000 }, source);
  await stream.turn({ durationMs: 1, fromMs: 1, toMs: 1 });
  return async () => {
    // The last answers come after the end, and are longer than others: the bare client counts them too.
    const { whole } = await stream.turn({ durationMs: TURN_MS, fromMs: 0, toMs: Number.POSITIVE_INFINITY });
    const { latency } = await stream.close();
    return { quantilesMs: quantilesOf(latency.histogram), answers: latency.count, errors: whole.errors };
  };
}

function quantilesOf(histogram: string): Quantiles {
  const decoded = hdr.decodeFromCompressedBase64(compressed(histogram), 32, false);
  return QUANTILES.map((percent) => decoded.getValueAtPercentile(percent) / 1000);
}

/** Sockets in closed loop that do nothing but wait for an answer or their end, counted as the generator counts. */
async function openBare(url: string): Promise<Client> {
  const { hostname, port } = new URL(url);
  const open = (): Socket => connect({ host: hostname, port: Number(port), noDelay: true });
  const sockets = Array.from({ length: CONNECTIONS }, open);
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return async () => {
    // As the stream does it before it begins.
    await immediate();
    await immediate();
    const histogram = createLatencyHistogram();
    const endMs = performance.now() + TURN_MS;
    const failed = await Promise.all(sockets.map((socket) => loop({ socket, open, endMs, histogram })));
    const { histogram: encoded, count } = histogram.toRecord();
    return { quantilesMs: quantilesOf(encoded), answers: count, errors: failed.reduce((sum, each) => sum + each, 0) };
  };
}

interface Loop {
  readonly socket: Socket;
  readonly open: () => Socket;
  readonly endMs: number;
  readonly histogram: LatencyHistogram;
}

/** Returns how many requests failed. */
async function loop({ socket: opened, open, endMs, histogram }: Loop): Promise<number> {
  let errors = 0;
  for (let socket = opened; ; socket = open()) {
    let isDone = false;
    let startMs = performance.now();
    const send = (): void => {
      startMs = performance.now();
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    };
    socket.on('data', () => {
      const nowMs = performance.now();
      histogram.record((nowMs - startMs) * 1000);
      isDone = nowMs >= endMs;
      if (isDone) socket.destroy();
      else send();
    });
    send();
    await once(socket, 'close');
    if (isDone) return errors;
    errors++;
    if (performance.now() >= endMs) return errors;
  }
}
