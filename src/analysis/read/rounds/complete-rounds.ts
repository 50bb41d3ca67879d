import type { BulkCheckRecord } from '../../../journal/bulk-records.ts';
import type { ConditionsRecord, IdleRecord, PassRecord } from '../../../journal/pass-records.ts';
import type {
  ArmRecord,
  CountersRecord,
  EndRecord,
  ProbeRecord,
  ResumeRecord,
  SliceRecord,
  VoidReason,
} from '../../../journal/records.ts';
import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import type { IndexesRecord } from '../../../journal/treatment-records.ts';
import type { UncountedRecord, WarmupRecord } from '../../../journal/uncounted-records.ts';
import { mean } from '../../../stats/moments.ts';
import { significant } from '../../../stats/rounding.ts';
import type { JournalSoFar } from '../aggregate-run.ts';
import type { MeasuredSlice } from '../cells/cell-sample.ts';
import { unsteadyArms } from './steadiness.ts';
import { voidReasonsOf } from './void-reasons.ts';

/** A slice, and why it does not count (empty where it does). */
export interface JudgedSlice extends MeasuredSlice {
  readonly voided: readonly VoidReason[];
  /** Another measurement of its place counts in its stead. Only in journals of version 0.1. */
  readonly again: boolean;
  /** What went on beside it: of its pass, or (old journals) of its own. Null where that is not known. */
  readonly conditions: ConditionsRecord | null;
}

export interface CompleteRound {
  readonly round: number;
  readonly durationMs: number;
  readonly slices: readonly JudgedSlice[];
  /** Those that count. Empty in old journals. */
  readonly passes: readonly PassRecord[];
  /** What arms did while no arm was under load. Empty in old journals. */
  readonly idles: readonly IdleRecord[];
  readonly warmups: readonly WarmupRecord[];
  /** Load that was for no slice. */
  readonly uncounted: readonly UncountedRecord[];
  /** Names of the arms that were not steady when their warm-up ended. */
  readonly unsteadyArms: readonly string[];
  /** By the arm's name, the answers during its warm-up that something was made (201). */
  readonly createdInWarmup: ReadonlyMap<string, number>;
  readonly bulkChecks: readonly BulkCheckRecord[];
  readonly indexes: readonly IndexesRecord[];
}

/** What else a journal tells. */
export interface BesideRounds {
  /** Slices of rounds that were never completed. */
  readonly ignoredSlices: number;
  /** Where the run was resumed and where it ended, in order. */
  readonly turns: readonly (ResumeRecord | EndRecord)[];
  /**
   * After how many complete rounds it ended for a reason that does not depend on its results: its budget or its most
   * rounds. More than one where it went on afterwards.
   */
  readonly ends: readonly number[];
  /** By variant, how often a service was killed since it did not end. Of all rounds, complete or not. */
  readonly killed: Readonly<Record<string, number>>;
  /** The last arm of each variant, by the variant's name. */
  readonly arms: ReadonlyMap<string, ArmRecord>;
  /** What it took to make an arm fresh, means over all arms; null where there was none. */
  readonly reset: ResetTimes | null;
}

export interface ResetTimes {
  /** To copy the loaded database; 0 where it is not the bench's. */
  readonly copyMs: number;
  /** To start the service. */
  readonly startMs: number;
}

/** What is known of a round that has begun. */
interface OpenRound {
  readonly slices: SliceRecord[];
  readonly counters: Map<number, CountersRecord>;
  /** By slice. */
  readonly probes: Map<number, ProbeRecord[]>;
  readonly passes: PassRecord[];
  readonly idles: IdleRecord[];
  readonly warmups: WarmupRecord[];
  readonly uncounted: UncountedRecord[];
  readonly bulkChecks: BulkCheckRecord[];
  readonly indexes: IndexesRecord[];
}

/**
 * Goes through a journal once and hands on each round when it is complete: whoever keeps less of it than its slices
 * needs little memory for a long run. A resumed run begins its unfinished round again under the same number, and
 * nothing is kept of the first attempt: its arms were other processes.
 */
