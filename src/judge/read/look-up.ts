import { loadKey } from '../../journal/load-level.ts';
import type { IdleRecord } from '../../journal/pass-records.ts';
import { mean } from '../stats/moments.ts';
import { bulkTotals } from './cells/bulk-loads.ts';
import { type Cell, newCell } from './cells/cell.ts';
import { mergeDetails } from './cells/cell-detail.ts';
import { type MergedSample, mergeSamples } from './cells/cell-sample.ts';
import { sumOf } from './cells/latency-counts.ts';
import { addUncounted, nothingUncounted } from './cells/uncounted.ts';
import { idleWorkOf } from './cells/work-sample.ts';
import { memoizeBy } from './memoize-by.ts';
import type { Metric } from './metrics/metrics.ts';
import { meanOver } from './metrics/probe-columns.ts';
import { besideSeries, controlSeries, readArm, type Series } from './metrics/series.ts';
import { type TurnNoise, turnNoiseUnder } from './rounds/turn-rates.ts';
import type { ArmCell, CellLookups } from './run-data.ts';
import { countVoids } from './void-slices.ts';

/** Everything that lookups are made from. */
export interface Observed {
  readonly cells: ReadonlyMap<string, Cell>;
  readonly rounds: readonly number[];
  /** The variant with two arms, which are in each group where arms took turns in groups. */
  readonly doubled: string;
  /** By arm. */
  readonly idles: ReadonlyMap<string, readonly IdleRecord[]>;
  readonly turnNoise: TurnNoise;
}

/** The lookups of cells, by their keys. */
export function lookUp({ cells, rounds, doubled, idles, turnNoise }: Observed): CellLookups {
  const none = newCell(false);
  const cellOf = (cell: ArmCell): Cell => cells.get(keyOf(cell)) ?? none;
  const reader = seriesReader((key) => cells.get(key) ?? none, rounds);
  const joined = (keys: readonly string[]): string => keys.join();
  const cellsAt = (keys: readonly string[]): Cell[] => keys.flatMap((key) => cells.get(key) ?? []);
  const merged = memoizeBy(joined, (keys) => mergeCells(cellsAt(keys)));
  const voids = memoizeBy(joined, (keys) => countVoids(cellsAt(keys).flatMap(({ reasons }) => reasons)));
  const idle = memoizeBy(
    (wanted: readonly ArmCell[]) => wanted.map(keyOf).join(),
    (wanted) => idleWorkOf(wanted.flatMap((cell) => idles.get(armKey(cell)) ?? [])),
  );
  const series: CellLookups['series'] = (metric, wanted, beside) => {
    const groups = beside === undefined ? none.groupOf : cellOf(beside).groupOf;
    if (groups.size === 0) return reader(metric)(wanted.map(keyOf));
    const load = wanted[0]?.load ?? { connections: 0 };
    const arms = [false, true].map((repeat) => cellOf({ variant: doubled, load, repeat }));
    return besideSeries(metric, wanted.map(cellOf), groups, { control: arms, rounds });
  };
  return {
    samples: (cell) => cellOf(cell).samples,
    series,
    valueOverRounds(metric, wanted) {
      if (metric.overRounds === 'merged') {
        const sample = merged(wanted.map(keyOf));
        return sample === null ? null : metric.read(sample).value;
      }
      const { byRound } = series(metric, wanted);
      return byRound.size === 0 ? null : mean([...byRound.values()].map(({ value }) => value));
    },
    groupOf: (cell) => cellOf(cell).groupOf,
    turnNoise: (cell) => turnNoiseUnder(turnNoise, cell.load, cellOf(cell).groupOf),
    idle,
    latencies(wanted) {
      const known = cellsAt(wanted.map(keyOf)).flatMap(({ latencies }) => latencies ?? []);
      const [only] = known;
      return known.length < 2 ? (only ?? null) : sumOf(known);
    },
    requestLatencies: (cell) => cellOf(cell).requestLatencies,
    partsOf(cell) {
      const { latencies, parts } = cellOf(cell);
      return latencies === null ? null : parts.spreads(latencies);
    },
    turnRates: (cell) => cellOf(cell).turnRates,
    courses: (cell) => cellOf(cell).courses,
    inParts(cell, beside) {
      const [own, { groupOf }] = [cellOf(cell), cellOf(beside)];
      const isInGroups = own.groups.size > 0 && groupOf.size > 0;
      const found = [...own.samples.keys()].flatMap((round) => {
        const at = isInGroups ? own.groups.get(groupOf.get(round) ?? -1) : own;
        if (!at?.samples.has(round)) return [];
        return [[round, { rates: at.turnRates.get(round) ?? [], course: at.courses.get(round) }] as const];
      });
      return new Map(found);
    },
    merged: (wanted) => merged(wanted.map(keyOf)),
    voids: voids([...cells.keys()]),
    voidsOf: (wanted) => voids(wanted.map(keyOf)),
    unsteadyRounds: (cell) => cellOf(cell).unsteadyRounds,
    uncounted: (wanted) =>
      wanted.flatMap((cell) => [...cellOf(cell).uncounted.values()]).reduce(addUncounted, nothingUncounted),
    discarded: (cell) => cellOf(cell).discarded,
    uncountedByRound: (cell) => cellOf(cell).uncounted,
    housekeeping: (cell) => cellOf(cell).housekeeping,
    detail: (wanted) =>
      mergeDetails(cellsAt(wanted.map(keyOf)).flatMap(({ details }) => [details.whole, details.counted])),
    bulk: (wanted) => bulkTotals(cellsAt(wanted.map(keyOf)).flatMap(({ bulkLoads }) => bulkLoads)),
  };
}

