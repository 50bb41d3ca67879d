import type { Journal } from '../../journal/journal.ts';
import type { IdleRecord } from '../../journal/pass-records.ts';
import type { LoadLevel, ResolvedScenario } from '../../journal/scenario-record.ts';
import type { IndexesRecord } from '../../journal/treatment-records.ts';
import type { Spread } from '../../stats/block-noise.ts';
import type { Course } from '../../stats/looks.ts';
import { closesConnections } from '../judge/closing-services.ts';
import { type BulkTotals, bulkLoadOf } from './cells/bulk-loads.ts';
import { addRound, type CellDetail } from './cells/cell-detail.ts';
import { type CellSample, type MeasuredSlice, sampleOf } from './cells/cell-sample.ts';
import type { IdleWork } from './cells/idle-work.ts';
import { LatencyCounts, type LatencyFigures } from './cells/latency-counts.ts';
import { addUncounted, type Uncounted, uncountedOfRecord, uncountedOfSlice } from './cells/uncounted.ts';
import { armKey, type Cell, keyOf, lookUp, newCell, type Observed, withVoid } from './look-up.ts';
import type { Metric } from './metrics/metrics.ts';
import { type ProbeValues, valuesByProbe } from './metrics/probe-values.ts';
import type { Series } from './metrics/series.ts';
import { type BesideRounds, type CompleteRound, type JudgedSlice, visitRounds } from './rounds/complete-rounds.ts';
import { type ConditionsSeen, newConditions, seeConditions } from './rounds/disturbance.ts';
import { addLiveBlocks, type LiveBlocks, type LiveLevel, liveLevels } from './rounds/live-blocks.ts';
import { addPasses, type LevelPasses, newLevels } from './rounds/passes.ts';
import { addTurnNoise, type TurnNoise } from './rounds/turn-noise.ts';
import { addWarmups, type Warmups } from './rounds/warmups.ts';
import type { VoidCounts } from './void-slices.ts';

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
  /** How many these are, and where the run ended, for what may be spent of the error. */
  readonly course: Course;
  /** By round, one sample of the cell; a round without slices of the cell is not in the map. */
  samples(cell: ArmCell): ReadonlyMap<number, CellSample>;
  /**
   * A metric of an arm by round, or of both the control's arms as one side. Where arms had their turns in groups, as it
   * was in the group that the arm `beside` was in.
   */
  series(metric: Metric, cells: readonly ArmCell[], beside?: ArmCell): Series;
  /** Which group the cell was in, by round: the same text for arms that always took turns with each other. */
  groupsOf(cell: ArmCell): string;
  /** By round, the noise of ln(rate) that the turns of the cell's pass show; rounds in whole slices are not in it. */
  turnNoise(cell: ArmCell): ReadonlyMap<number, Spread>;
  /** Of all slices of complete rounds, every attempt counted. */
  readonly voids: VoidCounts;
  voidsOf(cell: ArmCell): VoidCounts;
  /** In how many rounds the cell's arm was not yet steady when its warm-up ended. */
  unsteadyRounds(cell: ArmCell): number;
  /** What came of the cells' requests that no other number counts, over all complete rounds. */
  uncounted(cells: readonly ArmCell[]): Uncounted;
  /** Of the cells' arms over all complete rounds; null where they have no bulk loads. Void ones are in it: rows are rows. */
  bulk(cells: readonly ArmCell[]): BulkTotals | null;
  /** What probes told in rows, of the cells together. */
  detail(cells: readonly ArmCell[]): CellDetail;
  /** What the cells' arms did while no arm was under load, over all complete rounds. */
  idle(cells: readonly ArmCell[]): IdleWork;
  /** How disturbed the machine was. */
  readonly conditions: ConditionsSeen;
  /** How arms took turns, by load level; empty for an old journal. */
  readonly passes: readonly LevelPasses[];
  /** How settings were switched live, by load level; empty where arms are processes of their own. */
  readonly live: readonly LiveLevel[];
  /** Null where the scenario says how long arms are warmed, and in an old journal. */
  readonly warmups: Warmups | null;
  /** The mean length of a complete round; null where there is none. */
  readonly roundMs: number | null;
  /** The indexes of every arm in every complete round, where they were recorded. */
  readonly indexes: readonly IndexesRecord[];
  /** Variants whose service closed the connection after each answer. */
  readonly closing: ReadonlySet<string>;
  /** All complete rounds of the cells merged into one sample; null where there is no slice. */
  merged(cells: readonly ArmCell[]): CellSample | null;
  /** The same with void slices in it, for what is not judged and people look at. */
  withVoidSlices(): Observations;
}

