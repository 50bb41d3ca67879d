import {
  type HousekeepingRecord,
  type HousekeepingWork,
  housekeepingWork,
} from '../../../journal/postgres/housekeeping.ts';
import type { VoidReason } from '../../../journal/records.ts';
import type { CourseRecord } from '../../../journal/slice-record.ts';
import { ProbeColumns } from '../metrics/probe-columns.ts';
import type { BulkLoad } from './bulk-loads.ts';
import { type CellDetail, newDetail } from './cell-detail.ts';
import type { CellSample } from './cell-sample.ts';
import { LatencyCounts, PartCounts, sumOf } from './latency-counts.ts';
import { RequestLatencies } from './request-counts.ts';
import { RoundLatencies } from './round-latencies.ts';
import type { Discarded, Uncounted } from './uncounted.ts';

/** A cell: one sample a round, and its latencies of all rounds. */
export interface Cell {
  /** Samples of the slices that count. */
  readonly samples: Map<number, CellSample>;
  /** Samples of all slices, for rounds in which some do not count. */
  readonly withVoid: Map<number, CellSample>;
  /** The values of probes in those: a row for each sample, in their order. */
  readonly probes: ProbeColumns;
  readonly probesWithVoid: ProbeColumns;
  readonly latencies: LatencyCounts | null;
  /** The latencies of each round, of slices that count, and of all slices for rounds in which some do not; empty where histograms were left alone. */
  readonly roundLatencies: RoundLatencies;
  readonly roundLatenciesWithVoid: RoundLatencies;
  /** By round, the latencies of requests just before a job, of slices that count. */
  readonly withoutJob: RoundLatencies;
  /** Latencies of the other slices; null where there are none. */
  voidLatencies: LatencyCounts | null;
  /** The latencies of slices that count, by the name of the request; null where histograms were left alone. */
  readonly requestLatencies: RequestLatencies | null;
  /** The parts of both, each for itself. */
  readonly parts: PartCounts;
  readonly voidParts: PartCounts;
  /** Why each slice does not count; empty for one that does. */
  readonly reasons: (readonly VoidReason[])[];
  readonly bulkLoads: BulkLoad[];
  readonly details: CellDetails;
  /** By round. */
  readonly uncounted: Map<number, Uncounted>;
  /** Null where every slice counts. */
  discarded: Discarded | null;
  /** Postgres's own work in slices that count; null where it was not watched. */
  housekeeping: HousekeepingRecord | null;
  unsteadyRounds: number;
  /** By round, 2xx/s in equal parts of the turns. */
  readonly turnRates: Map<number, readonly number[]>;
  /** By round, the course of the cell's slice, where it was one stretch. */
  readonly courses: Map<number, CourseOfSlice>;
  /** Where arms had their turns in groups: what the control did in each group, */
  readonly groups: Map<number, Cell>;
  /** and which group a variant was in, by round. Both are empty otherwise. */
  readonly groupOf: Map<number, number>;
}

/** The course of a slice. Its window may end within the last part: that of a number of requests ends with the last of them. */
export interface CourseOfSlice extends CourseRecord {
  readonly windowMs: number;
}

interface CellDetails {
  /** Rounds in which every slice counts. */
  readonly whole: CellDetail;
  /** The other rounds: the slices that count, and all of them. */
  readonly counted: CellDetail;
  readonly all: CellDetail;
}

/** An empty cell. */
export function newCell(withLatencies: boolean): Cell {
  return {
    samples: new Map(),
    withVoid: new Map(),
    probes: new ProbeColumns(),
    probesWithVoid: new ProbeColumns(),
    latencies: withLatencies ? new LatencyCounts() : null,
    roundLatencies: new RoundLatencies(),
    roundLatenciesWithVoid: new RoundLatencies(),
    withoutJob: new RoundLatencies(),
    voidLatencies: null,
    requestLatencies: withLatencies ? new RequestLatencies() : null,
    parts: new PartCounts(),
    voidParts: new PartCounts(),
    reasons: [],
    bulkLoads: [],
    details: { whole: newDetail(), counted: newDetail(), all: newDetail() },
    uncounted: new Map(),
    discarded: null,
    housekeeping: null,
    unsteadyRounds: 0,
    turnRates: new Map(),
    courses: new Map(),
    groups: new Map(),
    groupOf: new Map(),
  };
}

/** Adds Postgres's own work in a slice that counts. */
export function addHousekeeping(cell: Cell, more: HousekeepingRecord | undefined): void {
  if (more === undefined) return;
  const sums = housekeepingWork.map((work) => [work, (cell.housekeeping?.[work] ?? 0) + more[work]] as const);
  cell.housekeeping = Object.fromEntries(sums) as Record<HousekeepingWork, number>;
}

/** The cells as they are if every slice counts. */
export function withVoid(
  cells: ReadonlyMap<string, Cell>,
  rounds: readonly number[],
  isWanted: (key: string) => boolean,
): Map<string, Cell> {
  const all = (cell: Cell): Cell => {
    const [samples, probes] = [new Map<number, CellSample>(), new ProbeColumns()];
    const [places, placesWithVoid] = [placesOf(cell.samples), placesOf(cell.withVoid)];
    for (const round of rounds) {
      const sample = cell.withVoid.get(round) ?? cell.samples.get(round);
      if (sample === undefined) continue;
      samples.set(round, sample);
      const place = placesWithVoid.get(round);
      if (place === undefined) probes.addRow(cell.probes, places.get(round) ?? 0);
      else probes.addRow(cell.probesWithVoid, place);
    }
    return {
      ...cell,
      samples,
      probes,
      latencies: cell.latencies === null ? null : sumOf([cell.latencies, cell.voidLatencies]),
      roundLatencies: cell.roundLatencies.withRounds(rounds, cell.roundLatenciesWithVoid),
      parts: partsOfAll(cell),
      details: { ...cell.details, counted: cell.details.all },
      discarded: null,
      groups: new Map([...cell.groups].map(([group, own]) => [group, all(own)])),
    };
  };
  return new Map([...cells].map(([key, cell]) => [key, isWanted(key) ? all(cell) : cell]));
}

function partsOfAll({ parts, latencies, voidParts, voidLatencies }: Cell): PartCounts {
  if (latencies === null || voidLatencies === null) return parts;
  return PartCounts.joined([
    { parts, latencies },
    { parts: voidParts, latencies: voidLatencies },
  ]);
}

/** The place of each round among them. */
function placesOf(samples: Cell['samples']): Map<number, number> {
  return new Map([...samples.keys()].map((round, place) => [round, place]));
}