type ReadKeys = (keys: readonly string[]) => Series;

/**
 * Keeps the series of the load's and the database's metrics. There are ten times as many of the probes, and they are read
 * one metric after the other, so only those of the latest metric are kept.
 */
function seriesReader(cellOf: (key: string) => Cell, rounds: readonly number[]): (metric: Metric) => ReadKeys {
  const readerOf = (metric: Metric): ReadKeys => {
    const ofArm = memoizeBy(
      (key: string) => key,
      (key) => readArm(cellOf(key), metric),
    );
    return memoizeBy(
      (keys: readonly string[]) => keys.join(),
      (keys) => controlSeries(rounds, keys.map(ofArm)),
    );
  };
  const known = memoizeBy(({ name }: Metric) => name, readerOf);
  let latest: { readonly name: string; readonly read: ReadKeys } | null = null;
  return (metric) => {
    if (metric.group !== 'probe') return known(metric);
    if (latest?.name !== metric.name) latest = { name: metric.name, read: readerOf(metric) };
    return latest.read;
  };
}

function mergeCells(cells: readonly Cell[]): MergedSample | null {
  const samples = cells.flatMap((cell) => [...cell.samples.values()]);
  if (samples.length === 0) return null;
  const latencies = cells.map((cell) => cell.latencies);
  const [only = null] = latencies;
  // A sum takes 512 KB.
  const all = latencies.length === 1 ? only : latencies.includes(null) ? null : sumOf(latencies);
  const latency = all?.figures() ?? null;
  return mergeSamples(samples, latency, meanOver(cells.map(({ probes }) => probes)));
}

/** The key of an arm, whatever the load. */
export function armKey({ variant, repeat }: Pick<ArmCell, 'variant' | 'repeat'>): string {
  return JSON.stringify([variant, repeat]);
}

/** A large run asks for its cells some million times. */
const cellKeys = new WeakMap<ArmCell, string>();

/** The key of a cell. */
export function keyOf(cell: ArmCell): string {
  const known = cellKeys.get(cell);
  if (known !== undefined) return known;
  const key = JSON.stringify([cell.variant, loadKey(cell.load), cell.repeat]);
  cellKeys.set(cell, key);
  return key;
}

/** The key of the load level in the key of a cell. */
export function loadKeyIn(key: string): string {
  const [, load = ''] = JSON.parse(key) as string[];
  return load;
}
