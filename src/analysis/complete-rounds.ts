import type { CountersRecord, SliceRecord, VoidReason, WarmupRecord } from '../journal/records.ts';
import type { MeasuredSlice } from './cell-sample.ts';
import type { JournalSoFar } from './observations.ts';
import { voidReasonsOf } from './validity.ts';

/** A slice, and why it does not count (empty where it does). */
interface JudgedSlice extends MeasuredSlice {
  readonly voided: readonly VoidReason[];
}

export interface CompleteRound {
  readonly slices: readonly JudgedSlice[];
  /** Names of the arms whose warm-up reached its cap. */
  readonly unsteadyArms: readonly string[];
}

/** What is known of a round that has begun. */
interface OpenRound {
  readonly slices: SliceRecord[];
  readonly counters: Map<number, CountersRecord>;
  readonly warmups: WarmupRecord[];
}

/**
 * A resumed run begins its unfinished round again under the same number, and nothing is kept of the first attempt:
 * its arms were other processes.
 */
export function collectRounds({ run, records }: JournalSoFar): {
  complete: Map<number, CompleteRound>;
  ignoredSlices: number;
} {
  const open = new Map<number, OpenRound>();
  const complete = new Map<number, CompleteRound>();
  let ignoredSlices = 0;
  const dropOpen = (): void => {
    for (const { slices } of open.values()) ignoredSlices += slices.length;
    open.clear();
  };
  const openRound = (number: number): OpenRound => {
    const round = open.get(number) ?? { slices: [], counters: new Map<number, CountersRecord>(), warmups: [] };
    open.set(number, round);
    return round;
  };
  for (const record of records) {
    if (record.type === 'resume') dropOpen();
    else if (record.type === 'slice') openRound(record.round).slices.push(record);
    else if (record.type === 'counters') openRound(record.round).counters.set(record.slice, record);
    else if (record.type === 'warmup') openRound(record.round).warmups.push(record);
    else if (record.type === 'round') {
      complete.set(record.round, closeRound(openRound(record.round), run.scenario.load));
      open.delete(record.round);
    }
  }
  dropOpen();
  return { complete, ignoredSlices };
}

type LoadSpec = JournalSoFar['run']['scenario']['load'];

function closeRound({ slices, counters, warmups }: OpenRound, load: LoadSpec): CompleteRound {
  // Several attempts may stand at one place in the round; its counters are those of the last.
  const last = new Map(slices.map((slice) => [slice.slice, slice]));
  return {
    slices: slices.map((slice) => {
      const own = last.get(slice.slice) === slice ? (counters.get(slice.slice) ?? null) : null;
      return { slice, counters: own, voided: voidReasonsOf(slice, own, load) };
    }),
    unsteadyArms: warmups.filter(({ steady }) => steady === false).map(({ arm }) => arm),
  };
}
