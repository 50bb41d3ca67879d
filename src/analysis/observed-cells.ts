import { loadKey } from '../journal/load-level.ts';
import type { VoidReason } from '../journal/records.ts';
import { type BulkLoad, bulkTotals } from './bulk-loads.ts';
import { type CellSample, mergeSamples } from './cell-sample.ts';
import { type CellDetail, mergeDetails, newDetail } from './diagnosis/cell-detail.ts';
import { LatencyCounts } from './latency-counts.ts';
import type { Metric } from './metrics.ts';
import type { ArmCell, Observations } from './observations.ts';
import { remembered } from './remembered.ts';
import { controlSeries, readSeries, type Series } from './series.ts';
import { countVoids } from './void-counts.ts';

/** What is kept of a cell: one sample a round, and its latencies of all rounds. */
export interface Cell {
  /** Of the slices that count. */
  readonly samples: Map<number, CellSample>;
  /** Of all slices, where some of the round do not count; without latencies. */
  readonly withVoid: Map<number, CellSample>;
  readonly latencies: LatencyCounts | null;
  /** Of every slice. */
  readonly reasons: (readonly VoidReason[])[];
  readonly bulkLoads: BulkLoad[];
  /** Of the slices that count, and of the others. */
  readonly detail: CellDetail;
  readonly voidDetail: CellDetail;
  unsteadyRounds: number;
}

/** A cell of which nothing is known yet. */
export function newCell(withLatencies: boolean): Cell {
  return {
    samples: new Map(),
    withVoid: new Map(),
    latencies: withLatencies ? new LatencyCounts() : null,
    reasons: [],
    bulkLoads: [],
    detail: newDetail(),
    voidDetail: newDetail(),
    unsteadyRounds: 0,
  };
}

/** The cells as they are if every slice counts, but for their latencies. */
export function withVoid(cells: ReadonlyMap<string, Cell>, rounds: readonly number[]): Map<string, Cell> {
  const all = (cell: Cell): Cell => ({
    ...cell,
    samples: new Map(
      rounds.flatMap((round) => {
        const sample = cell.withVoid.get(round) ?? cell.samples.get(round);
        return sample === undefined ? [] : [[round, { ...sample, latency: null }]];
      }),
    ),
    latencies: null,
    detail: mergeDetails([cell.detail, cell.voidDetail]),
  });
  return new Map([...cells].map(([key, cell]) => [key, all(cell)]));
}

type LookUps = Pick<
  Observations,
  'samples' | 'series' | 'merged' | 'voids' | 'voidsOf' | 'unsteadyRounds' | 'bulk' | 'detail'
>;

/** What can be asked of cells, by their keys. */
export function lookUp(cells: ReadonlyMap<string, Cell>, rounds: readonly number[]): LookUps {
  const noSamples: ReadonlyMap<number, CellSample> = new Map();
  const voids = new Map([...cells].map(([key, { reasons }]) => [key, countVoids(reasons)]));
  const samplesOf = (key: string): ReadonlyMap<number, CellSample> => cells.get(key)?.samples ?? noSamples;
  const reader = seriesReader(samplesOf, rounds);
  const merged = remembered(
    (keys: readonly string[]) => keys.join(),
    (keys) => mergeCells(keys.flatMap((key) => cells.get(key) ?? [])),
  );
  return {
    samples: (cell) => samplesOf(keyOf(cell)),
    series: (metric, wanted) => reader(metric)(wanted.map(keyOf)),
    merged: (wanted) => merged(wanted.map(keyOf)),
    voids: countVoids([...cells.values()].flatMap(({ reasons }) => reasons)),
    voidsOf: (cell) => voids.get(keyOf(cell)) ?? countVoids([]),
    unsteadyRounds: (cell) => cells.get(keyOf(cell))?.unsteadyRounds ?? 0,
    detail: (wanted) => mergeDetails(wanted.flatMap((cell) => cells.get(keyOf(cell))?.detail ?? [])),
    bulk: (wanted) => bulkTotals(wanted.flatMap((cell) => cells.get(keyOf(cell))?.bulkLoads ?? [])),
  };
}

type ReadKeys = (keys: readonly string[]) => Series;

/**
 * Remembers the series of the load's and the database's metrics. Those of the probes are ten times as many, and asked
 * for one metric after the other: of them only the latest metric's are remembered.
 */
function seriesReader(
  samplesOf: (key: string) => ReadonlyMap<number, CellSample>,
  rounds: readonly number[],
): (metric: Metric) => ReadKeys {
  const readerOf = (metric: Metric): ReadKeys => {
    const ofArm = remembered(
      (key: string) => key,
      (key) => readSeries(samplesOf(key), metric),
    );
    return remembered(
      (keys: readonly string[]) => keys.join(),
      (keys) => controlSeries(rounds, keys.map(ofArm)),
    );
  };
  const known = remembered(({ name }: Metric) => name, readerOf);
  let latest: { readonly name: string; readonly read: ReadKeys } | null = null;
  return (metric) => {
    if (metric.group !== 'probe') return known(metric);
    if (latest?.name !== metric.name) latest = { name: metric.name, read: readerOf(metric) };
    return latest.read;
  };
}

function mergeCells(cells: readonly Cell[]): CellSample | null {
  const samples = cells.flatMap((cell) => [...cell.samples.values()]);
  if (samples.length === 0) return null;
  const total = new LatencyCounts();
  for (const { latencies } of cells) if (latencies !== null) total.add(latencies);
  return mergeSamples(samples, cells.some(({ latencies }) => latencies === null) ? null : total.figures());
}

/** The key of a cell. */
export function keyOf(cell: ArmCell): string {
  return JSON.stringify([cell.variant, loadKey(cell.load), cell.repeat]);
}
