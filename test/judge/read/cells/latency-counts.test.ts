import { expect, test } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import { createLatencyHistogram } from '../../../../src/journal/histogram.ts';
import type { LatencyRecord } from '../../../../src/journal/records.ts';
import { LatencyCounts } from '../../../../src/judge/read/cells/latency-counts.ts';
import { mergeLatencies } from '../../../fixtures/merge-latencies.ts';
import { normal } from '../../journal-fixture.ts';

function countsOf(records: readonly LatencyRecord[]): LatencyCounts {
  const counts = new LatencyCounts();
  for (const one of records) counts.addRecord(one);
  return counts;
}

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
    const { meanUs, maxUs, p999Us, ...figures } = countsOf(parts).figures();
    // Of some 600 latencies the longest.
    expect(p999Us).toBeGreaterThanOrEqual(maxUs * 0.999);
    expect({ ...figures, maxUs: expected.maxUs, meanUs: expected.meanUs }).toEqual(expected);
    expect(meanUs).toBeCloseTo(expected.meanUs, 6);
    // HdrHistogram rounds it up to the end of its bucket.
    expect(maxUs).toBeLessThanOrEqual(expected.maxUs);
    expect(maxUs).toBeGreaterThanOrEqual(expected.maxUs * 0.999);
  }
});

test('what was merged may be merged again, in any order, and nothing is left over from before', () => {
  const parts = [record(500, 300, 1), record(90_000, 20, 2), record(4, 70, 3)];
  const expected = countsOf(parts).figures();
  const again = new LatencyCounts();
  const used = countsOf([record(7, 1000, 4)]);
  for (const part of [...parts].reverse()) {
    used.clear();
    used.addRecord(part);
    again.add(used);
  }
  expect(again.figures()).toEqual({ ...expected, meanUs: expect.closeTo(expected.meanUs, 6) });
  expect(countsOf([]).figures()).toEqual({ count: 0, meanUs: 0, p50Us: 0, p95Us: 0, p99Us: 0, p999Us: 0, maxUs: 0 });
});

test('the distribution is that of the latencies, to three digits', () => {
  const random = createRandom(5);
  const latencies = Array.from({ length: 4001 }, () => 3000 * Math.exp(0.7 * normal(random)));
  const [half, other] = [createLatencyHistogram(), createLatencyHistogram()];
  for (const [i, us] of latencies.entries()) (i % 2 === 0 ? half : other).record(us);
  const distribution = countsOf([half.toRecord(), other.toRecord()]).distribution();
  const sorted = [...latencies].sort((a, b) => a - b);
  const mean = latencies.reduce((sum, us) => sum + us, 0) / latencies.length;
  const variance = latencies.reduce((sum, us) => sum + (us - mean) ** 2, 0) / (latencies.length - 1);
  const near = (found: number | undefined, us: number | undefined): void =>
    expect(Math.abs((found ?? Number.NaN) / ((us ?? Number.NaN) / 1000) - 1)).toBeLessThan(0.002);
  expect(distribution?.count).toBe(4001);
  near(distribution?.minMs, sorted[0]);
  near(distribution?.meanMs, mean);
  near(distribution?.sdMs, Math.sqrt(variance));
  near(distribution?.maxMs, sorted.at(-1));
  for (const percent of [50, 66, 75, 80, 90, 95, 98, 99, 100]) {
    near(distribution?.percentilesMs[percent], sorted[Math.ceil((percent / 100) * 4001) - 1]);
  }
  expect(new LatencyCounts().distribution()).toBeNull();
  const single = createLatencyHistogram();
  single.record(2500);
  expect(countsOf([single.toRecord()]).distribution()).toMatchObject({ minMs: 2.5, sdMs: 0, maxMs: 2.5 });
});

test('percentiles rise, agree with the figures, and end at the largest', () => {
  const counts = countsOf([record(500, 3000, 1), record(90_000, 200, 2)]);
  const { p50Us, p95Us, p99Us, maxUs, count } = counts.figures();
  expect(counts.count).toBe(count);
  const percentiles = counts.percentilesUs([0, 50, 95, 99, 99.9, 100]);
  expect(percentiles).toEqual([...percentiles].sort((a, b) => a - b));
  expect([percentiles[1], percentiles[2], percentiles[3], percentiles[5]]).toEqual([p50Us, p95Us, p99Us, maxUs]);
  expect(countsOf([]).percentilesUs([50, 100])).toEqual([0, 0]);
});
