import { loadKey } from '../../journal/load-level.ts';
import type { IdleRecord } from '../../journal/pass-records.ts';
import type { VoidReason } from '../../journal/records.ts';
import type { ArmCell, Observations } from './aggregate-run.ts';
import { type BulkLoad, bulkTotals } from './cells/bulk-loads.ts';
import { type CellDetail, mergeDetails, newDetail } from './cells/cell-detail.ts';
import { type CellSample, mergeSamples } from './cells/cell-sample.ts';
import { idleWorkOf } from './cells/idle-work.ts';
import { LatencyCounts } from './cells/latency-counts.ts';
import { addUncounted, nothingUncounted, type Uncounted } from './cells/uncounted.ts';
import { remembered } from './memoize-by.ts';
import { besideSeries, groupsKey, readArm } from './metrics/grouped-series.ts';
import type { Metric } from './metrics/metrics.ts';
import { meanOver, ProbeColumns } from './metrics/probe-columns.ts';
import type { ProbeValues } from './metrics/probe-values.ts';
import { controlSeries, type Series } from './metrics/series.ts';
import { type TurnNoise, turnNoiseUnder } from './rounds/turn-noise.ts';
import { countVoids } from './void-slices.ts';

/** What is kept of a cell: one sample a round, and its latencies of all rounds. */
export interface Cell {
  /** Of the slices that count. */
  readonly samples: Map<number, CellSample>;
  /** Of all slices, where some of the round do not count. */
  readonly withVoid: Map<number, CellSample>;
  /** What probes saw in those: a row for each sample, in their order. */
  readonly probes: ProbeColumns;
  readonly probesWithVoid: ProbeColumns;
  readonly latencies: LatencyCounts | null;
  /** Of the other slices; null where there are none. */
  voidLatencies: LatencyCounts | null;
  /** Of every slice. */
  readonly reasons: (readonly VoidReason[])[];
  readonly bulkLoads: BulkLoad[];
  readonly details: CellDetails;
  uncounted: Uncounted;
  unsteadyRounds: number;
  /** Where arms had their turns in groups: of the control what it did in each group, */
  readonly groups: Map<number, Cell>;
  /** and of a variant which group it was in, by round. Both are empty otherwise. */
  readonly groupOf: Map<number, number>;
}

interface CellDetails {
  /** Of rounds in which every slice counts. */
  readonly whole: CellDetail;
  /** Of the other rounds: of the slices that count, and of all. */
  readonly counted: CellDetail;
  readonly all: CellDetail;
}

/** A cell of which nothing is known yet. */
export function newCell(withLatencies: boolean): Cell {
  return {
    samples: new Map(),
    withVoid: new Map(),
    probes: new ProbeColumns(),
    probesWithVoid: new ProbeColumns(),
    latencies: withLatencies ? new LatencyCounts() : null,
    voidLatencies: null,
    reasons: [],
    bulkLoads: [],
    details: { whole: newDetail(), counted: newDetail(), all: newDetail() },
    uncounted: nothingUncounted,
    unsteadyRounds: 0,
    groups: new Map(),
    groupOf: new Map(),
  };
}

/** The cells as they are if every slice counts. */
export function withVoid(cells: ReadonlyMap<string, Cell>, rounds: readonly number[]): Map<string, Cell> {
  const all = (cell: Cell): Cell => {
    const samples = rounds.flatMap((round) => {
      const sample = cell.withVoid.get(round) ?? cell.samples.get(round);
      return sample === undefined ? [] : [[round, sample] as const];
    });
    return {
      ...cell,
      samples: new Map(samples),
      probes: columnsOf(samples.map(([, { probes }]) => probes)),
      latencies: cell.latencies === null ? null : sumOf([cell.latencies, cell.voidLatencies]),
      details: { ...cell.details, counted: cell.details.all },
      groups: new Map([...cell.groups].map(([group, own]) => [group, all(own)])),
    };
  };
  return new Map([...cells].map(([key, cell]) => [key, all(cell)]));
}

function columnsOf(rows: readonly ProbeValues[]): ProbeColumns {
  const columns = new ProbeColumns();
  for (const values of rows) columns.add([values]);
  return columns;
}

function sumOf(parts: readonly (LatencyCounts | null)[]): LatencyCounts {
  const total = new LatencyCounts();
  for (const part of parts) if (part !== null) total.add(part);
  return total;
}

