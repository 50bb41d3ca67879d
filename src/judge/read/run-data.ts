import type { HousekeepingRecord } from '../../journal/postgres/housekeeping.ts';
import type { LoadLevel, ResolvedScenario } from '../../journal/scenario-record.ts';
import type { IndexesRecord } from '../../journal/treatment-records.ts';
import type { RunProgress } from '../stats/looks.ts';
import type { Spread } from '../stats/variance.ts';
import type { BulkTotals } from './cells/bulk-loads.ts';
import type { CourseOfSlice } from './cells/cell.ts';
import type { CellDetail } from './cells/cell-detail.ts';
import type { CellSample, MergedSample } from './cells/cell-sample.ts';
import type { LatencyCounts, PartSpreads } from './cells/latency-counts.ts';
import type { RequestLatencies } from './cells/request-counts.ts';
import type { Discarded, Uncounted } from './cells/uncounted.ts';
import type { IdleWork } from './cells/work-sample.ts';
import type { Metric } from './metrics/metrics.ts';
import type { Series } from './metrics/series.ts';
import type { LiveLevel } from './parts/live.ts';
import type { CapacityArm } from './rounds/capacity-points.ts';
import type { BesideRounds } from './rounds/complete-rounds.ts';
import type { ConditionsSeen } from './rounds/disturbance.ts';
import type { PlaceInPass, SampledIn } from './rounds/pass-times.ts';
import type { LevelPasses } from './rounds/passes.ts';
import type { SliceTrend } from './rounds/trends.ts';
import type { Warmups } from './rounds/warmups.ts';
import type { VoidCounts } from './void-slices.ts';

/** One arm of one cell. `repeat` is the control's second arm (A/A). */
export interface ArmCell {
  readonly variant: string;
  readonly load: LoadLevel;
  readonly repeat: boolean;
}

/** A slice in parts: the rates of its turns (empty where there were none), and its course where it was one stretch. */
export interface SliceParts {
  readonly rates: readonly number[];
  readonly course: CourseOfSlice | undefined;
}

/** Lookups of cells, with or without discarded slices. */
export interface CellLookups {
  /** By round, one sample of the cell; a round without slices of the cell is not in the map. */
  samples(cell: ArmCell): ReadonlyMap<number, CellSample>;
  /**
   * A metric of an arm by round, or of both the control's arms as one side. Where arms had their turns in groups, as it
   * was in the group that the arm `beside` was in.
   */
  series(metric: Metric, cells: readonly ArmCell[], beside?: ArmCell): Series;
  /** The number shown for some arms over all rounds; null where there is none. */
  valueOverRounds(metric: Metric, cells: readonly ArmCell[]): number | null;
  /**
   * The group of a variant by round, drawn for each round. Empty where all arms took turns with each other, and for the
   * control, which is in every group.
   */
  groupOf(cell: ArmCell): ReadonlyMap<number, number>;
  /** By round, the noise of ln(rate) that the turns of the cell's pass show; rounds in whole slices are not in it. */
  turnNoise(cell: ArmCell): ReadonlyMap<number, Spread>;
  /** All slices of complete rounds, every attempt counted. */
  readonly voids: VoidCounts;
  voidsOf(cells: readonly ArmCell[]): VoidCounts;
  /** In how many rounds the cell's arm was not yet steady when its warm-up ended. */
  unsteadyRounds(cell: ArmCell): number;
  /** The outcomes of the cells' requests that no other number counts, over all complete rounds. */
  uncounted(cells: readonly ArmCell[]): Uncounted;
  /** Those of one cell by round. */
  uncountedByRound(cell: ArmCell): ReadonlyMap<number, Uncounted>;
  /** The outcomes of the cell's requests in slices that do not count; null where all do. */
  discarded(cell: ArmCell): Discarded | null;
  /** The bulk loads of the cells' arms over all complete rounds; null where they have none. Void ones are in it: rows are rows. */
  bulk(cells: readonly ArmCell[]): BulkTotals | null;
  /** Postgres's own work for the cell's arm in the slices that count; null where it was not watched. */
  housekeeping(cell: ArmCell): HousekeepingRecord | null;
  /** The rows of probes, for the cells together. */
  detail(cells: readonly ArmCell[]): CellDetail;
  /** The work of the cells' arms while no arm was under load, over all complete rounds. */
  idle(cells: readonly ArmCell[]): IdleWork;
  /** The latencies of the cells over all complete rounds; null where histograms were left alone, or there is no slice. */
  latencies(cells: readonly ArmCell[]): LatencyCounts | null;
  /** The latencies of the cell's requests by their names, of slices that count; null where histograms were left alone. */
  requestLatencies(cell: ArmCell): RequestLatencies | null;
  /** How the parts of the cell's latencies are spread; null where they were not measured, or `latencies` is null. */
  partsOf(cell: ArmCell): PartSpreads | null;
  /** By round, the cell's 2xx/s in equal parts of its turns, in their order; rounds in whole slices are not in it. */
  turnRates(cell: ArmCell): ReadonlyMap<number, readonly number[]>;
  /** By round, the course of the cell's slice; rounds in turns are not in it. */
  courses(cell: ArmCell): ReadonlyMap<number, CourseOfSlice>;
  /**
   * By round that counts, both of the cell. Where arms had their turns in groups, the control's are from the group that the
   * arm `beside` was in.
   */
  inParts(cell: ArmCell, beside: ArmCell): ReadonlyMap<number, SliceParts>;
  /** All complete rounds of the cells merged into one sample; null where there is no slice. */
  merged(cells: readonly ArmCell[]): MergedSample | null;
}

/** The data that comparisons are judged from: the slices of its complete rounds, by cell. */
export interface RunData extends BesideRounds, CellLookups {
  readonly scenario: ResolvedScenario;
  readonly quick: boolean;
  /** The complete rounds, ascending. */
  readonly rounds: readonly number[];
  /** How many these are, and where the run ended, for what may be spent of the error. */
  readonly course: RunProgress;
  /** Which machine each round is from; empty where the run was not merged. */
  readonly machineOf: ReadonlyMap<number, number>;
  /** How disturbed the machine was. */
  readonly conditions: ConditionsSeen;
  /** How arms took turns, by load level. */
  readonly passes: readonly LevelPasses[];
  /** How settings were switched live, by load level; empty where arms are separate processes. */
  readonly live: readonly LiveLevel[];
  /** How rates moved in each slice that counts, and when that was in the life of its arm. */
  readonly trends: readonly SliceTrend[];
  /** Null where the scenario says how long arms are warmed. */
  readonly warmups: Warmups | null;
  /** Measurements of the arms in a search for capacities; empty in other runs. */
  readonly capacity: readonly CapacityArm[];
  /** The mean length of a complete round; null where there is none. */
  readonly roundMs: number | null;
  /** The indexes of every arm in every complete round, where they were recorded. */
  readonly indexes: readonly IndexesRecord[];
  /** Variants whose service closed the connection after each answer. */
  readonly closing: ReadonlySet<string>;
  /** The cell of a sample, and where in its pass its moment (ms since 1970) was; null where its slice was not under way. */
  placeIn(sampled: SampledIn, atMs: number): PlaceInPass | null;
  /** The run with its discarded slices, for what is not judged and people look at: of all load levels, or of some. */
  withVoidSlices(levels?: readonly LoadLevel[]): RunData;
}
