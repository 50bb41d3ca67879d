import { expect, test } from 'vitest';
import { createLatencyHistogram } from '../../../../src/journal/histogram.ts';
import type { LatencyRecord, PartsRecord } from '../../../../src/journal/records.ts';
import { LatencyCounts, PartCounts, spreadOf } from '../../../../src/judge/read/cells/latency-counts.ts';

const record = (...values: number[]): LatencyRecord => {
  const histogram = createLatencyHistogram();
  for (const value of values) histogram.record(value);
  return histogram.toRecord();
};

const spread = (...values: number[]) => {
  const counts = new LatencyCounts();
  counts.addRecord(record(...values));
  const distribution = counts.distribution();
  return distribution && spreadOf(distribution);
};

interface Round {
  readonly latency: LatencyRecord;
  readonly parts?: PartsRecord;
}

function added(rounds: readonly Round[]): { readonly parts: PartCounts; readonly latencies: LatencyCounts } {
  const [parts, latencies] = [new PartCounts(), new LatencyCounts()];
  for (const round of rounds) {
    parts.addSlices([round], latencies);
    latencies.addRecord(round.latency);
  }
  return { parts, latencies };
}

/** Connections that stay open and answers in one piece, then neither. */
const alike: Round = { latency: record(1000, 2000), parts: {} };
const pieces: Round = { latency: record(3000), parts: { waiting: record(500) } };
const opening: Round = { latency: record(9000), parts: { connect: record(4000), processing: record(5000) } };

const all = {
  connect: spread(0, 0, 0, 4000),
  processing: spread(1000, 2000, 3000, 5000),
  waiting: spread(1000, 2000, 500, 5000),
};

test.each([
  ['as they come', [alike, pieces, opening]],
  ['in another order', [opening, pieces, alike]],
  ['in yet another', [pieces, opening, alike]],
])('what slices leave out is added up with what others tell: %s', (_, rounds) => {
  const { parts, latencies } = added(rounds);
  expect(parts.spreads(latencies)).toEqual(all);
});

test.each([0, 1, 2, 3])('lots that are joined are as if all were one: %d in the first', (size) => {
  const rounds = [alike, pieces, opening];
  const lots = [added(rounds.slice(0, size)), added(rounds.slice(size))];
  const { latencies } = added(rounds);
  expect(PartCounts.joined(lots).spreads(latencies)).toEqual(all);
});

test('where nothing differs, processing and waiting are the latencies', () => {
  const { parts, latencies } = added([alike, alike]);
  const total = spread(1000, 2000, 1000, 2000);
  expect(parts.spreads(latencies)).toEqual({ connect: spread(0), processing: total, waiting: total });
});

test('with a slice that has none nothing is known; one without answers does no harm', () => {
  const old = added([alike, { latency: record(1000) }, pieces]);
  expect(old.parts.spreads(old.latencies)).toBeNull();
  const empty = added([alike, { latency: record() }, pieces, opening]);
  expect(empty.parts.spreads(empty.latencies)).toEqual(all);
});
