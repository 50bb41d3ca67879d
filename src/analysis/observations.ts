import type { Journal } from '../journal/journal.ts';
import { loadKey } from '../journal/load-level.ts';
import type { VoidReason } from '../journal/records.ts';
import type { LoadLevel, ResolvedScenario } from '../journal/scenario-record.ts';
import type { IndexesRecord } from '../journal/treatment-records.ts';
import { type BulkLoad, type BulkTotals, bulkLoadOf, bulkTotals } from './bulk-loads.ts';
import { type CellSample, type MeasuredSlice, mergeSamples, sampleOf } from './cell-sample.ts';
import { closesConnections } from './closing-services.ts';
import { type BesideRounds, type CompleteRound, type JudgedSlice, visitRounds } from './complete-rounds.ts';
import { addRound, type CellDetail, mergeDetails, newDetail } from './diagnosis/cell-detail.ts';
import { LatencyCounts, type LatencyFigures } from './latency-counts.ts';
import type { Metric } from './metrics.ts';
import { remembered } from './remembered.ts';
import { controlSeries, readSeries, type Series } from './series.ts';
import { countVoids, type VoidCounts } from './void-counts.ts';

/** Which arm of which cell. `repeat` is the control's second arm (A/A). */
export interface ArmCell {
  readonly variant: string;
  readonly load: LoadLevel;
  readonly repeat: boolean;
}

/** What a journal holds for judging: the slices of its complete rounds, by cell. */
export interface Observations extends BesideRounds {
  readonly scenario: ResolvedScenario;
  readonly quick: boolean;
  /** The complete rounds, ascending. */
  readonly rounds: readonly number[];
  /** By round, one sample of the cell; a round without slices of the cell is not in the map. */
  samples(cell: ArmCell): ReadonlyMap<number, CellSample>;
  /** A metric of an arm by round, or of both the control's arms as one side. */
  series(metric: Metric, cells: readonly ArmCell[]): Series;
  /** Of all slices of complete rounds, every attempt counted. */
  readonly voids: VoidCounts;
  voidsOf(cell: ArmCell): VoidCounts;
  /** In how many rounds the cell's arm was not yet steady when its warm-up ended. */
  unsteadyRounds(cell: ArmCell): number;
  /** Of the cells' arms over all complete rounds; null where they have no bulk loads. Void ones are in it: rows are rows. */
  bulk(cells: readonly ArmCell[]): BulkTotals | null;
  /** What probes told in rows, of the cells together. */
  detail(cells: readonly ArmCell[]): CellDetail;
  /** The indexes of every arm in every complete round, where they were recorded. */
  readonly indexes: readonly IndexesRecord[];
  /** Variants whose service closed the connection after each answer. */
  readonly closing: ReadonlySet<string>;
  /** All complete rounds of the cells merged into one sample; null where there is no slice. */
  merged(cells: readonly ArmCell[]): CellSample | null;
}

/** What is judged of a journal; a run that is still going on has no more than this. */
export type JournalSoFar = Pick<Journal, 'run' | 'records'>;

export interface ObserveOptions {
  /** Void slices are left out of what is judged; they are kept where nothing is judged and people look at numbers. */
  readonly voidSlices?: 'left out' | 'kept';
  /** Histograms take most of the time of judging, and 2xx/s needs none. */
  readonly latencies?: 'merged' | 'left alone';
}

/** What is kept of a cell: one sample a round, and its latencies of all rounds. */
interface Cell {
  readonly samples: Map<number, CellSample>;
  readonly latencies: LatencyCounts | null;
  /** Of every slice. */
  readonly reasons: (readonly VoidReason[])[];
  readonly bulkLoads: BulkLoad[];
  readonly detail: CellDetail;
  unsteadyRounds: number;
}

/** Sorts a journal's slices into complete rounds and cells. Goes through its records once and keeps none of them. */
export function observe(journal: JournalSoFar, options: ObserveOptions = {}): Observations {
  const cells = new Map<string, Cell>();
  const rounds: number[] = [];
  const indexes: IndexesRecord[] = [];
  const closing = new Set<string>();
  const merge = options.latencies === 'left alone' ? null : roundMerger();
  const beside = visitRounds(journal, (complete) => {
    rounds.push(complete.round);
    indexes.push(...complete.indexes);
    for (const { slice } of complete.slices) if (closesConnections(slice)) closing.add(slice.variant);
    for (const [key, slices] of byCell(complete)) {
      const cell = cells.get(key) ?? newCell(merge !== null);
      cells.set(key, cell);
      cell.reasons.push(...slices.map(({ voided }) => voided));
      cell.bulkLoads.push(...slices.flatMap(({ slice }) => bulkLoadOf(slice, complete.bulkChecks) ?? []));
      if (slices.some(({ slice }) => complete.unsteadyArms.includes(slice.arm))) cell.unsteadyRounds++;
      const counted = options.voidSlices === 'kept' ? slices : slices.filter(({ voided }) => voided.length === 0);
      if (counted.length === 0) continue;
      addRound(cell.detail, counted);
      cell.detail.created += complete.createdInWarmup.get(counted[0]?.slice.arm ?? '') ?? 0;
      const latency = merge !== null && cell.latencies !== null ? merge(counted, cell.latencies) : null;
      cell.samples.set(complete.round, sampleOf(counted, latency));
    }
  });
  rounds.sort((a, b) => a - b);
  return {
    scenario: journal.run.scenario,
    quick: journal.run.quick,
    rounds,
    indexes,
    closing,
    ...beside,
    ...lookUp(cells, rounds),
  };
}

