import { groupBy } from '../../base/group-by.ts';
import type { JournalSoFar } from '../../journal/journal.ts';
import { loadKey } from '../../journal/load-level.ts';
import { closesAfterEachAnswer } from '../../journal/outcomes.ts';
import type { IdleRecord } from '../../journal/pass-records.ts';
import type { RunRecord, SliceRecord } from '../../journal/records.ts';
import type { IndexesRecord } from '../../journal/treatment-records.ts';
import type { RunProgress } from '../stats/looks.ts';
import { bulkLoadOf } from './cells/bulk-loads.ts';
import { addHousekeeping, type Cell, newCell, withVoid } from './cells/cell.ts';
import { addRound } from './cells/cell-detail.ts';
import { sampleOf } from './cells/cell-sample.ts';
import { LatencyCounts, type LatencyFigures } from './cells/latency-counts.ts';
import type { RoundLatencies } from './cells/round-latencies.ts';
import { addDiscarded, addToRound, type Uncounted, uncountedOfRecord, uncountedOfSlice } from './cells/uncounted.ts';
import { judgedRun } from './judged-run.ts';
import { armKey, keyOf, loadKeyIn, lookUp, type Observed } from './look-up.ts';
import type { ProbeValues } from './metrics/metric-aliases.ts';
import { valuesByProbe } from './metrics/probe-values.ts';
import { doubledVariant } from './other-control.ts';
import { addLiveBlocks, type LiveBlocks, liveLevels } from './parts/live.ts';
import { type CapacitySeen, gatherCapacity } from './rounds/capacity-points.ts';
import {
  type BesideRounds,
  type CompleteRound,
  type JudgedSlice,
  type MeasuredSlice,
  visitRounds,
} from './rounds/complete-rounds.ts';
import { newConditions, seeConditions } from './rounds/disturbance.ts';
import { drawnShares } from './rounds/mix-check.ts';
import { addPassTimes, newPassTimes, placeIn } from './rounds/pass-times.ts';
import { addPasses, newLevels } from './rounds/passes.ts';
import { type SliceTrend, trendsOf } from './rounds/trends.ts';
import { addTurnFacts, type TurnsSeen, turnFacts } from './rounds/turn-facts.ts';
import { addTurnNoise, type TurnNoise, turnRates } from './rounds/turn-rates.ts';
import { addWarmups, type Warmups } from './rounds/warmups.ts';
import type { RunData } from './run-data.ts';

export interface AggregateOptions {
  /** Histograms take most of the time of judging, and 2xx/s needs none. */
  readonly latencies?: 'merged' | 'left alone';
  /** Is shown each complete round, too. */
  readonly alsoSee?: (round: CompleteRound) => void;
}

/** The sums of all cells. */
interface Gathered extends Observed, Pick<CapacitySeen, 'expected'> {
  readonly cells: Map<string, Cell>;
  readonly rounds: number[];
  readonly idles: Map<string, IdleRecord[]>;
}

/** Adds up a run round by round, and keeps no record of it. */
export interface RunAggregate {
  add(round: CompleteRound): void;
  /** All rounds so far, with the journal's other facts. */
  data(beside: BesideRounds): RunData;
}

/** Sorts a journal's slices into complete rounds and cells. Goes through its records once, and once more where variants were proposed. */
export function aggregateRun(whole: JournalSoFar, options: AggregateOptions = {}): RunData {
  const journal = judgedRun(whole);
  const aggregate = aggregateRounds(journal.run, options);
  return aggregate.data(visitRounds(journal, aggregate.add));
}

