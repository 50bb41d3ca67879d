import type { BulkCheckRecord, BulkRecord } from './bulk-records.ts';
import type { LevelsRecord } from './capacity/capacity-records.ts';
import type { CourseRecord } from './course-record.ts';
import type { DatabaseCounters } from './database-counters.ts';
import type { LatencyRecord, PartsRecord } from './histogram.ts';
import type { LeftRecord } from './left-records.ts';
import type { LengthsRecord } from './length-records.ts';
import type { LinkRecord } from './link/link-record.ts';
import type { OutcomesRecord } from './outcomes.ts';
import type {
  ConditionsRecord,
  ConnectionsRecord,
  IdleRecord,
  PassRecord,
  TurnsRecord,
  TurnWorkRecord,
} from './pass-records.ts';
import type { HousekeepingRecord } from './postgres/housekeeping.ts';
import type { Provenance } from './run/provenance-record.ts';
import type { Machine, MergedRecord, ShardRecord } from './run/shard-records.ts';
import type { LoadLevel, ResolvedScenario } from './scenario-record.ts';
import type { WithSecrets } from './secrets-record.ts';
import type { AppliedTreatment, IndexesRecord } from './treatment-records.ts';
import type { KilledRecord, UncountedRecord, WarmupRecord } from './uncounted-records.ts';

export * from './database-counters.ts';
export type { LatencyRecord, PartsRecord } from './histogram.ts';
export type { OutcomesRecord } from './outcomes.ts';
export type * from './run/provenance-record.ts';

/**
 * The journal's records: everything that is reported can be rebuilt from these lines. A field is never renamed or given
 * another meaning without a new version; adding an optional field needs none.
 */
export const JOURNAL_VERSION = 3;

/** The first line of a journal. */
export interface RunRecord extends WithSecrets {
  readonly type: 'run';
  readonly version: number;
  readonly id: string;
  readonly startedAt: string;
  readonly seed: number;
  /** A quick run is for trying things out: one short round, never a verdict. */
  readonly quick: boolean;
  readonly scenario: ResolvedScenario;
  readonly provenance: Provenance;
  /** Set where the run is a share of a plan. */
  readonly shard?: ShardRecord;
  /** Set where the journal was merged from those of shards; provenance is then that of its first machine. */
  readonly merged?: MergedRecord;
  /** Why there are no pg_stat_database columns; null where there are. */
  readonly withoutCounters: string | null;
  /** From the start of the command to this line: boot, data set, template. */
  readonly setUpMs: number;
}

/** The run was interrupted and goes on, perhaps on another machine: what follows was measured there. */
export interface ResumeRecord extends WithSecrets {
  readonly type: 'resume';
  readonly at: string;
  readonly provenance: Provenance;
  /** Set where the run is a share of a plan. */
  readonly machine?: Machine;
}

/** An arm came to life: a copy of the template database and a service process. */
export interface ArmRecord {
  readonly type: 'arm';
  readonly round: number;
  readonly arm: string;
  readonly variant: string;
  /** True for the second control arm (A/A). */
  readonly repeat: boolean;
  readonly copyMs: number;
  readonly startMs: number;
  /** Changes to the arm's database, each seen in the catalog before load started. */
  readonly treatment?: readonly AppliedTreatment[];
}

/**
 * Names of the reasons for which a slice does not count: what makes its own number wrong. Each is a check in
 * src/measure/run/validity/validity.ts. Journals of version 0.1 hold others besides (cpu steal, foreign cpu, memory pressure, io pressure,
 * checkpoint, autovacuum): what comes from outside is noise, and voids nothing.
 */
export const voidReasons = [
  'failed requests',
  'littles law',
  'generator busy',
  'connections',
  'listen overflow',
  'retransmits',
  'transactions',
  'send lag',
] as const;

export type VoidReason = (typeof voidReasons)[number];