export function visitRounds({ run, records }: JournalSoFar, visit: (round: CompleteRound) => void): BesideRounds {
  const open = new Map<number, OpenRound>();
  const visited = new Set<number>();
  const turns: (ResumeRecord | EndRecord)[] = [];
  const ends: number[] = [];
  const arms = new Map<string, ArmRecord>();
  const resets: ResetTimes[] = [];
  const killed: Record<string, number> = {};
  let ignoredSlices = 0;
  const dropOpen = (): void => {
    for (const { slices } of open.values()) ignoredSlices += slices.length;
    open.clear();
  };
  const openRound = (number: number): OpenRound => {
    const round = open.get(number) ?? newRound();
    open.set(number, round);
    return round;
  };
  for (const record of records) {
    if (record.type === 'resume') dropOpen();
    if (record.type === 'end' && (record.reason === 'budget' || record.reason === 'rounds')) ends.push(visited.size);
    if (record.type === 'resume' || record.type === 'end') turns.push(record);
    else if (record.type === 'arm') {
      arms.set(record.variant, record);
      resets.push({ copyMs: record.copyMs, startMs: record.startMs });
    } else if (record.type === 'slice') openRound(record.round).slices.push(record);
    else if (record.type === 'counters') openRound(record.round).counters.set(record.slice, record);
    else if (record.type === 'probe') addProbe(openRound(record.round), record);
    else if (record.type === 'pass') openRound(record.round).passes.push(record);
    else if (record.type === 'idle') openRound(record.round).idles.push(record);
    else if (record.type === 'warmup') openRound(record.round).warmups.push(record);
    else if (record.type === 'uncounted') openRound(record.round).uncounted.push(record);
    else if (record.type === 'killed') killed[record.variant] = (killed[record.variant] ?? 0) + 1;
    else if (record.type === 'bulk-check') openRound(record.round).bulkChecks.push(record);
    else if (record.type === 'indexes') openRound(record.round).indexes.push(record);
    else if (record.type === 'round' && !visited.has(record.round)) {
      visited.add(record.round);
      visit({ ...closeRound(record.round, openRound(record.round), run.scenario), durationMs: record.durationMs });
      open.delete(record.round);
    }
  }
  dropOpen();
  return { ignoredSlices, turns, ends, arms, killed, reset: meanReset(resets) };
}

function newRound(): OpenRound {
  const [counters, probes] = [new Map<number, CountersRecord>(), new Map<number, ProbeRecord[]>()];
  return {
    slices: [],
    counters,
    probes,
    passes: [],
    idles: [],
    warmups: [],
    uncounted: [],
    bulkChecks: [],
    indexes: [],
  };
}

function addProbe({ probes }: OpenRound, record: ProbeRecord): void {
  const ofSlice = probes.get(record.slice) ?? [];
  ofSlice.push(record);
  probes.set(record.slice, ofSlice);
}

function closeRound(round: number, open: OpenRound, scenario: ResolvedScenario): Omit<CompleteRound, 'durationMs'> {
  const { slices, counters, probes, warmups, bulkChecks, indexes } = open;
  // A pass that was made again in whole slices has no slices of its own in the journal.
  const passes = open.passes.filter(({ repeated }) => repeated !== true);
  // In an old journal several attempts may stand at one place in the round; its counters and what probes saw are those
  // of the last. The last that is valid counts, or the last of all.
  const last = new Map(slices.map((slice) => [slice.slice, slice]));
  const reasonsOf = (slice: SliceRecord): readonly VoidReason[] =>
    voidReasonsOf(slice, last.get(slice.slice) === slice ? (counters.get(slice.slice) ?? null) : null, scenario);
  const valid = slices.filter((slice) => reasonsOf(slice).length === 0);
  const counts = new Map([...last, ...valid.map((slice) => [slice.slice, slice] as const)]);
  return {
    round,
    slices: slices.map((slice) => {
      const isLast = last.get(slice.slice) === slice;
      const own = isLast ? (counters.get(slice.slice) ?? null) : null;
      const seen = isLast ? (probes.get(slice.slice) ?? []) : [];
      const pass = passOf(passes, slice);
      const conditions = pass?.conditions ?? slice.conditions ?? null;
      const [voided, again] = [reasonsOf(slice), counts.get(slice.slice) !== slice];
      return { slice, counters: own, probes: seen, pass, conditions, voided, again };
    }),
    passes,
    idles: open.idles,
    warmups,
    uncounted: open.uncounted,
    createdInWarmup: new Map(warmups.map(({ arm, outcomes }) => [arm, outcomes['201'] ?? 0])),
    unsteadyArms: unsteadyArms(warmups),
    bulkChecks,
    indexes,
  };
}

/** The pass that a slice is of; of several, in groups, that of its own group. Null in old journals. */
function passOf(passes: readonly PassRecord[], { pass, group }: SliceRecord): PassRecord | null {
  return passes.find((one) => one.pass === pass && one.group === group) ?? null;
}

function meanReset(resets: readonly ResetTimes[]): ResetTimes | null {
  if (resets.length === 0) return null;
  return {
    copyMs: significant(mean(resets.map(({ copyMs }) => copyMs))),
    startMs: significant(mean(resets.map(({ startMs }) => startMs))),
  };
}
