import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openBesideStream } from '../../../src/measure/load/beside-stream.ts';
import { createTally } from '../../../src/measure/load/tally.ts';

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const get = { method: 'GET', path: '/', name: 0 };
let server: Server | null = null;
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server?.close();
});

/** Answers after 2 ms; while it is locked not at all. */
async function serveUnlessLocked() {
  let held: (() => void)[] | null = null;
  server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    const answer = (): unknown => socket.writable && socket.write(ANSWER);
    socket.on('data', () => (held === null ? setTimeout(answer, 2) : held.push(answer)));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lock: () => {
      held = [];
    },
    unlock: () => {
      for (const answer of held ?? []) answer();
      held = null;
    },
    waiting: () => held?.length ?? 0,
  };
}

function streamTo(url: string, connections: number) {
  const load = { connections, of: 'beside' } as const;
  const source = { names: ['get'], fixed: get, next: () => get };
  return openBesideStream({ url, load, bounded: { count: 1, limitMs: 60_000 }, seed: 1, timeoutMs: 30_000 }, source);
}

const turn = { fromMs: 20, toMs: 60, durationMs: 60_000 };

describe('load beside a job', () => {
  it('counts requests that wait for the job, from before its start until after its end, and none of them without it', async () => {
    const { url, lock, unlock, waiting } = await serveUnlessLocked();
    const stream = streamTo(url, 3);
    const ends = new AbortController();
    let lockedMs = 0;
    const { okByTime, wallMs } = await stream.turn(turn, {
      ends: ends.signal,
      async onSteady() {
        const start = performance.now();
        lock();
        await expect.poll(waiting).toBe(3);
        await new Promise((resolve) => setTimeout(resolve, 150));
        ends.abort();
        // The job has ended, and its lock is still there: what waits for it is waited for.
        await new Promise((resolve) => setTimeout(resolve, 20));
        lockedMs = performance.now() - start;
        unlock();
      },
    });
    const { beside, windowMs, outcomes, latency, whole } = await stream.close();
    const waitMs = (beside?.longestUs ?? 0) / 1000;
    expect(waitMs).toBeGreaterThan(150);
    expect(waitMs).toBeLessThan(lockedMs + 50);
    expect(latency.maxUs).toBeGreaterThan(150_000);
    // Each of the three connections has one request that waited; others were answered before the lock was seen.
    expect(outcomes.statuses[200]).toBeGreaterThanOrEqual(3);
    expect(windowMs).toBeLessThan(wallMs - turn.toMs);
    // Of the requests that waited only the part in the window counts for the rate.
    expect(okByTime).toBeLessThan(outcomes.statuses[200] ?? 0);
    const { without } = beside ?? {};
    expect(without?.windowMs).toBe(40);
    expect(without?.longestUs).toBeLessThan(beside?.longestUs ?? 0);
    expect(without?.okByTime).toBeGreaterThan(0);
    expect(whole.statuses[200]).toBeGreaterThanOrEqual(
      (outcomes.statuses[200] ?? 0) + (without?.outcomes.statuses[200] ?? 0),
    );
  });

  it('is steady only when what was sent without the job is answered', async () => {
    const { url, lock, unlock, waiting } = await serveUnlessLocked();
    const stream = streamTo(url, 2);
    const ends = new AbortController();
    let isSteady = false;
    lock();
    const loading = stream.turn(turn, {
      ends: ends.signal,
      onSteady() {
        isSteady = true;
        ends.abort();
      },
    });
    await expect.poll(waiting).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 2 * turn.toMs));
    expect(isSteady).toBe(false);
    unlock();
    await loading;
    expect(isSteady).toBe(true);
    const { beside } = await stream.close();
    expect(beside?.without.longestUs).toBeGreaterThan(1000 * turn.toMs);
  });
});

describe('the count of what was under way', () => {
  it('has each request that was under way at any time in the window, and its share of it for the rate', () => {
    const tally = createTally({ names: ['get'] }, { counts: 'under way' });
    tally.begin({ fromMs: 100, toMs: 200 });
    // Answered before; sent before and answered in it; all around it; sent in it; sent after it.
    tally.answer(99, 200, 1, 50_000, 0);
    tally.answer(110, 200, 1, 20_000, 0);
    tally.answer(250, 200, 1, 200_000, 0);
    tally.answer(220, 200, 1, 40_000, 0);
    tally.answer(260, 200, 1, 50_000, 0);
    tally.failure({ atMs: 500, kind: 'timeouts', waitedMs: 350, name: 0 });
    const { okByTime } = tally.end();
    const { outcomes, windowMs } = tally.result();
    expect(outcomes).toEqual({ statuses: { 200: 3 }, errors: 0, timeouts: 1 });
    expect(okByTime).toBeCloseTo(10 / 20 + 100 / 200 + 20 / 40, 2);
    expect([tally.longestMs, windowMs]).toEqual([350, 100]);
  });

  it('has a window whose ends are known only when they come', () => {
    const tally = createTally({ names: ['get'] }, { counts: 'under way' });
    tally.begin({ fromMs: 0, toMs: 10 });
    tally.move({ fromMs: Number.POSITIVE_INFINITY, toMs: Number.POSITIVE_INFINITY });
    tally.answer(50, 200, 1, 10_000, 0);
    tally.move({ fromMs: 60 });
    tally.answer(70, 200, 1, 20_000, 0);
    tally.move({ toMs: 90 });
    tally.answer(100, 200, 1, 20_000, 0);
    tally.answer(120, 200, 1, 10_000, 0);
    tally.end();
    const { outcomes, windowMs, whole } = tally.result();
    expect([outcomes.statuses[200], whole.statuses[200], windowMs]).toEqual([2, 4, 30]);
  });
});