/** Aggregates rounds as they come. */
export function aggregateRounds(
  { scenario, quick, merged }: Pick<RunRecord, 'scenario' | 'quick' | 'merged'>,
  options: AggregateOptions = {},
): RunAggregate {
  const turnNoise: TurnNoise = new Map();
  const capacity = gatherCapacity(scenario.load);
  const gathered: Gathered = {
    cells: new Map(),
    rounds: [],
    doubled: doubledVariant(scenario),
    idles: new Map(),
    turnNoise,
    expected: capacity.expected,
  };
  const { cells, rounds } = gathered;
  const indexes: IndexesRecord[] = [];
  const closing = new Set<string>();
  const conditions = newConditions();
  const levels = newLevels(scenario.load.levels);
  const turnsSeen: TurnsSeen = new Map();
  const drawn = drawnShares(scenario.load.workload);
  const blocks = new Map<string, LiveBlocks>();
  const times = newPassTimes();
  const machineOf = new Map<number, number>();
  const trends: SliceTrend[] = [];
  let totalMs = 0;
  let warmups: Warmups | null = null;
  const merge = options.latencies === 'left alone' ? null : roundMerger();
  return {
    add(round) {
      options.alsoSee?.(round);
      rounds.push(round.round);
      if (round.machine !== undefined) machineOf.set(round.round, round.machine);
      totalMs += round.durationMs;
      indexes.push(...round.indexes);
      seeConditions(conditions, round);
      addPasses(levels, round);
      addTurnFacts(turnsSeen, round);
      addPassTimes(times, round);
      addLiveBlocks(blocks, round, scenario.control);
      addTurnNoise(turnNoise, round);
      trends.push(...trendsOf(round));
      warmups = addWarmups(warmups, round);
      capacity.add(round);
      addIdles(gathered, round);
      for (const { slice } of round.slices) if (closesAfterEachAnswer(slice)) closing.add(slice.variant);
      addCells(gathered, round, merge);
      addUncountedLoad(gathered, round);
    },
    data(beside) {
      rounds.sort((a, b) => a - b);
      const roundMs = rounds.length === 0 ? null : totalMs / rounds.length;
      const course: RunProgress = { rounds: rounds.length, ends: beside.ends, ...(merged && { once: true }) };
      const passes = levels
        .filter((level) => level.passes > 0)
        .map((level) => ({ ...level, ...turnFacts(turnsSeen, level.load, drawn) }));
      const own = {
        scenario,
        quick,
        rounds,
        course,
        machineOf,
        indexes,
        closing,
        conditions,
        passes,
        live: liveLevels(blocks, scenario.variants),
        trends,
        warmups,
        roundMs,
        capacity: capacity.arms(),
        placeIn: placeIn(times),
      };
      const dataOf = (observed: Observed): RunData => ({
        ...own,
        ...beside,
        ...lookUp(observed),
        withVoidSlices: (levels) => {
          const wanted = levels && new Set(levels.map(loadKey));
          const isWanted = (key: string): boolean => wanted?.has(loadKeyIn(key)) ?? true;
          return dataOf({ ...gathered, cells: withVoid(cells, rounds, isWanted) });
        },
      });
      return dataOf(gathered);
    },
  };
}

function addIdles({ idles }: Gathered, { slices, idles: records }: CompleteRound): void {
  const arms = new Map(slices.map(({ slice }) => [slice.arm, slice]));
  for (const record of records) {
    const arm = arms.get(record.arm);
    if (arm === undefined) continue;
    const known = idles.get(armKey(arm)) ?? [];
    idles.set(armKey(arm), known);
    known.push(record);
  }
}

/** Adds the uncounted part of slices, and the load that was for no slice. */
function addUncountedLoad({ cells }: Gathered, { round, slices, uncounted }: CompleteRound): void {
  const add = (key: string, more: Uncounted): void => addToRound(cells.get(key)?.uncounted, round, more);
  for (const { slice } of slices) add(keyOf(slice), uncountedOfSlice(slice));
  const arms = new Map(slices.map(({ slice }) => [slice.arm, slice]));
  for (const record of uncounted) {
    const arm = arms.get(record.arm);
    if (arm !== undefined) add(keyOf({ ...arm, load: record.load }), uncountedOfRecord(record));
  }
}

function addCells({ cells, doubled, expected }: Gathered, complete: CompleteRound, merge: MergeLatencies | null): void {
  for (const slices of groupBy(complete.slices, ({ slice }) => keyOf(slice))) {
    const [first] = slices;
    if (first === undefined) continue;
    const key = keyOf(first.slice);
    const cell = cells.get(key) ?? newCell(merge !== null);
    cells.set(key, cell);
    const reasons = slices.map(({ voided }) => voided.filter((reason) => !expected.has(reason)));
    cell.reasons.push(...reasons);
    const discarded = slices.flatMap(({ slice }, place) => (reasons[place]?.length ? slice : []));
    cell.discarded = addDiscarded(cell.discarded, discarded);
    cell.bulkLoads.push(...slices.flatMap(({ slice }) => bulkLoadOf(slice, complete.bulkChecks) ?? []));
    if (slices.some(({ slice }) => complete.unsteadyArms.includes(slice.arm))) cell.unsteadyRounds++;
    addToCell(cell, complete, slices, merge);
    addGroups(cell, doubled, complete, slices, merge);
  }
}

