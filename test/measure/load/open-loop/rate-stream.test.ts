import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { countAll } from '../../../../src/journal/outcomes.ts';
import type { OpenLoopSpec } from '../../../../src/journal/scenario-record.ts';
import { LatencyCounts } from '../../../../src/judge/read/cells/latency-counts.ts';
import { mean } from '../../../../src/judge/stats/moments.ts';
import type { LoadResult, LoadStream } from '../../../../src/measure/load/load-generator.ts';
import { createArrivals, openRateStream } from '../../../../src/measure/load/open-loop/rate-stream.ts';

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const SEED = 11;

let server: Server | null = null;
const sockets = new Set<Socket>();
/** When the answer to each request was sent, by its number, on the clock of performance.now(). */
const answeredMs: number[] = [];
/** When each was sent. */
const sentMs: number[] = [];
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  answeredMs.length = 0;
  sentMs.length = 0;
  server?.close();
});

/** A server below HTTP, in this process: it knows when it answered what. */
async function serve(onRequest: (answer: () => void) => void): Promise<string> {
  server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const number = Number(/^GET \/(\d+)/.exec(data.toString())?.[1]);
      onRequest(() => {
        answeredMs[number] = performance.now();
        if (socket.writable) socket.write(ANSWER);
      });
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Requests have numbers in the order in which they are due. */
function streamTo(url: string, rate: number, openLoop: OpenLoopSpec): LoadStream {
  const next = () => ({ method: 'GET', path: `/${sentMs.push(performance.now()) - 1}`, name: 0 });
  const source = { names: ['get'], next };
  return openRateStream({ url, load: { rate }, openLoop, seed: SEED, timeoutMs: 30_000 }, source);
}

/** The moments of a turn at which requests are due, as the stream draws them in its first one. */
function dueIn(durationMs: number, rate: number, arrivals: OpenLoopSpec['arrivals']): number[] {
  const { next } = createArrivals({ arrivals, rate, seed: SEED });
  const due: number[] = [];
  for (let ms = next(); ms < durationMs; ms = next()) due.push(ms);
  return due;
}

/**
 * However busy the machine is: no request is told to be faster than the clocks of its source and its server have it, and
 * hardly slower. The rest of its latency is that it was sent late.
 */
function expectTruth({ latency, sendLag }: LoadResult): void {
  const truth = sentMs.map((ms, number) => (answeredMs[number] ?? Number.NaN) - ms).sort((a, b) => a - b);
  expect(latency.count).toBe(truth.length);
  const onItsWayMs = (latency.meanUs - (sendLag?.meanUs ?? Number.NaN)) / 1000;
  expect(onItsWayMs).toBeGreaterThan(0.98 * mean(truth) - 3);
  expect(onItsWayMs).toBeLessThan(1.2 * mean(truth) + 20);
  const counts = new LatencyCounts();
  counts.addRecord(latency);
  const shares = [0.5, 0.8, 0.9, 0.95, 0.99];
  const foundUs = counts.percentilesUs(shares.map((share) => 100 * share));
  for (const [at, share] of shares.entries())
    expect((foundUs[at] ?? 0) / 1000).toBeGreaterThan(0.99 * (truth[Math.ceil(share * truth.length) - 1] ?? 0) - 3);
}

describe('an open loop', () => {
  it('has the latencies of a service of constant 50 ms, and sends what is due', async () => {
    const url = await serve((answer) => setTimeout(answer, 50));
    const stream = streamTo(url, 200, { arrivals: 'constant', inFlight: 1000 });
    const turn = await stream.turn({ durationMs: 1000, fromMs: 0, toMs: 1100 });
    const result = await stream.close();
    const due = dueIn(1000, 200, 'constant');
    expect([countAll(result.whole), turn.ok, result.sendLag?.count]).toEqual([due.length, due.length, due.length]);
    expectTruth(result);
    // Timers of whole milliseconds may fire one early.
    expect(result.latency.p50Us / 1000).toBeGreaterThan(48);
  });

  /**
   * Of a service that answers at once but for a pause of S in every P, a request waits from when it was due to the end of the
   * pause: P(latency > x) = (S - x) / P for x < S, so that the quantile at 1 - a is S - a P. A closed loop has one request a
   * connection in each pause, and sees next to nothing of them.
   */
  it('sees the pauses of a service as queueing theory has them', async () => {
    const [pauseMs, everyMs, durationMs, rate] = [150, 500, 2500, 200];
    const waiting: (() => void)[] = [];
    let isPaused = false;
    let pauses = 0;
    const pausing = setInterval(() => {
      if (isPaused) return;
      isPaused = true;
      pauses++;
      setTimeout(() => {
        isPaused = false;
        for (const answer of waiting.splice(0)) answer();
      }, pauseMs);
    }, everyMs);
    const url = await serve((answer) => (isPaused ? waiting.push(answer) : answer()));
    const stream = streamTo(url, rate, { arrivals: 'poisson', inFlight: 1000 });
    await stream.turn({ durationMs, fromMs: 0, toMs: durationMs + 100 });
    clearInterval(pausing);
    const result = await stream.close();
    expect(result.latency.count).toBe(dueIn(durationMs, rate, 'poisson').length);
    expectTruth(result);
    // What the machine makes longer adds to it; the arrivals of this seed are a little off their mean.
    for (const [share, us] of [
      [0.95, result.latency.p95Us],
      [0.99, result.latency.p99Us],
    ] as const)
      expect(us / 1000).toBeGreaterThan(0.85 * (pauseMs - ((1 - share) * durationMs) / pauses));
  });

  it('counts what was due while as many as may be were under way, and sends no more', async () => {
    let got = 0;
    const held: (() => void)[] = [];
    const url = await serve((answer) => {
      got++;
      held.push(answer);
    });
    const stream = streamTo(url, 200, { arrivals: 'constant', inFlight: 5 });
    const turn = stream.turn({ durationMs: 300, fromMs: 100, toMs: 300 });
    const due = dueIn(300, 200, 'constant');
    await expect.poll(() => got).toBeGreaterThan(0);
    // The turn's own timer is earlier in the same loop.
    await sleep(400);
    for (const answer of held.splice(0)) answer();
    expect((await turn).whole).toMatchObject({ statuses: { 200: 5 }, unsent: due.length - 5 });
    const { outcomes, whole } = await stream.close();
    expect(got).toBe(5);
    expect(countAll(whole)).toBe(due.length);
    // The first five were due before the part that counts.
    expect([countAll(outcomes), outcomes.unsent]).toEqual([40, 40]);
  });

  it('counts all that was due in a stall of the generator that lasts to the end of the turn', async () => {
    let got = 0;
    const url = await serve((answer) => {
      // This process stands still from the first request on: far more is due meanwhile than is known ahead.
      if (got++ === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
      answer();
    });
    const stream = streamTo(url, 8000, { arrivals: 'poisson', inFlight: 20 });
    const due = dueIn(500, 8000, 'poisson');
    const { whole } = await stream.turn({ durationMs: 500, fromMs: 0, toMs: 500 });
    expect(countAll(whole)).toBe(due.length);
    await stream.close();
  });

  it('a request counts by when it was due, and one that is answered long after the turn counts too', async () => {
    const url = await serve((answer) => setTimeout(answer, 400));
    const stream = streamTo(url, 100, { arrivals: 'constant', inFlight: 300 });
    const result = await stream.turn({ durationMs: 200, fromMs: 100, toMs: 200 });
    expect(result.ok).toBe(10);
    expect(result.wallMs).toBeGreaterThan(500);
    const { latency, whole } = await stream.close();
    expect(latency.count).toBe(10);
    expect(whole.statuses).toEqual({ 200: 20 });
  });

  it('connections stay open from turn to turn, and each turn has its own arrivals', async () => {
    const url = await serve((answer) => answer());
    const stream = streamTo(url, 100, { arrivals: 'poisson', inFlight: 300 });
    for (let i = 0; i < 3; i++) await stream.turn({ durationMs: 150, fromMs: 0, toMs: 150 });
    const { connectionsOpened, reopened, whole } = await stream.close();
    expect(connectionsOpened).toBe(sockets.size);
    expect(connectionsOpened).toBeLessThan(countAll(whole));
    expect(reopened).toBe(0);
  });

  it('is broken off by its signal', async () => {
    const url = await serve(() => {});
    const stream = streamTo(url, 100, { arrivals: 'constant', inFlight: 300 });
    const controller = new AbortController();
    const turn = stream.turn({ durationMs: 60_000, fromMs: 0, toMs: 60_000 }, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 100);
    await expect(turn).rejects.toThrow('enough');
    await stream.close();
  });
});
