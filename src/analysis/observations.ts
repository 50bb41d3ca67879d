import type { Journal } from '../journal/journal.ts';
import { loadKey } from '../journal/load-level.ts';
import type { VoidReason } from '../journal/records.ts';
import type { LoadLevel, ResolvedScenario } from '../journal/scenario-record.ts';
import { type CellSample, type MeasuredSlice, mergeSamples, sampleOf } from './cell-sample.ts';
import { collectRounds } from './complete-rounds.ts';
import { countVoids, type VoidCounts } from './void-counts.ts';

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
  /** Of all slices of complete rounds, every attempt counted. */
  readonly voids: VoidCounts;
  voidsOf(cell: ArmCell): VoidCounts;
  /** In how many rounds the cell's arm was not yet steady when its warm-up ended. */
  unsteadyRounds(cell: ArmCell): number;
  /** All complete rounds of the cells merged into one sample; null where there is no slice. */
  merged(cells: readonly ArmCell[]): CellSample | null;
}

/** What is judged of a journal; a run that is still going on has no more than this. */
export type JournalSoFar = Pick<Journal, 'run' | 'records'>;

/** Void slices are left out of what is judged; they are kept where nothing is judged and people look at numbers. */
export type VoidSlices = 'left out' | 'kept';

/** Sorts a journal's slices into complete rounds and cells. Cheap: no histogram is decoded before it is asked for. */
export function observe(journal: JournalSoFar, voidSlices: VoidSlices = 'left out'): Observations {
  const { complete, ignoredSlices } = collectRounds(journal);
  const rounds = [...complete.keys()].sort((a, b) => a - b);
  const cells = new Map<string, Map<number, MeasuredSlice[]>>();
  const reasons = new Map<string, (readonly VoidReason[])[]>();
  const unsteady = new Map<string, Set<number>>();
  for (const round of rounds) {
    const { slices, unsteadyArms } = complete.get(round) ?? { slices: [], unsteadyArms: [] };
    for (const { voided, ...measured } of slices) {
      const key = keyOf(measured.slice);
      const ofCell = reasons.get(key) ?? [];
      ofCell.push(voided);
      reasons.set(key, ofCell);
      if (unsteadyArms.includes(measured.slice.arm)) unsteady.set(key, (unsteady.get(key) ?? new Set()).add(round));
      if (voided.length > 0 && voidSlices === 'left out') continue;
      const byRound = cells.get(key) ?? new Map<number, MeasuredSlice[]>();
      byRound.set(round, [...(byRound.get(round) ?? []), measured]);
      cells.set(key, byRound);
    }
  }
  const voids = countVoids([...reasons.values()].flat());
  const voidsOf = (cell: ArmCell): VoidCounts => countVoids(reasons.get(keyOf(cell)) ?? []);
  return {
    scenario: journal.run.scenario,
    quick: journal.run.quick,
    rounds,
    ignoredSlices,
    voids,
    voidsOf,
    unsteadyRounds: (cell) => unsteady.get(keyOf(cell))?.size ?? 0,
    ...sampled(cells),
  };
}

/** The samples of the cells, by round and over all rounds; each is made once. */
function sampled(
  cells: ReadonlyMap<string, ReadonlyMap<number, readonly MeasuredSlice[]>>,
): Pick<Observations, 'samples' | 'merged'> {
  const samples = new Map<string, ReadonlyMap<number, CellSample>>();
  for (const [key, byRound] of cells) {
    samples.set(key, new Map([...byRound].map(([round, measured]) => [round, sampleOf(measured)])));
  }
  const merged = new Map<string, CellSample | null>();
  const noSamples: ReadonlyMap<number, CellSample> = new Map();
  return {
    samples: (cell) => samples.get(keyOf(cell)) ?? noSamples,
    merged(wanted) {
      const key = wanted.map(keyOf).join();
      let sample = merged.get(key);
      if (sample === undefined) {
        const all = wanted.flatMap((cell) => [...(samples.get(keyOf(cell))?.values() ?? [])]);
        sample = all.length === 0 ? null : mergeSamples(all);
        merged.set(key, sample);
      }
      return sample;
    },
  };
}

function keyOf(cell: ArmCell): string {
  return JSON.stringify([cell.variant, loadKey(cell.load), cell.repeat]);
}
