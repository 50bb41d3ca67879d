import { inflateSync } from 'node:zlib';
import * as hdr from 'hdr-histogram-js';
import { expect, it } from 'vitest';
import { createRandom } from '../../src/base/random.ts';
import { createLatencyHistogram } from '../../src/journal/histogram.ts';
import { mergeLatencies } from '../fixtures/merge-latencies.ts';

function quantile(sorted: readonly number[], percent: number): number {
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? Number.NaN;
}

it('percentiles are within three digits of the true ones, also merged', () => {
  const random = createRandom(1);
  const values = Array.from({ length: 20_000 }, () => Math.round(Math.exp(5 + 4 * random.next())));
  const parts = [values.slice(0, 7000), values.slice(7000, 7100), values.slice(7100)].map((part) => {
    const histogram = createLatencyHistogram();
    for (const value of part) histogram.record(value);
    return histogram.toRecord();
  });
  const merged = mergeLatencies(parts);
  const sorted = [...values].sort((a, b) => a - b);
  expect(merged.count).toBe(20_000);
  expect(merged.meanUs).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length, 6);
  for (const [percent, value] of [
    [50, merged.p50Us],
    [95, merged.p95Us],
    [99, merged.p99Us],
  ] as const) {
    expect(Math.abs(value / quantile(sorted, percent) - 1)).toBeLessThan(0.001);
  }
});

it('a tenth of a millisecond is a tenth, and more than ten minutes is ten', () => {
  const histogram = createLatencyHistogram();
  histogram.record(110);
  expect(histogram.toRecord()).toMatchObject({ count: 1, meanUs: 110, p50Us: 110 });
  histogram.record(1e12);
  expect(histogram.toRecord().maxUs).toBeGreaterThanOrEqual(6e8);
});

it('no latencies at all are zeros, and merge with others', () => {
  const empty = createLatencyHistogram().toRecord();
  const one = createLatencyHistogram();
  one.record(5);
  expect(empty).toMatchObject({ count: 0, meanUs: 0, p99Us: 0 });
  expect(mergeLatencies([empty, one.toRecord(), empty])).toMatchObject({ count: 1, p50Us: 5 });
});

it('is encoded as HdrHistogram does, without its compression', () => {
  const random = createRandom(3);
  for (const [count, most] of [
    [1, 1],
    [3, 100],
    [50, 3000],
    [2000, 6e8],
    [2000, 2e5],
  ] as const) {
    const own = createLatencyHistogram();
    const theirs = hdr.build({
      lowestDiscernibleValue: 1,
      highestTrackableValue: 6e8,
      numberOfSignificantValueDigits: 3,
    });
    theirs.autoResize = true;
    for (let i = 0; i < count; i++) {
      const latencyUs = Math.round(most * random.next() ** 4);
      const times = i % 9 === 0 ? Math.ceil(1e7 * random.next()) : 1;
      own.record(latencyUs, times);
      theirs.recordValueWithCount(latencyUs, times);
    }
    const compressed = Buffer.from(hdr.encodeIntoCompressedBase64(theirs), 'base64');
    expect(own.toRecord().histogram).toBe(inflateSync(compressed.subarray(8)).toString('base64'));
  }
});
