import { expect, test } from 'vitest';
import { countsOf, figuresOf, mergeCounts } from '../../src/analysis/latency-counts.ts';
import { createRandom } from '../../src/base/random.ts';
import { createLatencyHistogram } from '../../src/journal/histogram.ts';
import type { LatencyRecord } from '../../src/journal/records.ts';
import { mergeLatencies } from '../fixtures/merge-latencies.ts';
import { normal } from './journal-fixture.ts';

/** Latencies around `centreUs`, over several orders of magnitude. */
function record(centreUs: number, count: number, seed: number): LatencyRecord {
  const random = createRandom(seed);
  const histogram = createLatencyHistogram();
  for (let i = 0; i < count; i++) histogram.record(centreUs * Math.exp(1.5 * normal(random)));
  return histogram.toRecord();
}

test('merging says what HdrHistogram itself says', () => {
  for (const centreUs of [1, 300, 8000, 2e6, 9e8]) {
    const parts = [
      record(centreUs, 1, 1),
      record(centreUs * 2, 500, 2),
      record(centreUs / 3, 0, 3),
      record(centreUs, 90, 4),
    ];
    const expected = mergeLatencies(parts);
    const { meanUs, maxUs, ...figures } = figuresOf(countsOf(parts));
    expect({ ...figures, maxUs: expected.maxUs, meanUs: expected.meanUs }).toEqual(expected);
    expect(meanUs).toBeCloseTo(expected.meanUs, 6);
    // HdrHistogram rounds it up to the end of its bucket.
    expect(maxUs).toBeLessThanOrEqual(expected.maxUs);
    expect(maxUs).toBeGreaterThanOrEqual(expected.maxUs * 0.999);
  }
});

test('what was merged may be merged again, in any order, and nothing is left over from before', () => {
  const parts = [record(500, 300, 1), record(90_000, 20, 2), record(4, 70, 3)];
  const counts = parts.map((part) => countsOf([part]));
  const again = mergeCounts([...counts].reverse().map((part) => ({ latencyCounts: () => part })));
  expect(again).toEqual(countsOf(parts));
  expect(figuresOf(countsOf([]))).toEqual({ count: 0, meanUs: 0, p50Us: 0, p95Us: 0, p99Us: 0, maxUs: 0 });
});
