import { byName } from '../../../base/by-name.ts';
import { addTo, groupBy } from '../../../base/group-by.ts';
import type { BulkCheckRecord } from '../../../journal/bulk-records.ts';
import type { LevelsRecord } from '../../../journal/capacity/capacity-records.ts';
import type { JobRecord } from '../../../journal/job-spec.ts';
import type { JournalSoFar } from '../../../journal/journal.ts';
import type { Left } from '../../../journal/left-records.ts';
import { lineUpAfter, plannedLineUp } from '../../../journal/line-up.ts';
import { loadKey } from '../../../journal/load-level.ts';
import type { ConditionsRecord, IdleRecord, PassRecord } from '../../../journal/pass-records.ts';
import type { HeldSessions } from '../../../journal/pool-size.ts';
import type {
  ArmRecord,
  CountersRecord,
  EndRecord,
  FailedRecord,
  JournalRecord,
  ProbeRecord,
  ResumeRecord,
  SliceRecord,
  VoidReason,
} from '../../../journal/records.ts';
import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import type { IndexesRecord } from '../../../journal/treatment-records.ts';
import type { UncountedRecord, WarmupRecord } from '../../../journal/uncounted-records.ts';
import { mean, sum } from '../../stats/moments.ts';
import { significant } from '../../stats/rounding.ts';
import { runAways } from '../../stats/slopes.ts';
import { type ArmCores, coresOfSlices } from './core-shares.ts';
import { type LinkSummary, readLinks } from './links.ts';
import { readSessionTurns } from './session-turns.ts';
import { voidReasonsOf } from './void-reasons.ts';

/** A slice with its database counters, where it has any. */
export interface MeasuredSlice {
  readonly slice: SliceRecord;
  readonly counters: CountersRecord | null;
  readonly probes: readonly ProbeRecord[];
  /** The pass that it is of; null where the journal lacks it. */
  readonly pass: PassRecord | null;
}

/** A slice, and why it does not count (empty where it does). */
export interface JudgedSlice extends MeasuredSlice {
  readonly voided: readonly VoidReason[];
  /** The state of the machine during its pass. Null where that is not known. */
  readonly conditions: ConditionsRecord | null;
  /** Cores that its arm had meanwhile; null where it had no load. */
  readonly cores: ArmCores | null;
}

export interface CompleteRound {
  readonly round: number;
  /** Which machine it is from; absent where the run was not merged. */
  readonly machine?: number;
  readonly durationMs: number;
  readonly slices: readonly JudgedSlice[];
  /** The passes that count. */
  readonly passes: readonly PassRecord[];
  /** The work of arms while no arm was under load. */
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
  /** The load levels that capacities are looked for with; empty in other runs. */
  readonly levels: readonly LevelsRecord[];
}

/** The content of a journal beside its rounds. */
export interface BesideRounds {
  /** Slices of rounds that were never completed. */
  readonly ignoredSlices: number;
  /** Where the run was resumed and where it ended, in order. */
  readonly turns: readonly (ResumeRecord | EndRecord | FailedRecord)[];
  /**
   * After how many complete rounds it ended for a reason that does not depend on its results: its budget or its most
   * rounds. More than one where it was resumed afterwards.
   */
  readonly ends: readonly number[];
  /** The cells and load levels that are not measured any more. */
  readonly left: Left;
  /** Keys of the load levels whose turns got longer, since shorter ones hid waits for certain. */
  readonly hidWaits: ReadonlySet<string>;
  /** By variant, how often a service was killed since it did not end, in all rounds, complete or not. */
  readonly killed: Readonly<Record<string, number>>;
  /** By variant, the most sessions that one of its arms was seen to hold, in all rounds, complete or not. */
  readonly held: ReadonlyMap<string, HeldSessions>;
  /** Links between services and their databases, in all rounds, complete or not. */
  readonly links: readonly LinkSummary[];
  /** The last arm of each variant, by the variant's name. */
  readonly arms: ReadonlyMap<string, ArmRecord>;
  /** The time that it took to make an arm fresh, means over all arms; null where there was none. */
  readonly reset: ResetTimes | null;
}

