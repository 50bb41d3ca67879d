import type { Clock } from '../../../base/clock.ts';
import type { Reaper } from '../../../base/process/reaper.ts';
import type { CapacityGuess } from '../../../journal/capacity/capacity-records.ts';
import type { Journal, JournalWriter } from '../../../journal/journal.ts';
import { loadSize } from '../../../journal/load-level.ts';
import type { RoundRecord } from '../../../journal/records.ts';
import type { LoadLevel, ResolvedScenario } from '../../../journal/scenario-record.ts';
import type { OpenedLink, OpenLink } from '../../link/link.ts';
import type { switchService } from '../../live/switch-service.ts';
import type { LoadGenerator, LoadJob } from '../../load/load-generator.ts';
import type { Arm } from '../../plan/arms.ts';
import type { Places } from '../../plan/places.ts';
import type { ConditionsProbe } from '../../probe/meter/conditions.ts';
import type { CountersReader } from '../../probe/meter/database-counters.ts';
import type { DatabaseSampler } from '../../probe/meter/database-sampler.ts';
import type { SliceCounters } from '../../probe/meter/slice-counters.ts';
import type { TurnMeter } from '../../probe/meter/turn-meter.ts';
import { addressOf, type StartTarget } from '../../target/target.ts';
import type { EmitEvent } from '../events.ts';
import type { RoundReach, WatchedArm } from '../reach/watched.ts';
import type { ArmDatabases } from '../servers/arm-databases.ts';
import type { ArmIndices } from '../servers/arm-indices.ts';
import type { Servers } from '../servers/servers.ts';
import type { RunLineUp } from './run-line-up.ts';
import type { RunProbes } from './run-probes.ts';
import type { TurnSchedule } from './turn-schedule.ts';

/** Everything that a round touches. */
export interface RoundContext {
  /** Its variants are those of the round. */
  readonly scenario: ResolvedScenario;
  /** Those that the round starts: in the order of the plan, and within a round in the order of their places. */
  readonly arms: readonly Arm[];
  /** Which of them are not measured under some load level; absent where all are. */
  readonly lineUp?: RunLineUp;
  readonly places: Places;
  readonly seed: number;
  readonly stack: RoundStack;
  readonly load: RoundLoad;
  readonly watch: RoundWatch;
  readonly io: RoundIo;
}

/** Servers, and the means to bring arms to life on them. */
export interface RoundStack {
  readonly reaper: Reaper;
  /** Null where no variant has a Postgres. */
  readonly databases: ArmDatabases | null;
  /** Servers of the arms' databases; null where no variant has a Postgres. */
  readonly servers: Pick<Servers, 'of'> | null;
  /** Null where the stack has no OpenSearch. */
  readonly indices: ArmIndices | null;
  readonly openLink: OpenLink;
  readonly startTarget: StartTarget;
  readonly switchService: typeof switchService;
}

/** The load generator, and how long it loads each arm. */
export interface RoundLoad {
  readonly generator: LoadGenerator;
  /** How the arms of each load level share the time; kept from round to round. */
  readonly schedule: TurnSchedule;
  readonly levels: LevelSource;
  /** How long the job of each arm took beside load in the last round, by the arm's name. */
  readonly jobMs: Map<string, number>;
  /** Rounds whose arms have whole slices whatever the schedule says; absent where none. */
  readonly wholeSlicesIn?: (round: number) => boolean;
}

/** Observers of the machine, the services and their databases. */
export interface RoundWatch {
  readonly conditions: ConditionsProbe;
  readonly counters: SliceCounters | null;
  /** Reader of these counters, for load in turns; null where there are no `counters`. */
  readonly countersReader: Omit<CountersReader, 'close'> | null;
  /** Null where nothing can be read of services and databases. */
  readonly meter: TurnMeter | null;
  readonly sampler: DatabaseSampler | null;
  /** Null where none are wanted. */
  readonly probes: RunProbes | null;
  /** Share of one CPU that each arm used when all were left alone, by arm; filled in a session's first round. */
  readonly idleCpuShares: Map<string, number>;
  /** As `idleCpuShares`, of arms that had no load yet, for bulk loads; filled before the first one. */
  readonly coldCpuShares: Map<string, number>;
  /** Arms that used some CPU in the turns of others in their last pass. */
  readonly laterArms: Set<string>;
  /** Watches in the first round of a session if arms use their copies; null where none have any. */
  readonly reach: RoundReach | null;
  /** Arms of whose dry pools a warning was given. */
  readonly dryArms: Set<string>;
}

