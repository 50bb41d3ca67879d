import { describe, expect, it } from 'vitest';
import { createTally } from '../../src/load/tally.ts';

const tally = () => {
  const counted = createTally({ names: ['insert', 'update'] });
  counted.begin({ fromMs: 1000, toMs: 5000 });
  return counted;
};

describe('the tally of a slice', () => {
  it('counts in the window what comes within it, and everything in the whole', () => {
    const counted = tally();
    counted.answer(999.9, 200, 10, 100, 0);
    counted.answer(1000, 200, 10, 200, 0);
    counted.answer(4999.9, 201, 10, 300, 1);
    counted.answer(5000, 200, 10, 400, 0);
    counted.end();
    const { outcomes, whole, bytes, latency } = counted.result();
    expect(outcomes.statuses).toEqual({ '200': 1, '201': 1 });
    expect(whole.statuses).toEqual({ '200': 3, '201': 1 });
    expect(bytes).toBe(20);
    expect(latency).toMatchObject({ count: 2, meanUs: 250 });
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
    counted.failure({ atMs: 6000, kind: 'errors', waitedMs: 5000, name: 0 });
    expect(counted.end()).toMatchObject({ ok: 0, latencyUs: null });
    expect(counted.result()).toMatchObject({
      outcomes: { statuses: { '409': 1, '500': 1 }, errors: 0, timeouts: 1 },
      whole: { statuses: { '409': 1, '500': 1 }, errors: 1, timeouts: 1 },
      bytes: 0,
      latency: { count: 0 },
    });
  });

  it('a request that hung in any part of a window and was given up later has failed in it', () => {
    const counted = tally();
    const giveUp = (atMs: number, waitedMs: number) => {
      const before = counted.result().outcomes.timeouts;
      counted.failure({ atMs, kind: 'timeouts', waitedMs, name: 0 });
      return counted.result().outcomes.timeouts - before;
    };
    // The window is from 1000 to 5000.
    expect(giveUp(900, 800)).toBe(0);
    expect(giveUp(1100, 1050)).toBe(1);
    expect(giveUp(7000, 6900)).toBe(1);
    expect(giveUp(7000, 2010)).toBe(1);
    expect(giveUp(7000, 1990)).toBe(0);
    counted.end();
    expect(counted.result().whole.timeouts).toBe(5);
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
    counted.answer(10, 200, 1, 100, 0);
    counted.answer(50, 503, 1, 9000, 0);
    expect(counted.end()).toEqual({
      ok: 1,
      // What came at 10 was under way until then.
      okByTime: 0,
      latencyUs: 300,
      whole: { statuses: { '200': 2, '503': 1 }, errors: 0, timeouts: 0 },
      wholeOk: 2,
    });
    counted.begin({ fromMs: 20, toMs: 80 });
    counted.answer(15, 200, 1, 700, 0);
    counted.answer(21, 200, 1, 200, 0);
    counted.failure({ atMs: 79, kind: 'errors', waitedMs: 1, name: 0 });
    counted.answer(80.2, 200, 1, 400, 0);
    // Half of what came at 80.2 after 400 us, all of what came at 21 after 200.
    expect(counted.end()).toEqual({
      ok: 1,
      okByTime: 1.5,
      latencyUs: 433.3333333333333,
      whole: { statuses: { '200': 3 }, errors: 1, timeouts: 0 },
      wholeOk: 3,
    });
    expect(counted.result()).toMatchObject({
      windowMs: 150,
      busyMs: expect.closeTo(9 + 0.2 + 0.2),
      outcomes: { statuses: { '200': 2, '503': 1 }, errors: 1, timeouts: 0 },
      whole: { statuses: { '200': 5, '503': 1 }, errors: 1, timeouts: 0 },
      latency: { count: 2, meanUs: 150 },
    });
    expect(counted.ok).toBe(5);
  });

  it('of an open loop counts by when a request was due, and what was not sent', () => {
    const counted = createTally({ names: ['get'] }, { countsBy: 'due' });
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

  it('a window ends with a turn that is over before it', () => {
    const counted = createTally({ names: ['get'] });
    counted.begin({ fromMs: 0, toMs: 60_000 });
    counted.answer(700, 200, 10, 100, 0);
    counted.end(700.5);
    expect(counted.result().windowMs).toBe(700.5);
  });
});