export interface ResetTimes {
  /** To copy the loaded database; 0 where it is not the bench's. */
  readonly copyMs: number;
  /** To start the service; 0 where there is none. */
  readonly startMs: number;
  /** States of shared_buffers when a job started; absent where none ran. */
  readonly buffers?: readonly JobRecord['buffers'][];
}

/** The record types that make up a round. */
const parts = [
  'slice',
  'counters',
  'probe',
  'pass',
  'idle',
  'warmup',
  'uncounted',
  'bulk-check',
  'indexes',
  'levels',
] as const satisfies readonly JournalRecord['type'][];

type Part = (typeof parts)[number];

/** A round that has begun: its records by type. */
type OpenRound = { readonly [Type in Part]: Extract<JournalRecord, { type: Type }>[] };

const emptyRound = (): OpenRound =>
  Object.fromEntries(parts.map((part): [Part, []] => [part, []])) as unknown as OpenRound;

/** Follows the records of a run, each handed over once and in order. */
interface RoundReader {
  add(record: JournalRecord): void;
  /** The records so far that belong to no round. `isEnd`: as if the run ended here for a reason that does not depend on its results. */
  beside(isEnd?: boolean): BesideRounds;
}

/**
 * Hands on each round when it is complete: whoever keeps less of it than its slices needs little memory for a long run. A
 * resumed run begins its unfinished round again under the same number, and nothing is kept of the first attempt: its
 * arms were other processes.
 */
export function readRounds(scenario: ResolvedScenario, visit: (round: CompleteRound) => void): RoundReader {
  const open = new Map<number, OpenRound>();
  const visited = new Set<number>();
  const sessionTurns = readSessionTurns();
  const ends: number[] = [];
  const arms = new Map<string, ArmRecord>();
  const resets: ResetTimes[] = [];
  const buffers = new Set<JobRecord['buffers']>();
  const killed = byName<number>();
  const held = new Map<string, HeldSessions>();
  const links = readLinks();
  let dropped = 0;
  const hidWaits = new Set<string>();
  let lineUp = plannedLineUp;
  const openSlices = (): number => sum([...open.values()].map(({ slice }) => slice.length));
  const add = (record: JournalRecord): void => {
    links.add(record);
    lineUp = lineUpAfter(lineUp, record);
    sessionTurns.add(record, visited.size);
    if (record.type === 'resume') {
      dropped += openSlices();
      open.clear();
    } else if (record.type === 'end') {
      // 'unsettled' is by time, too, but whether time is added depends on results. If such runs spent an end's share here, and those
      // that continue spent one at their end, a session would have two chances.
      if (record.reason === 'budget' || record.reason === 'rounds') ends.push(visited.size);
    } else if (record.type === 'refused') {
      // Its round began again without that variant.
      dropped += open.get(record.round)?.slice.length ?? 0;
      open.delete(record.round);
    } else if (record.type === 'lengths') {
      for (const { load, leastTurnMs } of record.levels) if (leastTurnMs !== undefined) hidWaits.add(loadKey(load));
    } else if (record.type === 'arm') {
      arms.set(record.variant, record);
      resets.push({ copyMs: record.copyMs, startMs: scenario.target.kind === 'none' ? 0 : record.startMs });
    } else if (record.type === 'killed') {
      killed[record.variant] = (killed[record.variant] ?? 0) + 1;
    } else if (record.type === 'sessions') {
      const { variant, sessions, processes } = record;
      if (sessions >= (held.get(variant)?.sessions ?? 0)) held.set(variant, { sessions, processes });
    } else if (record.type === 'round') {
      if (visited.has(record.round)) return;
      visited.add(record.round);
      const { round, durationMs, machine } = record;
      const own = { round, durationMs, ...(machine !== undefined && { machine }) };
      visit({ ...closeRound(open.get(round) ?? emptyRound(), scenario), ...own });
      open.delete(record.round);
    } else if (isPart(record)) {
      if (record.type === 'slice' && record.job !== undefined) buffers.add(record.job.buffers);
      const round = open.get(record.round) ?? emptyRound();
      open.set(record.round, round);
      (round[record.type] as JournalRecord[]).push(record);
    }
  };
  return {
    add,
    beside: (isEnd = false) => ({
      ignoredSlices: dropped + openSlices(),
      turns: sessionTurns.turns,
      ends: isEnd ? [...ends, visited.size] : ends,
      left: lineUp.left,
      hidWaits,
      arms,
      killed,
      held,
      links: links.links(),
      reset: meanReset(resets, buffers),
    }),
  };
}

