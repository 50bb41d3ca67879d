import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import * as hdr from 'hdr-histogram-js';
import { createLatencyHistogram } from '../../src/journal/histogram.ts';
import type { LoadGenerator } from '../../src/load/load-generator.ts';
import { median } from '../../src/stats/moments.ts';
import { compressed } from '../fixtures/merge-latencies.ts';
import type { Goal } from './goal.ts';

const CYCLES = 33;
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
 * Of a server that answers after five different times and drops a connection now and then: the generator, and twice a
 * client that is nothing but sockets, in turns of one after the other, each first as often as last. What is compared is
 * the median over the cycles of the differences within each, which a rival that comes and goes does not move; how much
 * the bare client differs from itself is what the machine does.
 */
export async function quantiles(url: string, generator: LoadGenerator): Promise<Goal> {
  const ours = (): Promise<Turn> => generatorTurn(url, generator);
  const bare = (): Promise<Turn> => bareTurn(url);
  const orders = [
    [ours, bare, bare],
    [bare, ours, bare],
    [bare, bare, ours],
  ];
  const errors: Quantiles[] = [];
  const noise: Quantiles[] = [];
  const truth: Quantiles[] = [];
  let answers = 0;
  let failed = 0;
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const own: Turn[] = [];
    const others: Turn[] = [];
    for (const turn of orders[cycle % orders.length] ?? []) (turn === ours ? own : others).push(await turn());
    const [[one], [a, b]] = [own, others];
    if (one === undefined || a === undefined || b === undefined) throw new Error('a turn is missing');
    const meanOf = QUANTILES.map((_, at) => ((a.quantilesMs[at] ?? 0) + (b.quantilesMs[at] ?? 0)) / 2);
    truth.push(meanOf);
    errors.push(one.quantilesMs.map((ms, at) => ms - (meanOf[at] ?? 0)));
    noise.push(b.quantilesMs.map((ms, at) => ms - (a.quantilesMs[at] ?? 0)));
    answers += one.answers;
    failed += one.errors;
  }
  const middle = (all: readonly Quantiles[], at: number): number => median(all.map((each) => each[at] ?? Number.NaN));
  const found = QUANTILES.map((percent, at) => ({
    percent,
    bareMs: middle(truth, at),
    errorMs: middle(errors, at),
    noiseMs: middle(noise, at),
  }));
  const signed = (ms: number): string => `${ms < 0 ? '' : '+'}${ms.toFixed(3)}`;
  const words = found.map(
    ({ percent, bareMs, errorMs, noiseMs }) =>
      `p${percent} ${bareMs.toFixed(2)} ${signed(errorMs)} (${signed(noiseMs)})`,
  );
  return {
    name: 'latencies of a server that drops connections, against bare sockets in turn with it (those against themselves)',
    measured: `${words.join(', ')} ms; ${answers} answers, ${failed} errors`,
    goal: 'each within 1 % or 0.1 ms',
    reached: found.every(({ bareMs, errorMs }) => Math.abs(errorMs) <= Math.max(0.1, 0.01 * bareMs)),
  };
}

async function generatorTurn(url: string, generator: LoadGenerator): Promise<Turn> {
  const stream = await generator.open({ url, load: { connections: CONNECTIONS }, seed: 1, timeoutMs: 5000 });
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
