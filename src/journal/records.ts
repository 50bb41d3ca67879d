import { type BulkCheckRecord, bulkCheckRecord } from './bulk-records.ts';
import { type LevelsRecord, levelsRecord } from './capacity/capacity-records.ts';
import { databaseCounters } from './database-counters.ts';
import { type LeftRecord, leftRecord } from './left-records.ts';
import { type LengthsRecord, lengthsRecord } from './length-records.ts';
import { type LinkRecord, linkRecord } from './link/link-record.ts';
import { outcomesRecord } from './outcomes.ts';
import { type IdleRecord, idleRecord, type PassRecord, passRecord } from './pass-records.ts';
import { type ProposedRecord, proposedRecord, type RefusedRecord, refusedRecord } from './proposal-records.ts';
import { provenance } from './run/provenance-record.ts';
import { machine, mergedRecord, shardRecord } from './run/shard-records.ts';
import { shortRounds } from './run/short-rounds.ts';
import { type ResolvedScenario, resolvedScenario, roundsSpec } from './scenario-record.ts';
import { secrets } from './secrets-record.ts';
import {
  amount,
  byName,
  count,
  fields,
  flag,
  list,
  number,
  oneOf,
  optional,
  orNull,
  scalar,
  text,
  type ValueOf,
} from './shape.ts';
import { type SliceRecord, sliceRecord } from './slice-record.ts';
import { appliedTreatment, type IndexesRecord, indexesRecord } from './treatment-records.ts';
import {
  type KilledRecord,
  killedRecord,
  type UncountedRecord,
  uncountedRecord,
  type WarmupRecord,
  warmupRecord,
} from './uncounted-records.ts';

export * from './database-counters.ts';
export type * from './latency-record.ts';
export type { OutcomesRecord } from './outcomes.ts';
export type * from './run/provenance-record.ts';
export * from './slice-record.ts';
export * from './void-reasons.ts';

/**
 * The journal's records: everything that is reported can be rebuilt from these lines. A field is never renamed or given
 * another meaning without a new version; adding an optional field needs none.
 */
export const JOURNAL_VERSION = 3;

/** The first line of a journal. */
export interface RunRecord extends ValueOf<typeof runRecord> {
  readonly scenario: ResolvedScenario;
}
const runRecord = fields({
  type: oneOf('run'),
  version: count,
  id: text,
  startedAt: text,
  seed: number,
  /** A quick run is for trying things out: one short round, never a verdict. */
  quick: flag,
  scenario: resolvedScenario,
  /** The folder from which `scenario.file` is seen. Absent in old journals. */
  startedIn: optional(text),
  provenance,
  ...secrets,
  /** Set where the run is a share of a plan. */
  shard: optional(shardRecord),
  /** Set where rounds were planned shorter than usual. */
  shortRounds: optional(shortRounds),
  /** Set where the journal was merged from those of shards; provenance is then that of its first machine. */
  merged: optional(mergedRecord),
  /** Why there are no pg_stat_database columns; null where there are. */
  withoutCounters: orNull(text),
  /** From the start of the command to this line: boot, data set, template. */
  setUpMs: amount,
});

/** The run was interrupted and is resumed, perhaps on another machine: later records were measured there. */
export interface ResumeRecord extends ValueOf<typeof resumeRecord> {}
const resumeRecord = fields({
  type: oneOf('resume'),
  at: text,
  provenance,
  ...secrets,
  /** How far this session was to go: `--rounds` or `--budget` may extend a run. Absent in old journals. */
  rounds: optional(roundsSpec),
  /** Set where the run is a share of a plan. */
  machine: optional(machine),
});

/** An arm came to life: a copy of the template database and a service process. */
export interface ArmRecord extends ValueOf<typeof armRecord> {}
const armRecord = fields({
  type: oneOf('arm'),
  round: count,
  arm: text,
  variant: text,
  /** True for the second control arm (A/A). */
  repeat: flag,
  /** The name of its copy, its log and whatever else is its own in the round; absent in old journals. */
  database: optional(text),
  copyMs: amount,
  startMs: amount,
  /** Changes to the arm's database, each seen in the catalog before load started. */
  treatment: optional(list(appliedTreatment)),
});

/** The probes of a run, written once a session. */
export interface ProbesRecord extends ValueOf<typeof probesRecord> {}
const probesRecord = fields({
  type: oneOf('probes'),
  present: list(text),
  /** Why the others are not there, for people. */
  absent: list(fields({ name: text, absent: text })),
});

/** The measurements of a probe over one slice. */
export interface ProbeRecord extends ValueOf<typeof probeRecord> {}
const probeRecord = fields({
  type: oneOf('probe'),
  round: count,
  slice: count,
  arm: text,
  probe: text,
  /** By metric name, unit last: `service_cpu_cores`, `event_loop_lag_p99_ms`. */
  values: byName(number),
  /** Detail that has no fixed names, such as the top statements. */
  rows: optional(list(byName(scalar))),
});