type LookUps = Pick<
  Observations,
  | 'samples'
  | 'series'
  | 'groupsOf'
  | 'turnNoise'
  | 'merged'
  | 'voids'
  | 'voidsOf'
  | 'unsteadyRounds'
  | 'uncounted'
  | 'bulk'
  | 'detail'
  | 'idle'
>;

/** What was observed, as it is asked for. */
export interface Observed {
  readonly cells: ReadonlyMap<string, Cell>;
  readonly rounds: readonly number[];
  /** The control's name. */
  readonly control: string;
  /** By arm. */
  readonly idles: ReadonlyMap<string, readonly IdleRecord[]>;
  readonly turnNoise: TurnNoise;
}

/** What can be asked of cells, by their keys. */
export function lookUp({ cells, rounds, control, idles, turnNoise }: Observed): LookUps {
  const none = newCell(false);
  const cellOf = (cell: ArmCell): Cell => cells.get(keyOf(cell)) ?? none;
  const voids = new Map([...cells].map(([key, { reasons }]) => [key, countVoids(reasons)]));
  const reader = seriesReader((key) => cells.get(key) ?? none, rounds);
  const merged = remembered(
    (keys: readonly string[]) => keys.join(),
    (keys) => mergeCells(keys.flatMap((key) => cells.get(key) ?? [])),
  );
  return {
    samples: (cell) => (cells.get(keyOf(cell)) ?? none).samples,
    series(metric, wanted, beside) {
      const groups = beside === undefined ? none.groupOf : cellOf(beside).groupOf;
      if (groups.size === 0) return reader(metric)(wanted.map(keyOf));
      const load = wanted[0]?.load ?? { connections: 0 };
      const arms = [false, true].map((repeat) => cellOf({ variant: control, load, repeat }));
      return besideSeries(metric, wanted.map(cellOf), groups, { control: arms, rounds });
    },
    groupsOf: (cell) => groupsKey(cellOf(cell)),
    turnNoise: (cell) => turnNoiseUnder(turnNoise, cell.load, cellOf(cell).groupOf),
    idle: (wanted) => idleWorkOf(wanted.flatMap((cell) => idles.get(armKey(cell)) ?? [])),
    merged: (wanted) => merged(wanted.map(keyOf)),
    voids: countVoids([...cells.values()].flatMap(({ reasons }) => reasons)),
    voidsOf: (cell) => voids.get(keyOf(cell)) ?? countVoids([]),
    unsteadyRounds: (cell) => cellOf(cell).unsteadyRounds,
    uncounted: (wanted) => wanted.map((cell) => cellOf(cell).uncounted).reduce(addUncounted, nothingUncounted),
    detail: (wanted) => mergeDetails(wanted.flatMap((cell) => detailsOf(cells.get(keyOf(cell))))),
    bulk: (wanted) => bulkTotals(wanted.flatMap((cell) => cells.get(keyOf(cell))?.bulkLoads ?? [])),
  };
}

function detailsOf(cell: Cell | undefined): CellDetail[] {
  return cell === undefined ? [] : [cell.details.whole, cell.details.counted];
}

type ReadKeys = (keys: readonly string[]) => Series;

/**
 * Remembers the series of the load's and the database's metrics. Those of the probes are ten times as many, and asked
 * for one metric after the other: of them only the latest metric's are remembered.
 */
function seriesReader(cellOf: (key: string) => Cell, rounds: readonly number[]): (metric: Metric) => ReadKeys {
  const readerOf = (metric: Metric): ReadKeys => {
    const ofArm = remembered(
      (key: string) => key,
      (key) => readArm(cellOf(key), metric),
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
  const latencies = cells.map((cell) => cell.latencies);
  const latency = latencies.includes(null) ? null : sumOf(latencies).figures();
  return mergeSamples(samples, latency, meanOver(cells.map(({ probes }) => probes)));
}

/** The key of an arm, whatever the load. */
export function armKey({ variant, repeat }: Pick<ArmCell, 'variant' | 'repeat'>): string {
  return JSON.stringify([variant, repeat]);
}

/** The key of a cell. */
export function keyOf(cell: ArmCell): string {
  return JSON.stringify([cell.variant, loadKey(cell.load), cell.repeat]);
}