function isPart(record: JournalRecord): record is Extract<JournalRecord, { type: Part }> {
  return (parts as readonly string[]).includes(record.type);
}

/** Hands on each complete round of a journal. */
export function visitRounds({ run, records }: JournalSoFar, visit: (round: CompleteRound) => void): BesideRounds {
  const reader = readRounds(run.scenario, visit);
  for (const record of records) reader.add(record);
  return reader.beside();
}

function closeRound(
  open: OpenRound,
  scenario: ResolvedScenario,
): Omit<CompleteRound, 'round' | 'machine' | 'durationMs'> {
  const { slice: slices, warmup: warmups } = open;
  const counters = new Map(open.counters.map((record) => [record.slice, record]));
  const probes = new Map<number, ProbeRecord[]>();
  for (const record of open.probe) probes.set(record.slice, [...(probes.get(record.slice) ?? []), record]);
  // A pass that was made again in whole slices has none of its slices in the journal.
  const passes = open.pass.filter(({ repeated }) => repeated !== true);
  const measured = slices.map((slice): MeasuredSlice => {
    const [own, pass] = [counters.get(slice.slice) ?? null, passOf(passes, slice)];
    return { slice, counters: own, probes: probes.get(slice.slice) ?? [], pass };
  });
  const cores = coresOfSlices(measured);
  return {
    slices: measured.map((one) => ({
      ...one,
      conditions: one.pass?.conditions ?? null,
      cores: cores.get(one.slice) ?? null,
      voided: voidReasonsOf(one.slice, one.counters, scenario),
    })),
    passes,
    idles: open.idle,
    warmups,
    uncounted: open.uncounted,
    createdInWarmup: createdIn(warmups),
    // One after the other, since arms are warmed for one workload after the other.
    unsteadyArms: groupBy(warmups, ({ load }) => loadKey(load)).flatMap(unsteadyArms),
    bulkChecks: open['bulk-check'],
    indexes: open.indexes,
    levels: open.levels,
  };
}

function createdIn(warmups: readonly WarmupRecord[]): Map<string, number> {
  const created = new Map<string, number>();
  for (const { arm, outcomes } of warmups) addTo(created, arm, outcomes['201'] ?? 0);
  return created;
}

/** The pass of a slice; of several, in groups, the pass of its own group. */
function passOf(passes: readonly PassRecord[], { pass, group }: SliceRecord): PassRecord | null {
  return passes.find((one) => one.pass === pass && one.group === group) ?? null;
}

function meanReset(resets: readonly ResetTimes[], buffers: ReadonlySet<JobRecord['buffers']>): ResetTimes | null {
  if (resets.length === 0) return null;
  return {
    copyMs: significant(mean(resets.map(({ copyMs }) => copyMs))),
    startMs: significant(mean(resets.map(({ startMs }) => startMs))),
    ...(buffers.size > 0 && { buffers: [...buffers] }),
  };
}

/**
 * An arm whose rate moves by more than three standard errors against the others' in the last third of its warm-up. Throughput
 * grows for minutes, but in all arms alike; a turn scatters by 20 %. With twelve turns in a third that is 25 %.
 */
const STANDARD_ERRORS = 3;
const TURN_SCATTER = 0.2;

function mostMove(turns: number): number {
  return STANDARD_ERRORS * TURN_SCATTER * Math.sqrt(2 / Math.max(1, Math.floor(turns / 3)));
}

/** The names of a round's arms that were not steady when the warm-up ended: their rate still ran away from the others'. */
export function unsteadyArms(warmups: readonly WarmupRecord[]): string[] {
  const moves = runAways(warmups.map(({ turns, turnsMs }) => turns.map((ok, turn) => ok / (turnsMs?.[turn] ?? 1))));
  const running = warmups.filter(({ turns }, arm) => Math.abs(moves[arm] ?? 0) > mostMove(turns.length));
  return running.map(({ arm }) => arm);
}