/** What is judged of a journal; a run that is still going on has no more than this. */
export type JournalSoFar = Pick<Journal, 'run' | 'records'>;

export interface ObserveOptions {
  /** Histograms take most of the time of judging, and 2xx/s needs none. */
  readonly latencies?: 'merged' | 'left alone';
}

/** What all cells together are made from. */
interface Gathered extends Observed {
  readonly cells: Map<string, Cell>;
  readonly rounds: number[];
  readonly idles: Map<string, IdleRecord[]>;
}

/** Sorts a journal's slices into complete rounds and cells. Goes through its records once and keeps none of them. */
export function observe(journal: JournalSoFar, options: ObserveOptions = {}): Observations {
  const { scenario, quick } = journal.run;
  const turnNoise: TurnNoise = new Map();
  const gathered: Gathered = { cells: new Map(), rounds: [], control: scenario.control, idles: new Map(), turnNoise };
  const { cells, rounds } = gathered;
  const indexes: IndexesRecord[] = [];
  const closing = new Set<string>();
  const conditions = newConditions();
  const levels = newLevels(scenario.load.levels);
  const blocks = new Map<string, LiveBlocks>();
  let totalMs = 0;
  let warmups: Warmups | null = null;
  const merge = options.latencies === 'left alone' ? null : roundMerger();
  const beside = visitRounds(journal, (complete) => {
    rounds.push(complete.round);
    totalMs += complete.durationMs;
    indexes.push(...complete.indexes);
    seeConditions(conditions, complete);
    addPasses(levels, complete);
    addLiveBlocks(blocks, complete, scenario.control);
    addTurnNoise(turnNoise, complete);
    warmups = addWarmups(warmups, complete);
    addIdles(gathered, complete);
    for (const { slice } of complete.slices) if (closesConnections(slice)) closing.add(slice.variant);
    addCells(gathered, complete, merge);
    addUncountedLoad(gathered, complete);
  });
  rounds.sort((a, b) => a - b);
  const roundMs = rounds.length === 0 ? null : totalMs / rounds.length;
  const course = { rounds: rounds.length, ends: beside.ends };
  const passes = levels.filter((level) => level.passes > 0);
  const live = liveLevels(blocks, scenario.variants);
  const own = { scenario, quick, rounds, course, indexes, closing, conditions, passes, live, warmups, roundMs };
  const common = { ...own, ...beside };
  const withVoidSlices = (): Observations => ({
    ...common,
    ...lookUp({ ...gathered, cells: withVoid(cells, rounds) }),
    withVoidSlices,
  });
  return { ...common, ...lookUp(gathered), withVoidSlices };
}

function addIdles({ idles }: Gathered, { slices, idles: records }: CompleteRound): void {
  const arms = new Map(slices.map(({ slice }) => [slice.arm, slice]));
  for (const record of records) {
    const arm = arms.get(record.arm);
    if (arm === undefined) continue;
    const key = armKey(arm);
    const known = idles.get(key);
    if (known === undefined) idles.set(key, [record]);
    else known.push(record);
  }
}

/** What slices left uncounted, and what came of load that was for no slice. */
function addUncountedLoad({ cells }: Gathered, { slices, uncounted }: CompleteRound): void {
  const add = (key: string, more: Uncounted): void => {
    const cell = cells.get(key);
    if (cell !== undefined) cell.uncounted = addUncounted(cell.uncounted, more);
  };
  for (const { slice, again } of slices) if (!again) add(keyOf(slice), uncountedOfSlice(slice));
  const arms = new Map(slices.map(({ slice }) => [slice.arm, slice]));
  for (const record of uncounted) {
    const arm = arms.get(record.arm);
    if (arm !== undefined) add(keyOf({ ...arm, load: record.load }), uncountedOfRecord(record));
  }
}