function newCell(withLatencies: boolean): Cell {
  const latencies = withLatencies ? new LatencyCounts() : null;
  return { samples: new Map(), latencies, reasons: [], bulkLoads: [], detail: newDetail(), unsteadyRounds: 0 };
}

function byCell({ slices }: CompleteRound): Map<string, JudgedSlice[]> {
  const cells = new Map<string, JudgedSlice[]>();
  for (const judged of slices) {
    const key = keyOf(judged.slice);
    const ofCell = cells.get(key);
    if (ofCell === undefined) cells.set(key, [judged]);
    else ofCell.push(judged);
  }
  return cells;
}

/** Merges the latencies of a cell's slices in a round, and adds them to the cell's total. */
function roundMerger(): (measured: readonly MeasuredSlice[], total: LatencyCounts) => LatencyFigures {
  const ofRound = new LatencyCounts();
  return (measured, total) => {
    for (const { slice } of measured) ofRound.addRecord(slice.latency);
    total.add(ofRound);
    const merged = ofRound.figures();
    ofRound.clear();
    const [first] = measured;
    if (first === undefined || measured.length > 1) return merged;
    // Of a single slice the record says it all; its histogram is not to be kept.
    const { histogram: _, ...recorded } = first.slice.latency;
    return recorded;
  };
}

type LookUps = Pick<
  Observations,
  'samples' | 'series' | 'merged' | 'voids' | 'voidsOf' | 'unsteadyRounds' | 'bulk' | 'detail'
>;

function lookUp(cells: ReadonlyMap<string, Cell>, rounds: readonly number[]): LookUps {
  const noSamples: ReadonlyMap<number, CellSample> = new Map();
  const voids = new Map([...cells].map(([key, { reasons }]) => [key, countVoids(reasons)]));
  const samplesOf = (key: string): ReadonlyMap<number, CellSample> => cells.get(key)?.samples ?? noSamples;
  const ofArm = remembered(seriesKey, ({ metric, keys: [key = ''] }: Side) => readSeries(samplesOf(key), metric));
  const ofSide = remembered(seriesKey, ({ metric, keys }: Side) =>
    controlSeries(
      rounds,
      keys.map((key) => ofArm({ metric, keys: [key] })),
    ),
  );
  const merged = remembered(
    (keys: readonly string[]) => keys.join(),
    (keys) => mergeCells(keys.flatMap((key) => cells.get(key) ?? [])),
  );
  return {
    samples: (cell) => samplesOf(keyOf(cell)),
    series: (metric, wanted) => ofSide({ metric, keys: wanted.map(keyOf) }),
    merged: (wanted) => merged(wanted.map(keyOf)),
    voids: countVoids([...cells.values()].flatMap(({ reasons }) => reasons)),
    voidsOf: (cell) => voids.get(keyOf(cell)) ?? countVoids([]),
    unsteadyRounds: (cell) => cells.get(keyOf(cell))?.unsteadyRounds ?? 0,
    detail: (wanted) => mergeDetails(wanted.flatMap((cell) => cells.get(keyOf(cell))?.detail ?? [])),
    bulk: (wanted) => bulkTotals(wanted.flatMap((cell) => cells.get(keyOf(cell))?.bulkLoads ?? [])),
  };
}

/** A metric of some cells. */
interface Side {
  readonly metric: Metric;
  readonly keys: readonly string[];
}

function seriesKey({ metric, keys }: Side): string {
  return `${metric.name} ${keys.join()}`;
}

function mergeCells(cells: readonly Cell[]): CellSample | null {
  const samples = cells.flatMap((cell) => [...cell.samples.values()]);
  if (samples.length === 0) return null;
  const total = new LatencyCounts();
  for (const { latencies } of cells) if (latencies !== null) total.add(latencies);
  return mergeSamples(samples, cells.some(({ latencies }) => latencies === null) ? null : total.figures());
}

function keyOf(cell: ArmCell): string {
  return JSON.stringify([cell.variant, loadKey(cell.load), cell.repeat]);
}
