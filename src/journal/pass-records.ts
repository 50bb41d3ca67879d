import { databaseCounters } from './database-counters.ts';
import { loadLevel } from './load-record.ts';
import {
  amount,
  byName,
  count,
  eachOf,
  fields,
  flag,
  list,
  number,
  oneOf,
  optional,
  orNull,
  text,
  type ValueOf,
} from './shape.ts';

/** Passes, as the journal holds them: one load level of a round, in which arms take turns. */

/**
 * Why the arms of a pass had their time in whole slices and not in short turns: the scenario says so; latency is so long
 * that a turn of 25 of it is no shorter than a slice; shorter turns hid waits; an arm kept working in the turns of others;
 * a bulk load waited for the last answers of its turns for too much of its time;
 * copies that share a server do not fit in its shared_buffers together; all copies and shared_buffers do not fit in memory;
 * the kind of load is one that must not be interrupted.
 */
export const wholeSlicesReasons = [
  'turned off',
  'latency',
  'waits',
  'idle work',
  'turn ends',
  'shared buffers',
  'memory',
  'kind of load',
] as const;

export type WholeSlicesReason = (typeof wholeSlicesReasons)[number];

/**
 * Why an arm of a pass has no counters of its database: there were too few turns to read them between; a turn lasted as
 * long as it takes a session to report twice; the pass was too short for sessions to report what came before it; waiting
 * until they have would take too much of the round; a job worked in the same database; a session of the arm held back
 * what it had done before; the server's time of day was set, by which sessions report.
 */
export const uncountedReasons = [
  'too few cycles',
  'turns of a second',
  'pass too short',
  'wait too long',
  'beside a job',
  'session held back',
  'clock set',
] as const;

export type UncountedReason = (typeof uncountedReasons)[number];

/**
 * A pass in blocks: in each, every setting has a turn once forwards and once backwards, so that an arm's turns 2b and
 * 2b+1 are those of block b. Every turn came after a switch that was made and seen, also where the setting stayed.
 */
export interface LivePassRecord extends ValueOf<typeof livePassRecord> {}
const livePassRecord = fields({
  blocks: count,
  /** Load at the beginning of each turn that is not counted. */
  settleMs: amount,
  switches: count,
  /** How long the switches took, together. */
  switchMs: amount,
});

/** Counters of this machine's network, over a pass or over an arm's own turns. */
const tcpNames = ['tcpSegments', 'tcpRetransmits', 'listenOverflows'] as const;
export type TcpName = (typeof tcpNames)[number];
export const tcpFields = eachOf(tcpNames, orNull(number));

/** The state of the machine during a pass. Null where this machine does not say. */
export interface ConditionsRecord extends ValueOf<typeof conditionsRecord> {}
const conditionsRecord = fields({
  /** CPU time that the hypervisor took away, as a share (0..1) of all CPU time. */
  stealShare: orNull(number),
  /** CPU time used by processes that are not the run's, as a share of all CPU time. */
  foreignCpuShare: orNull(number),
  /** Share of the periods of its CPU limit in which pgsweep's control group had used it up; 0 without a limit. */
  throttledShare: optional(orNull(number)),
  /** Share of the time in which some task waited for memory, or for IO (PSI). */
  memoryPressureShare: orNull(number),
  ioPressureShare: orNull(number),
  ...tcpFields,
  checkpoints: orNull(number),
  autovacuums: orNull(number),
  /** The largest share of CPU time that was stolen in any second of it. */
  stealMaxShare: optional(orNull(number)),
});

/** One load level of a round, for arms that are compared with each other: who had turns, how long, in which order. */
export interface PassRecord extends ValueOf<typeof passRecord> {}
export const passRecord = fields({
  type: oneOf('pass'),
  round: count,
  /** Position in the round, from 0. */
  pass: count,
  load: loadLevel,
  /** From 0, where a load level has more arms than can take turns with each other; the control is in every group. */
  group: optional(count),
  /** The length of a turn, alike for all arms; of a bulk load too. */
  turnMs: amount,
  /** How many turns each arm was to have. */
  turnsPerArm: count,
  /** How much of the start of each turn does not count: until the queues have filled. Absent of a bulk load. */
  leadMs: optional(amount),
  /** The names of the arms in the order of their turns, cycle by cycle: indexes into `arms`. */
  arms: list(text),
  order: list(count),
  /** From the first turn to the end of the last. */
  durationMs: amount,
  /** Set where arms had their time in whole slices. */
  wholeSlices: optional(oneOf(...wholeSlicesReasons)),
  /** True where the pass does not count, since it was made again in whole slices. */
  repeated: optional(flag),
  /** Arms without counters of their database, by name, as far as the pass knows. Absent where there are none. */
  withoutCounters: optional(byName(oneOf(...uncountedReasons))),
  /** Where the arms are settings of one process, which was switched before each turn. */
  live: optional(livePassRecord),
  conditions: conditionsRecord,
});

/** The work of an arm while no arm was under load: it follows time and not requests. */
export interface IdleRecord extends ValueOf<typeof idleRecord> {}
export const idleRecord = fields({
  type: oneOf('idle'),
  round: count,
  arm: text,
  durationMs: amount,
  delta: orNull(databaseCounters),
  /** CPU of the service and of its database sessions; null where it cannot be read. */
  cpuMs: orNull(number),
  /** CPU time of it that is used at rest, without work that follows load. Absent where it cannot be read. */
  restingCpuMs: optional(amount),
  /** CPU of its server's background processes that are the arm's. Absent where it cannot be read. */
  backgroundCpuMs: optional(amount),
});
