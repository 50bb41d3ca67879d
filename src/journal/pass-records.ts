import type { DatabaseCounters } from './database-counters.ts';
import type { LoadLevel } from './scenario-record.ts';

/** Passes, as the journal holds them: one load level of a round, in which arms take turns. */

/**
 * Why the arms of a pass had their time in whole slices and not in short turns: the scenario says so; latency is so long
 * that a turn of 25 of it is no shorter than a slice; shorter turns hid waits; an arm went on working in the turns of others;
 * copies that share a server do not fit in its shared_buffers together; all copies and shared_buffers do not fit in memory;
 * the kind of load is one that must not be interrupted.
 */
export const wholeSlicesReasons = [
  'turned off',
  'latency',
  'waits',
  'idle work',
  'shared buffers',
  'memory',
  'kind of load',
] as const;

export type WholeSlicesReason = (typeof wholeSlicesReasons)[number];

/** One load level of a round, for arms that are compared with each other: who had turns, how long, in which order. */
export interface PassRecord {
  readonly type: 'pass';
  readonly round: number;
  /** Position in the round, from 0. */
  readonly pass: number;
  readonly load: LoadLevel;
  /** From 0, where a load level has more arms than can take turns with each other; the control is in every group. */
  readonly group?: number;
  /** The length of a turn, the same for all arms; of a bulk load too. */
  readonly turnMs: number;
  /** How many turns each arm was to have. */
  readonly turnsPerArm: number;
  /** How much of the start of each turn does not count: until the queues have filled. Absent of a bulk load. */
  readonly leadMs?: number;
  /** The names of the arms in the order of their turns, cycle by cycle: indexes into `arms`. */
  readonly arms: readonly string[];
  readonly order: readonly number[];
  /** From the first turn to the end of the last. */
  readonly durationMs: number;
  /** Set where arms had their time in whole slices. */
  readonly wholeSlices?: WholeSlicesReason;
  /** True where the pass does not count, since it was made again in whole slices. */
  readonly repeated?: boolean;
  /** Where the arms are settings of one process, which was switched before each turn. */
  readonly live?: LivePassRecord;
  readonly conditions: ConditionsRecord;
}

/**
 * A pass in blocks: in each, every setting has a turn once forwards and once backwards, so that an arm's turns 2b and
 * 2b+1 are those of block b. Every turn came after a switch that was made and seen, also where the setting stayed.
 */
export interface LivePassRecord {
  readonly blocks: number;
  /** Load at the beginning of each turn that is not counted. */
  readonly settleMs: number;
  readonly switches: number;
  /** How long the switches took, together. */
  readonly switchMs: number;
}

/** The state of the machine during a pass (in a journal of version 0.1: a slice). Null where this machine does not tell. */
export interface ConditionsRecord {
  /** CPU time that the hypervisor took away, as a share (0..1) of all CPU time. */
  readonly stealShare: number | null;
  /** CPU time used by processes that are not the run's, as a share of all CPU time. */
  readonly foreignCpuShare: number | null;
  /** Share of the time in which some task waited for memory, or for IO (PSI). */
  readonly memoryPressureShare: number | null;
  readonly ioPressureShare: number | null;
  readonly tcpSegments: number | null;
  readonly tcpRetransmits: number | null;
  readonly listenOverflows: number | null;
  readonly checkpoints: number | null;
  readonly autovacuums: number | null;
  /** The largest share of CPU time that was stolen in any second of it. */
  readonly stealMaxShare?: number | null;
}

/** The connections of a slice. */
export interface ConnectionsRecord {
  /** TCP connections that the load generator opened. */
  readonly opened: number;
  /** Connections that replaced one that was closed while its arm was idle: no failure. */
  readonly reopened: number;
  /** Answers that said that the service closes the connection. */
  readonly closingAnswers: number;
}

/** The turns that a slice is the sum of. */
export interface TurnsRecord {
  readonly turnMs: number;
  /** Answers as expected to the requests that were sent in the part of each turn that counts, in the order of turns. */
  readonly ok: readonly number[];
  /**
   * For how long the requests that count kept their connections busy in each turn, added up over the connections, until the
   * next request was sent. The rate of a closed loop is connections x ok / busyMs. Absent in other loads.
   */
  readonly busyMs?: readonly number[];
  /**
   * The check of that rate: answers as expected in each turn, each by the share of its time that lay in the part that counts.
   * It leaves out what comes after the end of the turn.
   */
  readonly okByTime: readonly number[];
  /** The longest time between two of its turns. */
  readonly gapMaxMs: number;
}

/** The work of an arm's own processes, in its turns and between them; null where it cannot be read. */
export interface TurnWorkRecord {
  /** CPU of the service, and of its database's sessions, in its own turns. */
  readonly serviceCpuMs: number | null;
  readonly postgresCpuMs: number | null;
  /** CPU of both between its turns. */
  readonly idleCpuMs: number | null;
  readonly idleMs: number;
  /** CPU of what stands between the two, in its own turns. Absent where nothing does. */
  readonly linkCpuMs?: number | null;
  /** WAL written in its own turns, by the log's position. */
  readonly walBytes: number | null;
  /** What its Postgres server did beside its sessions. Absent where that server cannot be asked. */
  readonly background?: BackgroundRecord;
  /** Counters of this machine's network over the arm's own turns. */
  readonly tcpSegments: number | null;
  readonly tcpRetransmits: number | null;
  readonly listenOverflows: number | null;
}

/**
 * The work of a Postgres server beside its sessions, from a pass's beginning to its end: walwriter, checkpointer,
 * background writer, autovacuum and other background processes. Null where it cannot be read.
 */
export interface BackgroundRecord {
  /** How many arms of the pass shared the server; 1 where all that it does is the arm's. */
  readonly arms: number;
  /** CPU of the arm's: of the processes that work in its database (autovacuum), or of all where the server is its own. */
  readonly cpuMs: number | null;
  /** CPU of those that work for all arms on the server, an equal part for each; 0 where the server is its own. */
  readonly sharedCpuMs: number | null;
  /** Data files, written by whichever process. Of a server that arms share, an equal part for each. */
  readonly dataBytes: number | null;
  /** WAL written between the arm's turns. Of a server that arms share, what was in no arm's turn, an equal part for each. */
  readonly laterWalBytes: number | null;
}

/** The work of an arm while no arm was under load: it follows time and not requests. */
export interface IdleRecord {
  readonly type: 'idle';
  readonly round: number;
  readonly arm: string;
  readonly durationMs: number;
  readonly delta: DatabaseCounters | null;
  /** CPU of the service and of its database sessions; null where it cannot be read. */
  readonly cpuMs: number | null;
  /** Of it what goes on all the time, without what comes once after load. Absent where it cannot be read. */
  readonly restingCpuMs?: number;
  /** CPU of its server's background processes that are the arm's. Absent where it cannot be read. */
  readonly backgroundCpuMs?: number;
}
