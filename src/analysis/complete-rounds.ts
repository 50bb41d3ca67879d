import type { CountersRecord, ProbeRecord, SliceRecord, VoidReason, WarmupRecord } from '../journal/records.ts';
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
  /** By slice. */
  readonly probes: Map<number, ProbeRecord[]>;
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
    const round = open.get(number) ?? newRound();
    open.set(number, round);
    return round;
  };
  for (const record of records) {
    if (record.type === 'resume') dropOpen();
    else if (record.type === 'slice') openRound(record.round).slices.push(record);
    else if (record.type === 'counters') openRound(record.round).counters.set(record.slice, record);
    else if (record.type === 'probe') addProbe(openRound(record.round), record);
    else if (record.type === 'warmup') openRound(record.round).warmups.push(record);
    else if (record.type === 'round') {
      complete.set(record.round, closeRound(openRound(record.round), run.scenario.load));
      open.delete(record.round);
    }
  }
  dropOpen();
  return { complete, ignoredSlices };
}

function newRound(): OpenRound {
  return { slices: [], counters: new Map(), probes: new Map(), warmups: [] };
}

function addProbe({ probes }: OpenRound, record: ProbeRecord): void {
  const ofSlice = probes.get(record.slice) ?? [];
  ofSlice.push(record);
  probes.set(record.slice, ofSlice);
}

type LoadSpec = JournalSoFar['run']['scenario']['load'];

function closeRound({ slices, counters, probes, warmups }: OpenRound, load: LoadSpec): CompleteRound {
  // Several attempts may stand at one place in the round; its counters and what probes saw are those of the last.
  const last = new Map(slices.map((slice) => [slice.slice, slice]));
  return {
    slices: slices.map((slice) => {
      const isLast = last.get(slice.slice) === slice;
      const own = isLast ? (counters.get(slice.slice) ?? null) : null;
      const seen = isLast ? (probes.get(slice.slice) ?? []) : [];
      return { slice, counters: own, probes: seen, voided: voidReasonsOf(slice, own, load) };
    }),
    unsteadyArms: warmups.filter(({ steady }) => steady === false).map(({ arm }) => arm),
  };
}