/** Clock, signal, and everything that is written or shown. */
export interface RoundIo {
  readonly folder: string;
  readonly clock: Clock;
  readonly journal: JournalWriter;
  readonly emit: EmitEvent;
  readonly signal: AbortSignal;
}

/** Where the load levels of a run come from, kept from round to round (levels/). */
export interface LevelSource {
  /** Levels of the last round; before it, those that are known. */
  readonly levels: readonly LoadLevel[];
  /** The next round, as far as it is known before its levels are chosen. */
  readonly next: NextLevels;
  /** Levels that arms are warmed up for, before those of the round are chosen. */
  readonly warming: readonly LoadLevel[];
  /** Chooses the levels of a round, for all arms alike. They are warm. */
  choose(context: RoundContext, wanted: RoundToLoad, progress: RoundProgress): Promise<readonly LoadLevel[]>;
  /** Takes what the judging half has seen by the end of a round. */
  learn(seen: { readonly guesses?: readonly CapacityGuess[] }): void;
  /** Continues where the rounds of an interrupted run ended. */
  resume(journal: Pick<Journal, 'records'>): void;
}

/** Levels of a round that has not begun. */
export interface NextLevels {
  /** How many there are; null where that is not known yet. */
  readonly passes: number | null;
  /** How long its slices take together, against those of the last round. */
  readonly growth: number;
}

/** A round whose arms are alive. */
export interface RoundToLoad {
  readonly round: number;
  readonly arms: readonly LiveArm[];
  readonly places: PassPlaces;
}

/** Counts the passes and slices of a round. */
export interface PassPlaces {
  next(arms: number): Pick<PassToMake, 'pass' | 'firstSlice'>;
}

/** An arm that is alive. */
export interface LiveArm extends WatchedArm {
  /** The name of its copy, and of whatever else is its own; of a variant without Postgres there is no such database. */
  readonly database: string;
  /** Between its service and its database; null where the database is not the bench's. */
  readonly link: OpenedLink | null;
}

/** The job of an arm at a load level. The seed names its requests. */
export function jobOf({ load }: ResolvedScenario, { arm, target }: LiveArm, level: LoadLevel, seed: number): LoadJob {
  const { timeoutMs, openLoop, pipelining } = load;
  const { name, factors } = arm.variant;
  return { load: level, openLoop, pipelining, seed, timeoutMs, variant: { name, factors }, ...addressOf(target) };
}

/** One load level of a round, for arms that are compared with each other. */
export interface PassToMake {
  readonly round: number;
  /** Its place in the round, from 0. */
  readonly pass: number;
  readonly load: LoadLevel;
  /** Where a load level has several groups of arms. */
  readonly group?: number;
  readonly arms: readonly LiveArm[];
  /** The number of the first arm's slice; the others follow. */
  readonly firstSlice: number;
}

/** State that the passes of a round share. */
export interface RoundProgress {
  readonly phases: Phases;
  /** All arms that are alive: their processes are the run's own. */
  readonly arms: readonly LiveArm[];
  /** When the last load ended, on the clock; null before the first. */
  loadEndedAtMs: number | null;
  /** When the last load of each size ended, on the clock. */
  readonly loadEnds: Map<number, number>;
  /** How long whole slices have waited for counters, in ms. */
  countersWaitMs: number;
}

/** Notes that a load has ended just now. */
export function noteLoadEnd(progress: RoundProgress, load: LoadLevel, endedAtMs: number): void {
  progress.loadEndedAtMs = endedAtMs;
  progress.loadEnds.set(loadSize(load), endedAtMs);
}

export type Phases = { -readonly [Phase in keyof RoundRecord['phases']]: number };

/** Does some work, and adds its time to a phase. */
export async function timed<T>(clock: Clock, phases: Phases, phase: keyof Phases, work: () => Promise<T>): Promise<T> {
  const start = clock.nowMs();
  const result = await work();
  phases[phase] += clock.nowMs() - start;
  return result;
}
