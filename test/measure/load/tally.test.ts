import { describe, expect, it } from 'vitest';
import { createTally } from '../../../src/measure/load/tally.ts';

const tally = () => {
  const counted = createTally({ names: ['insert', 'update'] });
  counted.begin({ fromMs: 1000, toMs: 5000 });
  return counted;
};

describe('the tally of a slice', () => {
  it('counts what was sent in the window, and everything in the whole', () => {
    const counted = tally();
    // Latencies of 100 to 400 ms: sent just before the window, with it, in it and answered after it, after it.
    counted.answer(1099.9, 200, 10, 100_000, 0);
    counted.answer(1200, 200, 10, 200_000, 0);
    counted.answer(5200, 201, 10, 300_000, 1);
    counted.answer(5400, 200, 10, 400_000, 0);
    counted.end();
    const { outcomes, whole, bytes, latency } = counted.result();
    expect(outcomes.statuses).toEqual({ '200': 1, '201': 1 });
    expect(whole.statuses).toEqual({ '200': 3, '201': 1 });
    expect(bytes).toBe(20);
    expect(latency).toMatchObject({ count: 2, meanUs: 250_000 });
  });

  it('counts all that is known of a request where it was sent: its kind, Server-Timing, and the parts of its latency', () => {
    const counted = tally();
    const answered = (atMs: number, latencyMs: number): void =>
      counted.answer(atMs, 200, 10, 1000 * latencyMs, 1, {
        serverTimes: [{ name: 'db', durationMs: latencyMs / 2 }],
        parts: { connectMs: latencyMs / 100, waitingMs: latencyMs / 2 },
      });
    // Sent before the window and answered in it, sent in it and answered after it, sent after it.
    answered(1100, 200);
    answered(5200, 300);
    answered(5400, 350);
    counted.failure({ atMs: 1100, kind: 'errors', waitedMs: 400, name: 1 });
    counted.failure({ atMs: 5300, kind: 'timeouts', waitedMs: 400, name: 1 });
    counted.end();
    const { byRequest, serverTimes, parts } = counted.result();
    expect(byRequest).toMatchObject({
      update: { outcomes: { statuses: { '200': 1 }, errors: 0, timeouts: 1 }, latency: { count: 1, meanUs: 300_000 } },
    });
    expect(serverTimes).toEqual({ update: { db: 150 } });
    expect(parts).toMatchObject({
      connect: { count: 1, meanUs: 3000 },
      processing: { count: 1, meanUs: 297_000 },
      waiting: { count: 1, meanUs: 150_000 },
    });
  });

  it('counts what came in the window, where load ends without its last answers', () => {
    const counted = createTally({ names: ['get'] }, { counts: 'answered' });
    counted.begin({ fromMs: 1000, toMs: 5000 });
    counted.answer(999, 200, 10, 100_000, 0);
    counted.answer(1099.9, 200, 10, 200_000, 0);
    counted.answer(5200, 200, 10, 300_000, 0);
    counted.failure({ atMs: 1100, kind: 'errors', waitedMs: 500, name: 0 });
    counted.failure({ atMs: 5100, kind: 'errors', waitedMs: 500, name: 0 });
    expect(counted.end()).toMatchObject({ ok: 1, wholeOk: 3 });
    expect(counted.result()).toMatchObject({
      outcomes: { statuses: { '200': 1 }, errors: 1 },
      latency: { count: 1, meanUs: 200_000 },
    });
  });

  it('counts kinds of one name as one, each by the statuses that it expects', () => {
    const counted = createTally({ names: ['get', 'other', 'other'], expected: [undefined, undefined, [404]] });
    counted.begin({ fromMs: 0, toMs: 5000 });
    counted.answer(10, 200, 7, 100, 1);
    counted.answer(10, 404, 7, 100, 2);
    counted.answer(10, 404, 7, 100, 1);
    expect(counted.end().ok).toBe(2);
    const { byRequest, course } = counted.result();
    expect(byRequest).toEqual({ other: expect.objectContaining({ latency: expect.objectContaining({ count: 2 }) }) });
    expect(byRequest.other?.outcomes.statuses).toEqual({ 200: 1, 404: 2 });
    expect(course?.byRequest.other?.ok[0]).toBe(2);
  });

  it('an expected status counts as an answer, and a 2xx that is not expected does not', () => {
    const counted = createTally({ names: ['delete', 'get'], expected: [[409], undefined] });
    counted.begin({ fromMs: 0, toMs: 5000 });
    counted.answer(10, 409, 7, 100, 0);
    counted.answer(10, 204, 7, 100, 0);
    counted.answer(10, 200, 7, 300, 1);
    counted.answer(10, 409, 7, 300, 1);
    expect(counted.ok).toBe(2);
    expect(counted.end().wholeOk).toBe(2);
    expect(counted.result()).toMatchObject({
      ok: 2,
      wholeOk: 2,
      outcomes: { statuses: { '200': 1, '204': 1, '409': 2 } },
      bytes: 14,
      latency: { count: 2, meanUs: 200 },
      byRequest: { delete: { latency: { count: 1 } }, get: { latency: { count: 1 } } },
    });
  });

  it('an error has no latency and no bytes, so that failing fast does not look fast', () => {
    const counted = tally();
    counted.answer(2000, 500, 99, 1, 0);
    counted.answer(2000, 409, 99, 1, 0);
    counted.failure({ atMs: 2000, kind: 'timeouts', waitedMs: 100, name: 0 });
    counted.failure({ atMs: 6000, kind: 'errors', waitedMs: 500, name: 0 });
    expect(counted.end()).toMatchObject({ ok: 0, latencyUs: null });
    expect(counted.result()).toMatchObject({
      outcomes: { statuses: { '409': 1, '500': 1 }, errors: 0, timeouts: 1 },
      whole: { statuses: { '409': 1, '500': 1 }, errors: 1, timeouts: 1 },
      bytes: 0,
      latency: { count: 0 },
    });
  });

  it('a request that was given up has failed where it was sent', () => {
    const counted = tally();
    const giveUp = (atMs: number, waitedMs: number) => {
      const before = counted.result().outcomes.timeouts;
      counted.failure({ atMs, kind: 'timeouts', waitedMs, name: 0 });
      return counted.result().outcomes.timeouts - before;
    };
    // The window is from 1000 to 5000.
    expect(giveUp(900, 800)).toBe(0);
    expect(giveUp(1100, 1050)).toBe(0);
    expect(giveUp(7000, 5990)).toBe(1);
    expect(giveUp(7000, 2010)).toBe(1);
    expect(giveUp(7000, 1990)).toBe(0);
    counted.end();
    expect(counted.result().whole.timeouts).toBe(5);
  });

  it('the rate of a closed loop holds waits that outlast their turn, and the moments between two requests', () => {
    // Two connections, turns of 100 ms: one answers every 10 ms, 0.5 ms after each the next is sent; in the other a request waits 1 s.
    const counted = createTally({ names: ['get'] }, { clients: 2 });
    counted.begin({ fromMs: 0, toMs: 105 });
    for (let sentMs = 0; sentMs < 105; sentMs += 10.5) counted.answer(sentMs + 10, 200, 1, 10_000, 0);
    counted.answer(1000, 200, 1, 1_000_000, 0);
    const turn = counted.end();
    expect(turn).toMatchObject({ ok: 11, okByTime: expect.closeTo(10 + 0.105, 1) });
    // 10 latencies of 10 ms with a moment of 0.5 ms after each, and one of 1 s.
    expect(turn.busyMs).toBeCloseTo(10 * 10.5 + 1000, 1);
  });

  it('tells of each kind in a closed loop what came within the window, failed or not, whenever it was sent', () => {
    const counted = createTally({ names: ['fast', 'slow'] }, { clients: 2 });
    counted.begin({ fromMs: 10, toMs: 100 });
    counted.answer(30, 200, 1, 30_000, 1);
    counted.answer(190, 200, 1, 160_000, 1);
    counted.failure({ atMs: 50, kind: 'errors', waitedMs: 10, name: 0 });
    counted.end();
    expect(counted.result().byRequest).toMatchObject({
      slow: { outcomes: { statuses: { '200': 1 } }, byTime: expect.closeTo(20 / 30 + 70 / 160, 2) },
      fast: { outcomes: { errors: 1 }, byTime: 1 },
    });
  });

  it('a failure keeps its connection busy, and is no answer', () => {
    const counted = createTally({ names: ['get'] }, { clients: 1 });
    counted.begin({ fromMs: 0, toMs: 100 });
    counted.answer(20, 200, 1, 20_000, 0);
    counted.failure({ atMs: 100, kind: 'errors', waitedMs: 80, name: 0 });
    expect(counted.end()).toMatchObject({ ok: 1, busyMs: 100 });
  });

  it('tells the kinds of request apart', () => {
    const counted = tally();
    counted.answer(2000, 201, 10, 100, 0);
    counted.answer(2000, 200, 10, 900, 1);
    const { byRequest } = counted.result();
    expect(byRequest.insert).toMatchObject({ outcomes: { statuses: { '201': 1 } }, latency: { p50Us: 100 } });
    expect(byRequest.update).toMatchObject({ outcomes: { statuses: { '200': 1 } }, latency: { p50Us: 900 } });
  });

  it('rates are those of answers that come in batches, wherever the ends of a turn fall among them', () => {
    // Four connections, answered together every 9 ms: 444.4 a second.
    for (const turnMs of [50, 100, 251, 333]) {
      const counted = createTally({ names: ['get'] });
      counted.begin({ fromMs: 10, toMs: turnMs });
      for (let atMs = 9; atMs < turnMs + 9; atMs += 9) {
        for (let connection = 0; connection < 4; connection++) counted.answer(atMs, 200, 1, 9000, 0);
      }
      expect((1000 * counted.end().okByTime) / (turnMs - 10)).toBeCloseTo(4000 / 9, 0);
      expect(counted.result().busyMs).toBeCloseTo(4 * (turnMs - 10));
    }
  });

  it('tells what came of each turn, and adds the turns up', () => {
    const counted = createTally({ names: ['get'] });
    counted.begin({ fromMs: 10, toMs: 100 });
    counted.answer(5, 200, 1, 500, 0);
    counted.answer(11, 200, 1, 100, 0);
    counted.answer(50, 503, 1, 9000, 0);
    expect(counted.end()).toEqual({
      ok: 1,
      okByTime: 1,
      okWithin: 1,
      latencyUs: 300,
      whole: { statuses: { '200': 2, '503': 1 }, errors: 0, timeouts: 0 },
      wholeOk: 2,
    });
    counted.begin({ fromMs: 20, toMs: 80 });
    counted.answer(15, 200, 1, 700, 0);
    counted.answer(21, 200, 1, 200, 0);
    counted.failure({ atMs: 79, kind: 'errors', waitedMs: 1, name: 0 });
    counted.answer(80.2, 200, 1, 400, 0);
    // Sent in the window, half of what came at 80.2 after 400 us lay in it.
    expect(counted.end()).toEqual({
      ok: 2,
      okByTime: 1.5,
      okWithin: 1,
      latencyUs: 433.3333333333333,
      whole: { statuses: { '200': 3 }, errors: 1, timeouts: 0 },
      wholeOk: 3,
    });
    expect(counted.result()).toMatchObject({
      windowMs: 150,
      busyMs: expect.closeTo(9 + 0.1 + 0.2 + 1 + 0.2),
      outcomes: { statuses: { '200': 3, '503': 1 }, errors: 1, timeouts: 0 },
      whole: { statuses: { '200': 5, '503': 1 }, errors: 1, timeouts: 0 },
      latency: { count: 3, meanUs: expect.closeTo(700 / 3, 0) },
    });
    expect(counted.ok).toBe(5);
  });

  it('of an open loop counts by when a request was due, and what was not sent', () => {
    const counted = createTally({ names: ['get'] });
    counted.begin({ fromMs: 1000, toMs: 5000 });
    // Due before the window, in it and answered after it, and after it.
    counted.answer(1100, 200, 10, 200_000, 0);
    counted.answer(7000, 200, 10, 2_500_000, 0);
    counted.answer(5600, 200, 10, 500_000, 0);
    counted.failure({ atMs: 9000, kind: 'timeouts', waitedMs: 4500, name: 0 });
    counted.failure({ atMs: 1500, kind: 'errors', waitedMs: 600, name: 0 });
    counted.unsent(900);
    counted.unsent(4999);
    counted.end();
    const { outcomes, whole, latency } = counted.result();
    expect(outcomes).toEqual({ statuses: { 200: 1 }, errors: 0, timeouts: 1, unsent: 1 });
    expect(whole).toEqual({ statuses: { 200: 3 }, errors: 1, timeouts: 1, unsent: 2 });
    expect(latency).toMatchObject({ count: 1, meanUs: 2_500_000 });
  });

  it('a queue that grows counts as its service answers, and a steady one as requests come', () => {
    // 150 requests a second for 6 s, of which 5.4 s count.
    const rateOf = (servedPerS: number): number => {
      const counted = createTally({ names: ['get'] });
      counted.begin({ fromMs: 600, toMs: 6000 });
      let freeMs = 0;
      for (let dueMs = 0; dueMs < 6000; dueMs += 1000 / 150) {
        freeMs = Math.max(freeMs, dueMs) + 1000 / servedPerS;
        counted.answer(freeMs, 200, 1, 1000 * (freeMs - dueMs), 0);
      }
      return (counted.end().okWithin ?? 0) / 5.4;
    };
    expect(rateOf(100)).toBeCloseTo(100, 0);
    expect(rateOf(140)).toBeCloseTo(140, 0);
    expect(rateOf(300)).toBeCloseTo(150, 0);
  });

  it('a service that keeps a rate has it, however long each kind of its answers waits', () => {
    // 50 requests a second for 4 s, of which 3.2 s count. By that window alone 16 of 50 that wait 3 s, and none of 6 s.
    const rateOf = (...latenciesMs: readonly number[]): number => {
      const counted = createTally({ names: latenciesMs.map(String) });
      counted.begin({ fromMs: 800, toMs: 4000 });
      for (let request = 0; request < 200; request++) {
        const kind = request % latenciesMs.length;
        const latencyMs = latenciesMs[kind] ?? 0;
        counted.answer(20 * request + latencyMs, 200, 1, 1000 * latencyMs, kind);
      }
      return (counted.end().okWithin ?? 0) / 3.2;
    };
    expect(rateOf(3000)).toBeCloseTo(50, 5);
    expect(rateOf(6000)).toBeCloseTo(50, 5);
    expect(rateOf(5, 3000)).toBeCloseTo(50, 5);
  });

  it('a window ends with a turn that is over before it', () => {
    const counted = createTally({ names: ['get'] });
    counted.begin({ fromMs: 0, toMs: 60_000 });
    counted.answer(700, 200, 10, 100, 0);
    counted.end(700.5);
    expect(counted.result().windowMs).toBe(700.5);
  });
});