/** The counters of the arm's database over a slice, or over a part of its turns, written once they are complete. */
export interface CountersRecord extends ValueOf<typeof countersRecord> {}
const countersRecord = fields({
  type: oneOf('counters'),
  round: count,
  slice: count,
  arm: text,
  /**
   * How it is known that the counters were complete: the arm idled long enough, its connections had closed, or (turns)
   * every session had reported what it did before, in the turn that followed a pause of a second.
   */
  complete: oneOf('idle', 'closed', 'turns'),
  /** How long the arm was under load in what is covered: averages are per second of load. */
  loadMs: amount,
  /** The outcomes of the requests that are covered. Absent where that is the whole slice. */
  whole: optional(outcomesRecord),
  delta: databaseCounters,
});

/** A round is complete: only such rounds are judged. */
export interface RoundRecord extends ValueOf<typeof roundRecord> {}
const roundRecord = fields({
  type: oneOf('round'),
  round: count,
  /** The place of its machine in the head's `merged.machines`. Absent where the run was not merged. */
  machine: optional(count),
  startedAt: text,
  durationMs: amount,
  /**
   * In which order its arms were copied, started, connected to and stopped, and had whole slices; of several groups, in
   * which order they had their passes. Absent in old journals, where that was the order of the plan.
   */
  places: optional(fields({ arms: list(text), groups: optional(list(count)) })),
  /** Where the round's time went. `waitMs`: for counters and probes, between turns, and for what a session does only once. */
  phases: fields({ bootMs: number, warmupMs: number, sliceMs: number, waitMs: number, stopMs: number }),
  /**
   * How much of it went into what no later round has: looking at idle arms, trying turns, going up through the range of a
   * search, passes that were repeated. Load of the last two is not in `sliceMs`. Absent where nothing did.
   */
  onceMs: optional(number),
});

/** A resumed run counts `${unique}` from here: every number that may have been used before is below. */
export interface UniqueRecord extends ValueOf<typeof uniqueRecord> {}
const uniqueRecord = fields({ type: oneOf('unique'), below: count });

/**
 * `verdicts`: the question is answered. `stuck`: what is left of it no rounds would settle. `unsettled`: its budget ended, and
 * what is open needs more than the time that is added while rounds settle it. `budget`, `rounds`: its budget (with that time), or its
 * most rounds, ended it. Only these two do not depend on what was found.
 */
const stopReasons = ['verdicts', 'stuck', 'unsettled', 'budget', 'rounds', 'quick'] as const;

export type StopReason = (typeof stopReasons)[number];

/** The run ended as planned. */
export interface EndRecord extends ValueOf<typeof endRecord> {}
const endRecord = fields({ type: oneOf('end'), at: text, reason: oneOf(...stopReasons) });

/** A session ended too early, and why: `code` is that of its error, `interrupted` where the user ended it. A kill leaves none. */
export interface FailedRecord extends ValueOf<typeof failedRecord> {}
const failedRecord = fields({ type: oneOf('failed'), at: text, code: text, message: text });

/** The most sessions that an arm was seen to hold in its copy of the database. Written in the first round of each session of a run. */
export interface SessionsRecord extends ValueOf<typeof sessionsRecord> {}
const sessionsRecord = fields({
  type: oneOf('sessions'),
  round: count,
  arm: text,
  variant: text,
  sessions: count,
  /** How many processes of the service held them; null where that could not be seen. */
  processes: orNull(count),
});

/** The shape of every record, by its type. */
export const recordShapes = {
  run: runRecord,
  resume: resumeRecord,
  arm: armRecord,
  link: linkRecord,
  sessions: sessionsRecord,
  warmup: warmupRecord,
  uncounted: uncountedRecord,
  killed: killedRecord,
  pass: passRecord,
  idle: idleRecord,
  slice: sliceRecord,
  counters: countersRecord,
  'bulk-check': bulkCheckRecord,
  indexes: indexesRecord,
  probe: probeRecord,
  probes: probesRecord,
  round: roundRecord,
  lengths: lengthsRecord,
  left: leftRecord,
  proposed: proposedRecord,
  refused: refusedRecord,
  levels: levelsRecord,
  unique: uniqueRecord,
  end: endRecord,
  failed: failedRecord,
};

export type JournalRecord =
  | RunRecord
  | ResumeRecord
  | ArmRecord
  | LinkRecord
  | SessionsRecord
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
  | ProposedRecord
  | RefusedRecord
  | LevelsRecord
  | UniqueRecord
  | EndRecord
  | FailedRecord;