function addCells({ cells, control }: Gathered, complete: CompleteRound, merge: MergeLatencies | null): void {
  for (const [key, all] of byCell(complete)) {
    const cell = cells.get(key) ?? newCell(merge !== null);
    cells.set(key, cell);
    cell.reasons.push(...all.map(({ voided }) => voided));
    const slices = all.filter(({ again }) => !again);
    cell.bulkLoads.push(...slices.flatMap(({ slice }) => bulkLoadOf(slice, complete.bulkChecks) ?? []));
    if (slices.some(({ slice }) => complete.unsteadyArms.includes(slice.arm))) cell.unsteadyRounds++;
    addToCell(cell, complete, slices, merge);
    addGroups(cell, control, complete, slices, merge);
  }
}

/** Where arms had their turns in groups, the control's arms are in each of them, and every other arm in one. */
function addGroups(
  cell: Cell,
  control: string,
  complete: CompleteRound,
  slices: readonly JudgedSlice[],
  merge: MergeLatencies | null,
): void {
  const groups = new Set(slices.flatMap(({ slice }) => slice.group ?? []));
  for (const group of groups) {
    const own = slices.filter(({ slice }) => slice.group === group);
    if (own[0]?.slice.variant !== control) {
      cell.groupOf.set(complete.round, group);
      continue;
    }
    const ofGroup = cell.groups.get(group) ?? newCell(false);
    cell.groups.set(group, ofGroup);
    addToCell(ofGroup, complete, own, merge);
  }
}

/** Adds a round's slices of a cell: those that count, and where others do not, all of them too. */
function addToCell(
  cell: Cell,
  { round, createdInWarmup }: CompleteRound,
  slices: readonly JudgedSlice[],
  merge: MergeLatencies | null,
): void {
  const counted = slices.filter(({ voided }) => voided.length === 0);
  const others = slices.filter(({ voided }) => voided.length > 0);
  const valuesIn = (some: readonly JudgedSlice[]): ProbeValues[] => some.flatMap(({ probes }) => valuesByProbe(probes));
  const created = createdInWarmup.get(slices[0]?.slice.arm ?? '') ?? 0;
  const { whole, counted: partly, all } = cell.details;
  if (others.length === 0) addSlices(whole, slices, created);
  else {
    if (counted.length > 0) addSlices(partly, counted, created);
    addSlices(all, slices, created);
  }
  if (counted.length > 0) {
    const latency = merge === null ? null : merge(counted, cell.latencies);
    cell.samples.set(round, sampleOf(counted, latency, cell.probes.add(valuesIn(counted))));
  }
  if (others.length > 0) {
    if (merge !== null) {
      if (cell.latencies !== null) cell.voidLatencies ??= new LatencyCounts();
      merge(others, cell.voidLatencies);
    }
    const latency = merge === null ? null : merge(slices, null);
    cell.withVoid.set(round, sampleOf(slices, latency, cell.probesWithVoid.add(valuesIn(slices))));
  }
}

function addSlices(detail: CellDetail, slices: readonly JudgedSlice[], createdInWarmup: number): void {
  addRound(detail, slices);
  detail.created += createdInWarmup;
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

type MergeLatencies = (measured: readonly MeasuredSlice[], total: LatencyCounts | null) => LatencyFigures;

/** Merges the latencies of a cell's slices in a round, and adds them to a total. */
function roundMerger(): MergeLatencies {
  const ofRound = new LatencyCounts();
  return (measured, total) => {
    for (const { slice } of measured) ofRound.addRecord(slice.latency);
    total?.add(ofRound);
    const merged = ofRound.figures();
    ofRound.clear();
    const [first] = measured;
    if (first === undefined || measured.length > 1) return merged;
    // Of a single slice the record says it all; its histogram is not to be kept.
    const { histogram: _, ...recorded } = first.slice.latency;
    return recorded;
  };
}
