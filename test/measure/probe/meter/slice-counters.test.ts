import { expect, it } from 'vitest';
import type { CountersRecord, DatabaseCounters, SliceRecord } from '../../../../src/journal/records.ts';
import { SETTLE_MS } from '../../../../src/measure/probe/meter/database-counters.ts';
import { createSliceCounters } from '../../../../src/measure/probe/meter/slice-counters.ts';
import { fakeClock } from '../../../fixtures/fake-clock.ts';

/** A slice of 100 transactions, after which the bench works in the database for that time. Its sessions report `SETTLE_MS` after it. */
async function countedBeside(ownWorkMs: number): Promise<number[]> {
  const clock = fakeClock();
  const records: CountersRecord[] = [];
  let [endedAtMs, own] = [Number.POSITIVE_INFINITY, 0];
  const committed = (): number => own + (clock.nowMs() >= endedAtMs + SETTLE_MS || isClosed ? 100 : 0);
  let isClosed = false;
  const counters = createSliceCounters({
    reader: {
      read: async () => new Map([['a', { xact_commit: committed() } as DatabaseCounters]]),
      connectionCount: async () => 0,
      holdingBack: async () => new Set(),
      clockSet: async () => new Set(),
      close: async () => {},
    },
    clock,
    settleMs: SETTLE_MS,
    write: (record) => void records.push(record),
  });
  await counters.beforeLoad('a', () => {});
  clock.advance(3000);
  endedAtMs = clock.nowMs();
  counters.afterSlice('a', { round: 1, slice: 0, arm: 'a', loadMs: 3000 } as SliceRecord, endedAtMs);
  await counters.ownWork(['a'], [endedAtMs], async () => {
    own += 7;
    clock.advance(ownWorkMs);
  });
  isClosed = true;
  await counters.afterStop('a');
  return records.map(({ delta }) => delta.xact_commit);
}

it('the counters of a slice have nothing of the work of the bench beside it', async () => {
  expect(await countedBeside(500)).toEqual([100]);
});

it('a slice has no counters where that work took so long that its sessions have reported meanwhile', async () => {
  expect(await countedBeside(SETTLE_MS + 100)).toEqual([]);
});

it('a slice has no counters where the time of the server was set: its sessions may not have reported yet', async () => {
  const clock = fakeClock();
  const records: CountersRecord[] = [];
  let [commits, isSet] = [0, false];
  const counters = createSliceCounters({
    reader: {
      read: async () => new Map([['a', { xact_commit: commits } as DatabaseCounters]]),
      connectionCount: async () => 0,
      holdingBack: async () => new Set(),
      clockSet: async (names) => new Set(isSet ? names : []),
      close: async () => {},
    },
    clock,
    settleMs: SETTLE_MS,
    write: (record) => void records.push(record),
  });
  const load = async (slice: number): Promise<void> => {
    await counters.beforeLoad('a', () => {});
    commits += 100;
    counters.afterSlice('a', { round: 1, slice, arm: 'a', loadMs: 3000 } as SliceRecord, clock.nowMs());
  };
  await load(0);
  await load(1);
  isSet = true;
  await load(2);
  isSet = false;
  // The reading before slice 2 did not hold, either.
  await load(3);
  await load(4);
  expect(records.map(({ slice }) => slice)).toEqual([0, 3]);
});
