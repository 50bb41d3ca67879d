import { expect, it } from 'vitest';
import type { JournalRecord, SliceRecord } from '../../../../src/journal/records.ts';
import type { WarmupRecord } from '../../../../src/journal/uncounted-records.ts';
import { visitRounds } from '../../../../src/judge/read/rounds/complete-rounds.ts';
import { gatherTrends } from '../../../../src/judge/read/rounds/workload-trends.ts';
import { fixtureJournal } from '../../journal-fixture.ts';

const TURNS = 10;
const { run, records } = fixtureJournal({
  variants: ['a', 'b'],
  control: 'a',
  connections: [1, 25],
  rounds: 4,
  requestsPerSecond: 100,
});

/** The run with the growth of each round over every slice, and a warm-up of each arm by this many requests. */
function trends(growths: readonly number[], wanted: readonly (number | undefined)[]) {
  const moved = records.flatMap((record: JournalRecord): JournalRecord[] => {
    if (record.type === 'round') return [...warmups(record.round, wanted[record.round - 1]), record];
    return [record.type === 'slice' ? grown(record, growths[record.round - 1] ?? 0) : record];
  });
  const seen = gatherTrends();
  visitRounds({ run, records: moved }, seen.add);
  return seen.trends();
}

function grown(slice: SliceRecord, growth: number): SliceRecord {
  const ok = Array.from({ length: TURNS }, (_, turn) => 1e6 * (1 + growth * ((turn + 0.5) / TURNS - 0.5)));
  return {
    ...slice,
    turns: { turnMs: 250, gapMaxMs: 0, ok, okByTime: ok },
    whole: { statuses: { 200: 5000 }, errors: 0, timeouts: 0 },
  };
}

function warmups(round: number, wanted: number | undefined): WarmupRecord[] {
  return ['a', 'a (A/A)', 'b'].map((arm, index) => ({
    type: 'warmup',
    round,
    arm,
    load: { connections: 25 },
    durationMs: 2000 + 1000 * index,
    outcomes: { 200: wanted ?? 3000 },
    turns: [1, 1, 1],
    ...(wanted !== undefined && { wanted }),
  }));
}

it('are one value a pass, of the rounds with the last length of warm-up', () => {
  const [trend, ...others] = trends([0.5, 0.5, 0.1, 0.3], [3000, 3000, 6000, 6000]);
  expect(others).toEqual([]);
  // Two load levels of the workload in each of two rounds.
  expect(trend).toMatchObject({ passes: 4, sliceRequests: 5000, perS: 1500 });
  expect(trend?.growth).toBeCloseTo((Math.log(1.05 / 0.95) + Math.log(1.15 / 0.85)) / 2, 6);
  expect(trend?.squares).toBeCloseTo((Math.log(1.15 / 0.85) - Math.log(1.05 / 0.95)) ** 2, 6);
  expect(trends([0.5, 0.5, 0.1, 0.3], [3000, 3000, 3000, 3000])[0]?.passes).toBe(8);
});

it('are none where a warm-up is a time', () => {
  expect(trends([0.5, 0.5, 0.5, 0.5], [])).toEqual([]);
});
