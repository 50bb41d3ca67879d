import type { Journal } from '../journal/journal.ts';
import type { CountersRecord, SliceRecord } from '../journal/records.ts';
import type { LoadLevel, ResolvedScenario } from '../journal/scenario-record.ts';
import { type CellSample, type MeasuredSlice, sampleOf } from './cell-sample.ts';
import { loadKey } from './load-level.ts';

/** Which arm of which cell. `repeat` is the control's second arm (A/A). */
export interface ArmCell {
  readonly variant: string;
  readonly load: LoadLevel;
  readonly repeat: boolean;
}

/** What a journal holds for judging: the slices of its complete rounds, by cell. */
export interface Observations {
  readonly scenario: ResolvedScenario;
  readonly quick: boolean;
  /** The complete rounds, ascending. */
  readonly rounds: readonly number[];
  /** Slices of rounds that were never completed: not judged. */
  readonly ignoredSlices: number;
  /** By round, one sample of the cell; a round without slices of the cell is not in the map. */
  samples(cell: ArmCell): ReadonlyMap<number, CellSample>;
  /** All complete rounds of the cells merged into one sample; null where there is no slice. */
  merged(cells: readonly ArmCell[]): CellSample | null;
}

/** What is judged of a journal; a run that is still going on has no more than this. */
export type JournalSoFar = Pick<Journal, 'run' | 'records'>;

/** Sorts a journal's slices into complete rounds and cells. Cheap: no histogram is decoded before it is asked for. */
export function observe(journal: JournalSoFar): Observations {
  const { complete, ignoredSlices } = collectRounds(journal);
  const rounds = [...complete.keys()].sort((a, b) => a - b);
  const cells = new Map<string, Map<number, MeasuredSlice[]>>();
  for (const round of rounds) {
    for (const measured of complete.get(round) ?? []) {
      const key = keyOf(measured.slice);
      const byRound = cells.get(key) ?? new Map<number, MeasuredSlice[]>();
      byRound.set(round, [...(byRound.get(round) ?? []), measured]);
      cells.set(key, byRound);
    }
  }
  const samples = new Map<string, ReadonlyMap<number, CellSample>>();
  for (const [key, byRound] of cells) {
    samples.set(key, new Map([...byRound].map(([round, measured]) => [round, sampleOf(measured)])));
  }
  const merged = new Map<string, CellSample | null>();
  const noSamples: ReadonlyMap<number, CellSample> = new Map();
  return {
    scenario: journal.run.scenario,
    quick: journal.run.quick,
    rounds,
    ignoredSlices,
    samples: (cell) => samples.get(keyOf(cell)) ?? noSamples,
    merged(wanted) {
      const key = wanted.map(keyOf).join();
      let sample = merged.get(key);
      if (sample === undefined) {
        const all = wanted.flatMap((cell) => [...(cells.get(keyOf(cell))?.values() ?? [])].flat());
        sample = all.length === 0 ? null : sampleOf(all);
        merged.set(key, sample);
      }
      return sample;
    },
  };
}

function keyOf(cell: ArmCell): string {
  return JSON.stringify([cell.variant, loadKey(cell.load), cell.repeat]);
}

/** What is known of a round that has begun. */
interface OpenRound {
  readonly slices: SliceRecord[];
  readonly counters: Map<number, CountersRecord>;
}

/**
 * A resumed run begins its unfinished round again under the same number, and nothing is kept of the first attempt:
 * its arms were other processes.
 */
function collectRounds({ records }: JournalSoFar): { complete: Map<number, MeasuredSlice[]>; ignoredSlices: number } {
  const open = new Map<number, OpenRound>();
  const complete = new Map<number, MeasuredSlice[]>();
  let ignoredSlices = 0;
  const dropOpen = (): void => {
    for (const { slices } of open.values()) ignoredSlices += slices.length;
    open.clear();
  };
  const openRound = (number: number): OpenRound => {
    const round = open.get(number) ?? { slices: [], counters: new Map<number, CountersRecord>() };
    open.set(number, round);
    return round;
  };
  for (const record of records) {
    if (record.type === 'resume') dropOpen();
    else if (record.type === 'slice') openRound(record.round).slices.push(record);
    else if (record.type === 'counters') openRound(record.round).counters.set(record.slice, record);
    else if (record.type === 'round') {
      const { slices, counters } = openRound(record.round);
      complete.set(
        record.round,
        slices.map((slice) => ({ slice, counters: counters.get(slice.slice) ?? null })),
      );
      open.delete(record.round);
    }
  }
  dropOpen();
  return { complete, ignoredSlices };
}
