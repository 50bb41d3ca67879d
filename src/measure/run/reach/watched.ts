import type { Reaper } from '../../../base/process/reaper.ts';
import type { JournalWriter } from '../../../journal/journal.ts';
import type { ResolvedScenario, Variant } from '../../../journal/scenario-record.ts';
import type { Finding } from '../../finding.ts';
import type { Arm } from '../../plan/arms.ts';
import type { StartedTarget } from '../../target/target.ts';
import type { ArmDatabases } from '../servers/arm-databases.ts';
import type { ArmIndices } from '../servers/arm-indices.ts';
import type { Reached } from './reached.ts';

/** A service of an arm, and the copy that it should reach. */
export interface ReachOptions {
  readonly scenario: ResolvedScenario;
  readonly stack: {
    readonly databases: ArmDatabases | null;
    readonly indices: ArmIndices | null;
    readonly reaper: Reaper;
  };
  readonly variant: Variant;
  /** The name of its copy. */
  readonly database: string;
  /** The name that its processes know, by PGSWEEP_ARM. */
  readonly armName: string;
  /** The database, as the service is given it; null where it gets no copy. */
  readonly url: string | null;
  /** True if something stands between the two. */
  readonly isLinked: boolean;
}

/** Watches if a service uses its copy, and no other Postgres. */
export interface Reach {
  /**
   * Looks at a service that runs, `when`: "As soon as it is ready". `own`: how many transactions the bench may have made in
   * the copy since the look before. Throws PgsweepError `target` where it is connected to another Postgres.
   */
  look(target: StartedTarget, when: string, own?: number): Promise<Reached>;
  /** True once a look has seen a session in its copy, tables that were read or written, or more transactions than the bench's. */
  readonly isUsed: boolean;
  /** Looks a last time, and tells what was seen. Throws as `look`. */
  findings(target: StartedTarget): Promise<Finding[]>;
}

/** An arm whose service runs. */
export interface WatchedArm {
  readonly arm: Arm;
  readonly target: StartedTarget;
  /** Absent or null where nothing is watched. */
  readonly reach?: Reach | null;
}

/** Watches in the first round of a session if every arm uses its copy; does nothing in the rounds that follow. */
export interface RoundReach {
  /** Begins to watch an arm; null where there is nothing to watch. */
  watch(options: Omit<ReachOptions, 'scenario' | 'stack'>): Reach | null;
  /** Sends one read to each arm that is up, before any load, and looks. Throws PgsweepError `target` as `Reach.look`. */
  beforeLoad(arms: readonly WatchedArm[]): Promise<void>;
  /** Looks at arms that have had load, while they run. Throws as `beforeLoad`. */
  underLoad(arms: readonly WatchedArm[]): Promise<void>;
  /** Records what arms held that are about to end, and stops watching. Throws where load did not reach a copy. */
  end(round: number, arms: readonly WatchedArm[], journal: JournalWriter): Promise<void>;
}