/** The time under load that an arm has in a pass: the sum of its turns, or one whole stretch. */
export interface SliceRecord {
  readonly type: 'slice';
  readonly round: number;
  /** A number of its own in the round, from 0. */
  readonly slice: number;
  /** Which pass of the round it belongs to. Absent in old journals. */
  readonly pass?: number;
  readonly group?: number;
  readonly arm: string;
  readonly variant: string;
  readonly repeat: boolean;
  readonly load: LoadLevel;
  readonly startedAt: string;
  /** How long load was on, uncounted parts and drains included. */
  readonly loadMs: number;
  /** The counted part. Everything below except `whole` is of the requests that were sent in this window, however late their answers. */
  readonly windowMs: number;
  /** How long requests were under way within it, added up over the connections. */
  readonly busyMs?: number;
  readonly outcomes: OutcomesRecord;
  /** Answers as expected. Absent where that is any 2xx. */
  readonly ok?: number;
  /** Bytes received, of answers as expected. */
  readonly bytes: number;
  readonly latency: LatencyRecord;
  /** Absent where they were not measured: in old journals, and of bulk loads. */
  readonly parts?: PartsRecord;
  /** By request name, where the workload has more than one. */
  readonly byRequest: Readonly<
    Record<
      string,
      {
        readonly outcomes: OutcomesRecord;
        /** Requests, each by the share of its time that lay in the window. Absent where the load is no closed loop. */
        readonly byTime?: number;
        readonly latency: LatencyRecord;
      }
    >
  >;
  /**
   * By request name and by what the service names in its header Server-Timing: milliseconds, added up over answers as
   * expected. Absent where no answer has it.
   */
  readonly serverTimes?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Where it was one stretch of two seconds or more. */
  readonly course?: CourseRecord;
  /** The outcomes of all its load, which the database must account for. */
  readonly whole: OutcomesRecord;
  /** Answers as expected of all its load. Absent where that is any 2xx. */
  readonly wholeOk?: number;
  /** The load generator's event loop utilisation (0..1) and CPU time. */
  readonly generator: { readonly eventLoopUtilisation: number; readonly cpuMs: number };
  /** Absent in journals of version 0.1. */
  readonly connections?: ConnectionsRecord;
  readonly turns?: TurnsRecord;
  readonly work?: TurnWorkRecord;
  /** Postgres's own work for it in the pass, also in other arms' turns. Absent where no variant sets what decides it. */
  readonly housekeeping?: HousekeepingRecord;
  /** Only in journals of version 0.1: which measurement of this place it was, and what went on beside it. */
  readonly attempt?: number;
  readonly conditions?: ConditionsRecord & {
    readonly connectionsOpened?: number | null;
    readonly closingAnswers?: number;
  };
  /** Why this slice does not count; empty or absent where it does. */
  readonly voided?: readonly VoidReason[];
  /** Present where the slice is a bulk load. */
  readonly bulk?: BulkRecord;
  /** In an open loop: how much later than at their times requests were sent. Latencies count from those times all the same. */
  readonly sendLag?: LatencyRecord;
  /** Present where the slice was so many requests and no more. */
  readonly bounded?: BoundedRecord;
}

/** A slice that ends with its last request. */
export interface BoundedRecord {
  /** How many requests. */
  readonly wanted: number;
  /** Until the last was answered; null where the limit came first, or one of them failed. */
  readonly durationMs: number | null;
}

/** Which probes there are in a run, told once a sitting. */
export interface ProbesRecord {
  readonly type: 'probes';
  readonly present: readonly string[];
  /** Why the others are not there, for people. */
  readonly absent: readonly { readonly name: string; readonly absent: string }[];
}

/** The measurements of a probe over one slice. */
export interface ProbeRecord {
  readonly type: 'probe';
  readonly round: number;
  readonly slice: number;
  readonly arm: string;
  readonly probe: string;
  /** By metric name, unit last: `service_cpu_cores`, `event_loop_lag_p99_ms`. */
  readonly values: Readonly<Record<string, number>>;
  /** Detail that has no fixed names, such as the top statements. */
  readonly rows?: readonly Readonly<Record<string, string | number | null>>[];
}

/** The counters of the arm's database over a slice, or over a part of its turns, written once they are complete. */
export interface CountersRecord {
  readonly type: 'counters';
  readonly round: number;
  readonly slice: number;
  readonly arm: string;
  /**
   * How it is known that the counters were complete: the arm idled long enough, its connections had closed, or (turns)
   * every session had reported what it did before, in the turn that followed a pause of a second.
   */
  readonly complete: 'idle' | 'closed' | 'turns';
  /** How long the arm was under load in what is covered: averages are per second of load. */
  readonly loadMs: number;
  /** The outcomes of the requests that are covered. Absent where that is the whole slice. */
  readonly whole?: OutcomesRecord;
  readonly delta: DatabaseCounters;
}

/** A round is complete: only such rounds are judged. */
export interface RoundRecord {
  readonly type: 'round';
  readonly round: number;
  /** The place of its machine in the head's `merged.machines`. Absent where the run was not merged. */
  readonly machine?: number;
  readonly startedAt: string;
  readonly durationMs: number;
  /** Where the round's time went. `waitMs`: for counters and probes, between turns, and for what a session does only once. */
  readonly phases: {
    readonly bootMs: number;
    readonly warmupMs: number;
    readonly sliceMs: number;
    readonly waitMs: number;
    readonly stopMs: number;
  };
  /** How much of it went into what a session does only once: looking at idle arms, trying turns. Absent where nothing did. */
  readonly onceMs?: number;
}

/** A run that goes on counts `${unique}` from here: every number that may have been used before is below. */
export interface UniqueRecord {
  readonly type: 'unique';
  readonly below: number;
}

export type StopReason = 'verdicts' | 'budget' | 'rounds' | 'quick';

/** The run ended as planned. Its absence means that it was interrupted or failed. */
export interface EndRecord {
  readonly type: 'end';
  readonly at: string;
  readonly reason: StopReason;
}

export type JournalRecord =
  | RunRecord
  | ResumeRecord
  | ArmRecord
  | LinkRecord
  | WarmupRecord
  | UncountedRecord
  | KilledRecord
  | PassRecord
  | IdleRecord
  | SliceRecord
  | CountersRecord
  | BulkCheckRecord
  | IndexesRecord
  | ProbeRecord
  | ProbesRecord
  | RoundRecord
  | LengthsRecord
  | LeftRecord
  | LevelsRecord
  | UniqueRecord
  | EndRecord;