/** Where arms had their turns in groups, the two arms of one variant are in each of them, and every other arm in one. */
function addGroups(
  cell: Cell,
  doubled: string,
  complete: CompleteRound,
  slices: readonly JudgedSlice[],
  merge: MergeLatencies | null,
): void {
  const groups = new Set(slices.flatMap(({ slice }) => slice.group ?? []));
  for (const group of groups) {
    const own = slices.filter(({ slice }) => slice.group === group);
    if (own[0]?.slice.variant !== doubled) {
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
  const rates = turnRates(slices.map(({ slice }) => slice));
  if (rates.length > 0) cell.turnRates.set(round, rates);
  const [course] = slices.flatMap(({ slice: { course, windowMs } }) => (course ? { ...course, windowMs } : []));
  if (course !== undefined) cell.courses.set(round, course);
  const counted = slices.filter(({ voided }) => voided.length === 0);
  const others = slices.filter(({ voided }) => voided.length > 0);
  const valuesIn = (some: readonly JudgedSlice[]): ProbeValues[] => some.flatMap(({ probes }) => valuesByProbe(probes));
  const created = createdInWarmup.get(slices[0]?.slice.arm ?? '') ?? 0;
  const { whole, counted: partly, all } = cell.details;
  if (others.length === 0) addRound(whole, slices, created);
  else {
    if (counted.length > 0) addRound(partly, counted, created);
    addRound(all, slices, created);
  }
  if (counted.length > 0) {
    if (cell.latencies !== null) cell.parts.addSlices(counted.map(sliceIn), cell.latencies);
    const latency =
      merge === null ? null : merge(counted, { total: cell.latencies, into: [round, cell.roundLatencies] });
    for (const { slice } of counted) {
      cell.requestLatencies?.add(slice);
      addHousekeeping(cell, slice.housekeeping);
    }
    if (merge !== null) addWithoutJob(cell, round, counted, merge);
    cell.samples.set(round, sampleOf(counted, latency, cell.probes.add(valuesIn(counted))));
  }
  if (others.length > 0) {
    if (merge !== null) {
      if (cell.latencies !== null) {
        cell.voidLatencies ??= new LatencyCounts();
        cell.voidParts.addSlices(others.map(sliceIn), cell.voidLatencies);
      }
      merge(others, { total: cell.voidLatencies });
    }
    const latency = merge === null ? null : merge(slices, { into: [round, cell.roundLatenciesWithVoid] });
    cell.withVoid.set(round, sampleOf(slices, latency, cell.probesWithVoid.add(valuesIn(slices))));
  }
}

/** Requests just before a job have their own percentiles. */
function addWithoutJob(cell: Cell, round: number, counted: readonly JudgedSlice[], merge: MergeLatencies): void {
  const before = counted.flatMap(({ slice, ...rest }) =>
    slice.beside === undefined ? [] : [{ ...rest, slice: { ...slice, latency: slice.beside.without.latency } }],
  );
  if (before.length > 0) merge(before, { into: [round, cell.withoutJob] });
}

function sliceIn({ slice }: JudgedSlice): SliceRecord {
  return slice;
}

/** Further places that keep merged latencies. */
interface KeptIn {
  readonly total?: LatencyCounts | null;
  readonly into?: readonly [round: number, latencies: RoundLatencies];
}

type MergeLatencies = (measured: readonly MeasuredSlice[], kept: KeptIn) => LatencyFigures;

/** Merges the latencies of a cell's slices in a round, and keeps them. */
function roundMerger(): MergeLatencies {
  const ofRound = new LatencyCounts();
  return (measured, { total, into }) => {
    for (const { slice } of measured) ofRound.addRecord(slice.latency);
    total?.add(ofRound);
    into?.[1].set(into[0], ofRound);
    const merged = ofRound.figures();
    ofRound.clear();
    const [first] = measured;
    if (first === undefined || measured.length > 1) return merged;
    // The record of a single slice has all figures but one; its histogram is not to be kept.
    const { histogram: _, ...recorded } = first.slice.latency;
    return { ...recorded, p999Us: merged.p999Us };
  };
}
