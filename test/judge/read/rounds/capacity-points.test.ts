import { expect, it } from 'vitest';
import { createLatencyHistogram } from '../../../../src/journal/histogram.ts';
import type { SliceRecord } from '../../../../src/journal/records.ts';
import { gatherCapacity } from '../../../../src/judge/read/rounds/capacity-points.ts';
import { fixtureJournal } from '../../journal-fixture.ts';
import { small } from '../../small-run.ts';

const { run, records } = fixtureJournal({ ...small, rounds: 1 });
const LOADS = [20, 30, 60, 90] as const;
const ROUNDS = [1, 2, 3];

/** The loads at which a p99 is known, by round, where an answer takes `load / 150` s and one slice has a stall of all connections. */
function knownBy(answers: number): (readonly number[])[] {
  const until = [{ metric: 'p99_ms', most: 500 }];
  const seen = gatherCapacity({
    ...run.scenario.load,
    capacity: { of: 'connections', from: 10, to: 90, until },
  });
  const [template] = records.flatMap((record) => (record.type === 'slice' ? [record] : []));
  for (const round of ROUNDS) {
    const slices = LOADS.map((connections) => {
      const histogram = createLatencyHistogram();
      const stalled = round === 2 && connections === 30 ? connections : 0;
      histogram.record((connections / 150) * 1e6, answers - stalled);
      histogram.record(1_200_000, stalled);
      const outcomes = { statuses: { '200': answers }, errors: 0, timeouts: 0 };
      const own = { round, load: { connections }, outcomes, latency: histogram.toRecord() };
      return { slice: { ...(template as SliceRecord), ...own }, counters: null, probes: [], voided: [] };
    });
    const facts = { passes: [], levels: [], unsteadyArms: [], bulkChecks: [], idle: [], refused: [] };
    seen.add({ round, slices, ...facts } as unknown as Parameters<typeof seen.add>[0]);
  }
  const points = seen.arms().flatMap((arm) => arm.points);
  return ROUNDS.map((round) =>
    points.flatMap((point) => (point.round === round && point.values.has('p99_ms') ? [point.load] : [])),
  );
}

it('a slice with a stall does not stand for others that have too few answers to contradict it', () => {
  // Enough for a p99.
  expect(knownBy(1000)).toEqual(ROUNDS.map(() => LOADS));
  // The limit is reached at 75 connections: all answers with 90 prove that it is broken.
  expect(knownBy(900)).toEqual([[90], [90], [90]]);
});
