import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import * as hdr from 'hdr-histogram-js';
import { createLatencyHistogram } from '../../src/journal/histogram.ts';
import { openHttpStream } from '../../src/load/http-stream.ts';
import type { RequestSource } from '../../src/load/request-source.ts';
import { median } from '../../src/stats/moments.ts';
import { compressed } from '../fixtures/merge-latencies.ts';
import type { Goal } from './goal.ts';

const LEAST_CYCLES = 33;
/** Until the noise is less than what is to be shown, but no longer. */
const MOST_MS = 150_000;
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
 * Of a server that answers after five different times and drops a connection now and then: the load generator's stream,
 * and twice a client that is nothing but sockets, in turns of one after the other, each first as often as last, and in
 * one process, so that the system has them wait alike. What is compared is the median over the cycles of the differences
 * within each, which a rival that comes and goes does not move, with its standard error; how much the bare client
 * differs from itself is what the machine does.
 */
export async function quantiles(url: string): Promise<Goal> {
  // Compiled by then.
  for (const turn of [streamTurn, bareTurn, streamTurn, bareTurn]) await turn(url);
  const cycles: Cycle[] = [];
  const startMs = performance.now();
  const isDone = (): boolean => {
    if (cycles.length < LEAST_CYCLES) return false;
    const isPrecise = found(cycles).every(({ standardErrorMs, boundMs }) => 2 * standardErrorMs <= boundMs);
    return isPrecise || performance.now() - startMs > MOST_MS;
  };
  while (!isDone()) cycles.push(await cycle(url, cycles.length));
  const all = found(cycles);
  const words = all.map(
    ({ percent, bareMs, errorMs, standardErrorMs, noiseMs }) =>
      `p${percent} ${bareMs.toFixed(2)} ${signed(errorMs)} ± ${standardErrorMs.toFixed(3)} (${signed(noiseMs)})`,
  );
  const count = (pick: (turn: Turn) => number): number => cycles.reduce((sum, { ours }) => sum + pick(ours), 0);
  const counted = `${count(({ answers }) => answers)} answers, ${count(({ errors }) => errors)} errors`;
  return {
    name: 'latencies of a server that drops connections, against bare sockets in turn with it (those against themselves)',
    measured: `${words.join(', ')} ms; ${counted} in ${cycles.length} turns`,
    goal: 'each within 1 % or 0.1 ms',
    reached: all.every(({ errorMs, boundMs }) => Math.abs(errorMs) <= boundMs),
  };
}

interface Cycle {
  readonly ours: Turn;
  readonly bare: readonly [Turn, Turn];
}

async function cycle(url: string, number: number): Promise<Cycle> {
  const turns: Turn[] = [];
  const place = number % 3;
  for (let at = 0; at < 3; at++) turns.push(await (at === place ? streamTurn(url) : bareTurn(url)));
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
    const errorMs = median(errors);
    // Of a normal distribution, whose sigma is 1.48 median deviations; a median's error is 1.25 times that of a mean.
    const sigma = 1.4826 * median(errors.map((ms) => Math.abs(ms - errorMs)));
    return {
      percent,
      bareMs,
      errorMs,
      standardErrorMs: (1.2533 * sigma) / Math.sqrt(cycles.length),
      noiseMs: median(cycles.map(({ bare: [a, b] }) => of(b) - of(a))),
      boundMs: Math.max(0.1, 0.01 * bareMs),
    };
  });
}

function signed(ms: number): string {
  return `${ms < 0 ? '' : '+'}${ms.toFixed(3)}`;
}

async function streamTurn(url: string): Promise<Turn> {
  const get = { method: 'GET', path: '/', name: 0 };
  const source: RequestSource = { names: ['get'], fixed: get, next: () => get };
  const stream = openHttpStream({ url, load: { connections: CONNECTIONS }, seed: 1, timeoutMs: 5000 }, source);
  await stream.turn({ durationMs: TURN_MS, fromMs: 0, toMs: TURN_MS });
  const { latency, whole } = await stream.close();
  return { quantilesMs: quantilesOf(latency.histogram), answers: latency.count, errors: whole.errors };
}

function quantilesOf(histogram: string): Quantiles {
  const decoded = hdr.decodeFromCompressedBase64(compressed(histogram), 32, false);
  return QUANTILES.map((percent) => decoded.getValueAtPercentile(percent) / 1000);
}

/** Sockets in closed loop that do nothing but wait for an answer or their end, counted as the generator counts. */
async function bareTurn(url: string): Promise<Turn> {
  const { hostname, port } = new URL(url);
  const histogram = createLatencyHistogram();
  const open = (): Socket => connect({ host: hostname, port: Number(port), noDelay: true });
  const first = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = open();
      await once(socket, 'connect');
      return socket;
    }),
  );
  let errors = 0;
  const endMs = performance.now() + TURN_MS;
  const loop = async (opened: Socket): Promise<void> => {
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
      if (isDone) return;
      errors++;
      if (performance.now() >= endMs) return;
    }
  };
  await Promise.all(first.map(loop));
  const { histogram: encoded, count } = histogram.toRecord();
  return { quantilesMs: quantilesOf(encoded), answers: count, errors };
}
