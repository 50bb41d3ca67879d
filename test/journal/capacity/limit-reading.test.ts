import { describe, expect, it } from 'vitest';
import {
  type LimitedSlice,
  readAgainstLimit,
  readLimit,
  roughStress,
} from '../../../src/journal/capacity/limit-reading.ts';
import { createLatencyHistogram } from '../../../src/journal/histogram.ts';

function sliceOf(count: number, failed = 0, probes: Readonly<Record<string, number>> = {}): LimitedSlice {
  const latency = { count, meanUs: 12_000, p50Us: 10_000, p95Us: 50_000, p99Us: 90_000, maxUs: 99_000, histogram: '' };
  const outcomes = { statuses: { '200': count }, errors: 0, timeouts: failed };
  return { slice: { outcomes, latency }, probes: [{ values: probes }], timeoutMs: 10_000 };
}

/** Answers of 10 ms, some of 100 ms, and requests that failed. */
function mixedSlice(fast: number, slow: number, failed: number): LimitedSlice {
  const histogram = createLatencyHistogram();
  histogram.record(10_000, fast);
  histogram.record(100_000, slow);
  const outcomes = { statuses: { '200': fast + slow, '503': failed }, errors: 0, timeouts: 0 };
  return { slice: { outcomes, latency: histogram.toRecord() }, probes: [], timeoutMs: 10_000 };
}

describe('what a slice shows of a limit', () => {
  it('is its latency in ms, its share of failures, or what a probe saw', () => {
    const slice = sliceOf(2000, 0, { service_cpu_cores: 0.7, event_loop_lag_p99_ms: 3 });
    expect(readLimit('p50_ms', slice)).toBe(10);
    expect(readLimit('p95_ms', slice)).toBe(50);
    expect(readLimit('p99_ms', slice)).toBe(90);
    expect(readLimit('mean_ms', slice)).toBe(12);
    expect(readLimit('failed', sliceOf(99, 1))).toBe(0.01);
    expect(readLimit('service_cpu', slice)).toBe(0.7);
    expect(readLimit('event_loop_lag_p99_ms', slice)).toBe(3);
    expect(readLimit('no_such_metric', slice)).toBeNull();
  });

  it('is no percentile where too few answers lie above it, unless it need only be rough', () => {
    expect(readLimit('p95_ms', sliceOf(199))).toBeNull();
    expect(readLimit('p95_ms', sliceOf(200))).toBe(50);
    expect(readLimit('p99_ms', sliceOf(999))).toBeNull();
    expect(readLimit('p95_ms', sliceOf(1), true)).toBe(50);
  });

  it('is beyond all measure where more requests failed than lie above the percentile', () => {
    expect(readLimit('p95_ms', sliceOf(94, 6))).toBe(Number.POSITIVE_INFINITY);
    expect(readLimit('p50_ms', mixedSlice(940, 0, 60))).toBeCloseTo(10, 1);
    expect(readLimit('failed', sliceOf(0, 7))).toBe(1);
    expect(readLimit('failed', sliceOf(0, 0))).toBeNull();
  });
});

describe('a percentile of a slice in which fewer requests failed', () => {
  it('is that of all requests, of which the failed ones are the slowest', () => {
    expect(readLimit('p95_ms', mixedSlice(960, 40, 0))).toBeCloseTo(10, 1);
    expect(readLimit('p95_ms', mixedSlice(920, 40, 40))).toBeCloseTo(100, 0);
    expect(readLimit('p95_ms', mixedSlice(951, 9, 40))).toBeCloseTo(10, 1);
    expect(readLimit('p95_ms', mixedSlice(949, 11, 40))).toBeCloseTo(100, 0);
    expect(readLimit('p50_ms', mixedSlice(480, 220, 300))).toBeCloseTo(100, 0);
  });

  it('cannot be read from a histogram that is none', () => {
    const { slice } = mixedSlice(960, 0, 40);
    const broken = {
      slice: { ...slice, latency: { ...slice.latency, histogram: 'AAAA' } },
      probes: [],
      timeoutMs: 10_000,
    };
    expect(() => readLimit('p95_ms', broken)).toThrow('a histogram cannot be read');
  });
});

describe('a percentile of too few answers', () => {
  const limit = { metric: 'p99_ms', most: 50 };

  it('is known where they prove that it breaks its limit: at least by so much', () => {
    expect(readLimit('p99_ms', mixedSlice(0, 60, 0))).toBeNull();
    expect(readAgainstLimit(limit, mixedSlice(0, 60, 0))).toBeCloseTo(100, 0);
    expect(readAgainstLimit(limit, mixedSlice(188, 12, 0))).toBeCloseTo(100, 0);
    // Failed requests lie beyond it, too, if not so many that it is beyond all measure.
    expect(readAgainstLimit(limit, mixedSlice(785, 14, 1))).toBeNull();
    expect(readAgainstLimit(limit, mixedSlice(780, 13, 7))).toBeCloseTo(100, 0);
    expect(readAgainstLimit({ metric: 'p50_ms', most: 50 }, mixedSlice(0, 15, 0))).toBeCloseTo(100, 0);
  });

  it('is not where chance or one pause may have made them, where they keep it, and where there are enough', () => {
    expect(readAgainstLimit(limit, mixedSlice(0, 9, 0))).toBeNull();
    expect(readAgainstLimit(limit, mixedSlice(191, 9, 0))).toBeNull();
    expect(readAgainstLimit(limit, mixedSlice(883, 17, 0))).toBeNull();
    expect(readAgainstLimit({ ...limit, most: 200 }, mixedSlice(0, 60, 0))).toBeNull();
    expect(readAgainstLimit(limit, mixedSlice(1000, 0, 0))).toBeCloseTo(10, 1);
    expect(readAgainstLimit({ metric: 'failed', most: 0.01 }, mixedSlice(9, 0, 1))).toBe(0.1);
  });
});

describe('a mean of a slice in which requests failed', () => {
  it('has each of them as slow as the timeout, or as the slowest answer', () => {
    expect(readLimit('mean_ms', mixedSlice(500, 0, 500))).toBeCloseTo(5005);
    expect(readLimit('mean_ms', mixedSlice(500, 500, 0))).toBeCloseTo(55);
    expect(readLimit('mean_ms', mixedSlice(0, 0, 3))).toBe(10_000);
    expect(readLimit('mean_ms', mixedSlice(0, 0, 0))).toBeNull();
    expect(readLimit('mean_ms', { ...mixedSlice(50, 50, 100), timeoutMs: 20 })).toBeCloseTo(77.5, 0);
  });
});

describe('how far a slice is towards its limits', () => {
  it('is how far it is towards the nearest, as far as they are known', () => {
    const until = [
      { metric: 'p95_ms', most: 100 },
      { metric: 'failed', most: 0.01 },
      { metric: 'no_such_metric', most: 1 },
    ];
    expect(roughStress(until, sliceOf(1000))).toBe(0.5);
    expect(roughStress(until, mixedSlice(980, 0, 20))).toBeCloseTo(2);
    expect(roughStress([{ metric: 'no_such_metric', most: 1 }], sliceOf(1000))).toBeNull();
  });
});
