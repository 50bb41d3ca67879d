import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openHttpStream } from '../../../src/measure/load/http-stream.ts';
import { createTries } from '../../../src/measure/load/tries.ts';

describe('tries after requests that failed at once', () => {
  let nowMs = 0;
  beforeEach(() => {
    nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  });
  afterEach(() => void vi.restoreAllMocks());

  it('come as late as the mean answer, and at least every 100 ms', () => {
    const tries = createTries();
    for (const latencyMs of [10, 30]) tries.answered(latencyMs);
    expect(tries.pauseMs(5)).toBe(15);
    expect([tries.pauseMs(20), tries.pauseMs(70)]).toEqual([0, 0]);
    tries.answered(9960);
    nowMs = 1000;
    expect(tries.pauseMs(5)).toBe(95);
  });

  it('keep a distance from each other, before anything was answered, too', () => {
    const tries = createTries();
    expect([0, 0, 0].map((waitedMs) => tries.pauseMs(waitedMs))).toEqual([1, 2, 3]);
    nowMs = 50;
    tries.answered(4);
    expect([1, 1, 3].map((waitedMs) => tries.pauseMs(waitedMs))).toEqual([3, 4, 5]);
  });
});

describe('a service that takes no more than so many connections', () => {
  const [TAKEN, ANSWER_MS] = [8, 20];
  let server: Server;
  let url: string;
  let refused = 0;
  beforeEach(async () => {
    refused = 0;
    server = createServer((_request, response) => setTimeout(() => response.end('ok'), ANSWER_MS));
    server.maxConnections = TAKEN;
    server.on('drop', () => refused++);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => void server.close());

  const get = { method: 'GET', path: '/', name: 0 };
  const source = { names: ['get'], fixed: get, next: () => get };
  const load = async (connections: number) => {
    const stream = openHttpStream({ url, load: { connections }, seed: 1, timeoutMs: 30_000 }, source);
    const startMs = performance.now();
    for (let turn = 0; turn < 5; turn++) await stream.turn({ durationMs: 200, fromMs: 0, toMs: 200 });
    const tookMs = performance.now() - startMs;
    return { ...(await stream.close()), tookMs };
  };

  it('fails about the share of requests that clients are refused, as it says itself', async () => {
    const { whole } = await load(TAKEN + 2);
    const { '200': answered = 0 } = whole.statuses;
    expect(whole.errors).toBeLessThanOrEqual(refused);
    // Opened ahead of a turn, and refused, without a request.
    expect(refused - whole.errors).toBeLessThanOrEqual(5 * 2);
    // Beside other load tries come later, as answers do; at most one connection tries twice where another is answered once.
    expect(whole.errors / (whole.errors + answered)).toBeGreaterThan(0.02);
    expect(whole.errors / (whole.errors + answered)).toBeLessThan(0.4);
  });

  it('is tried no more than a thousand times a second by all of them', async () => {
    const { whole, tookMs } = await load(TAKEN + 100);
    // The first request of each turn comes without a pause.
    expect(whole.errors).toBeLessThanOrEqual(tookMs + 5 * 108);
    expect(whole.errors).toBeGreaterThan(0);
  });
});
