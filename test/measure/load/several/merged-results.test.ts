import { describe, expect, it } from 'vitest';
import { createLatencyHistogram, mergedLatencies } from '../../../../src/journal/histogram.ts';
import type { LoadResult, TurnResult } from '../../../../src/measure/load/load-generator.ts';
import { sharesOf } from '../../../../src/measure/load/several/helpers.ts';
import { mergedResults, mergedTurns } from '../../../../src/measure/load/several/merged-results.ts';

function latencies(...valuesUs: number[]) {
  const histogram = createLatencyHistogram();
  for (const valueUs of valuesUs) histogram.record(valueUs);
  return histogram.toRecord();
}

function result(changes: Partial<LoadResult>): LoadResult {
  const outcomes = { statuses: { 200: 2 }, errors: 0, timeouts: 0 };
  return {
    windowMs: 100,
    busyMs: 50,
    outcomes,
    bytes: 10,
    latency: latencies(1000, 2000),
    byRequest: {},
    whole: outcomes,
    startedAt: '2026-01-31T10:00:00.000Z',
    loadMs: 110,
    generator: { eventLoopUtilisation: 0.3, cpuMs: 20 },
    connectionsOpened: 3,
    reopened: 0,
    ...changes,
  };
}

describe('what several processes count', () => {
  it('is merged as if one had counted it', () => {
    const [one, other] = [
      [1000, 5000, 250_000],
      [3, 40, 5000, 9_999_999],
    ];
    expect(mergedLatencies([latencies(...one), latencies(), latencies(...other)])).toEqual({
      ...latencies(...one, ...other),
      meanUs: expect.closeTo(latencies(...one, ...other).meanUs, 6),
    });
    expect(mergedLatencies([latencies(), latencies()])).toEqual(latencies());
  });

  it('is added up; the busiest says how busy the generator was', () => {
    const merged = mergedResults([
      result({ latency: latencies(1000, 2000), byRequest: {} }),
      result({
        outcomes: { statuses: { 200: 1, 500: 1 }, errors: 2, timeouts: 1 },
        latency: latencies(4000),
        startedAt: '2026-01-31T09:59:59.999Z',
        loadMs: 120,
        generator: { eventLoopUtilisation: 0.9, cpuMs: 30 },
        serverTimes: { get: { db: 5 } },
      }),
    ]);
    expect(merged).toMatchObject({
      windowMs: 100,
      busyMs: 100,
      outcomes: { statuses: { 200: 3, 500: 1 }, errors: 2, timeouts: 1 },
      bytes: 20,
      startedAt: '2026-01-31T09:59:59.999Z',
      loadMs: 120,
      generator: { eventLoopUtilisation: 0.9, cpuMs: 50 },
      connectionsOpened: 6,
      serverTimes: { get: { db: 5 } },
    });
    expect(merged.latency).toEqual(latencies(1000, 2000, 4000));
    expect(merged).not.toHaveProperty('ok');
    expect(merged).not.toHaveProperty('parts');
  });

  it('has the parts of latencies that any of them tells', () => {
    const plain = result({ latency: latencies(1000), parts: {} });
    const opened = result({
      latency: latencies(5000),
      parts: { connect: latencies(4000), processing: latencies(1000), waiting: latencies(500) },
    });
    expect(mergedResults([plain, plain]).parts).toEqual({});
    expect(mergedResults([plain, opened]).parts).toEqual({
      connect: latencies(0, 4000),
      processing: latencies(1000, 1000),
      waiting: latencies(1000, 500),
    });
  });

  it('in a turn is that of all, with the first failure', () => {
    const turn: TurnResult = {
      wallMs: 50,
      ok: 2,
      okByTime: 2.5,
      okWithin: 3,
      latencyUs: 100,
      whole: { statuses: { 200: 3 }, errors: 0, timeouts: 0 },
      wholeOk: 3,
    };
    const none: TurnResult = {
      ...turn,
      ok: 0,
      okByTime: 0,
      okWithin: 1,
      latencyUs: null,
      whole: { statuses: { 500: 1 }, errors: 0, timeouts: 0 },
      wholeOk: 0,
      failure: { status: 500, text: 'no' },
    };
    expect(mergedTurns([turn, { ...turn, wallMs: 60, latencyUs: 400, wholeOk: 1 }, none])).toEqual({
      wallMs: 60,
      ok: 4,
      okByTime: 5,
      okWithin: 7,
      latencyUs: 175,
      whole: { statuses: { 200: 6, 500: 1 }, errors: 0, timeouts: 0 },
      wholeOk: 4,
      failure: { status: 500, text: 'no' },
    });
    expect(mergedTurns([none]).latencyUs).toBeNull();
  });
});

it('connections are dealt among processes, and nobody has none', () => {
  const job = { url: '', load: { connections: 10 }, seed: 7, timeoutMs: 1000 };
  const shares = sharesOf(job, 4);
  expect(shares.map(({ load }) => load.connections)).toEqual([3, 3, 2, 2]);
  expect(new Set(shares.map(({ seed }) => seed)).size).toBe(4);
  expect(shares[0]?.seed).toBe(7);
  expect(sharesOf({ ...job, load: { connections: 2 } }, 4).map(({ load }) => load.connections)).toEqual([1, 1]);
});
