import { bulkRecord } from './bulk-records.ts';
import { jobRecord } from './job-spec.ts';
import { latencyRecord, partsRecord } from './latency-record.ts';
import { loadLevel } from './load-record.ts';
import { outcomesRecord } from './outcomes.ts';
import { tcpFields } from './pass-records.ts';
import { housekeepingRecord } from './postgres/housekeeping.ts';
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
  text,
  type ValueOf,
} from './shape.ts';
import { voidReasons } from './void-reasons.ts';

/** The connections of a slice. */
const connectionsRecord = fields({
  /** TCP connections that the load generator opened. */
  opened: count,
  /** Connections that replaced one that was closed while its arm was idle: no failure. */
  reopened: count,
  /** Answers that said that the service closes the connection. */
  closingAnswers: count,
});

/** The turns that a slice is the sum of. */
export interface TurnsRecord extends ValueOf<typeof turnsRecord> {}
const turnsRecord = fields({
  turnMs: amount,
  /** Answers as expected to the requests that were sent in the part of each turn that counts, in the order of turns. */
  ok: list(count),
  /**
   * For how long the requests that count kept their connections busy in each turn, added up over the connections, until the
   * next request was sent. The rate of a closed loop is connections x ok / busyMs. Absent in other loads.
   */
  busyMs: optional(list(amount)),
  /**
   * The check of that rate: answers as expected in each turn, each by the share of its time that lay in the part that counts.
   * It leaves out what comes after the end of the turn.
   */
  okByTime: list(amount),
  /**
   * Answers as expected that came in the part of each turn that counts: the rate of loads that do not wait for answers.
   * Absent in other loads, and in old journals, where `okByTime` stands for it.
   */
  okWithin: optional(list(count)),
  /** Users of k6 that began no iteration in the part of each turn that counts. Absent where all did, and in old journals. */
  outlasted: optional(list(count)),
  /** The longest time between two of its turns. */
  gapMaxMs: amount,
});

/**
 * The work of a Postgres server beside its sessions, from a pass's beginning to its end: walwriter, checkpointer,
 * background writer, autovacuum and other background processes. Null where it cannot be read.
 */
export interface BackgroundRecord extends ValueOf<typeof backgroundRecord> {}
const backgroundRecord = fields({
  /** How many arms of the pass shared the server; 1 where all that it does is the arm's. */
  arms: count,
  /** CPU of the arm's: of the processes that work in its database (autovacuum), or of all where the server is its own. */
  cpuMs: orNull(number),
  /** CPU of those that work for all arms on the server, an equal part for each; 0 where the server is its own. */
  sharedCpuMs: orNull(number),
  /** Data files, written by whichever process. Of a server that arms share, an equal part for each. */
  dataBytes: orNull(number),
  /** WAL written between the arm's turns. Of a server that arms share, what was in no arm's turn, an equal part for each. */
  laterWalBytes: orNull(number),
  /** Databases of others wrote rows on the server during the pass: WAL and data files are not known. Absent where they did not. */
  othersWrote: optional(flag),
});

/** The work of an arm's own processes, in its turns and between them; null where it cannot be read. */
export interface TurnWorkRecord extends ValueOf<typeof turnWorkRecord> {}
const turnWorkRecord = fields({
  /** CPU of the service, and of its database's sessions, in its own turns. */
  serviceCpuMs: orNull(number),
  postgresCpuMs: orNull(number),
  /** CPU of both between its turns. */
  idleCpuMs: orNull(number),
  idleMs: amount,
  /** CPU of what stands between the two, in its own turns. Absent where nothing does. */
  linkCpuMs: optional(orNull(number)),
  /** WAL written in its own turns, by the log's position. */
  walBytes: orNull(number),
  /** The work of its Postgres server beside its sessions. Absent where that server cannot be asked. */
  background: optional(backgroundRecord),
  /** Counters of this machine's network over the arm's own turns. */
  ...tcpFields,
});

const courseOfRequests = {
  ok: list(count),
  /** 0 where there was no answer. */
  meanUs: list(amount),
};
export interface CourseOfRequests extends ValueOf<typeof requestsInParts> {}
const requestsInParts = fields(courseOfRequests);

/** The answers as expected of a whole slice, in equal parts of its window, in their order. */
export interface CourseRecord extends ValueOf<typeof courseRecord> {}
const courseRecord = fields({
  partMs: amount,
  ...courseOfRequests,
  /** 0 where there was no answer. */
  p99Us: list(amount),
  /** By request name, where the workload has more than one. */
  byRequest: byName(requestsInParts),
});

/** A slice that ends with its last request. */
const boundedRecord = fields({
  /** How many requests. */
  wanted: count,
  /** Until the last was answered; null where the limit came first, or one of them failed. */
  durationMs: orNull(number),
});

const longestWait = {
  /** The longest wait of a request that was under way at any time, answered or not. */
  longestUs: amount,
};

/** Requests beside a job. The slice counts those that were under way while the job ran. */
const besideRecord = fields({
  ...longestWait,
  /** Requests just before the job, without it. */
  without: fields({
    windowMs: amount,
    outcomes: outcomesRecord,
    /** Answers as expected. Absent where that is any 2xx. */
    ok: optional(count),
    /** Answers as expected, each by the share of its time that lay in the window. */
    okByTime: amount,
    latency: latencyRecord,
    ...longestWait,
  }),
});

/** The time under load that an arm has in a pass: the sum of its turns, or one whole stretch. */
export interface SliceRecord extends ValueOf<typeof sliceRecord> {}
export const sliceRecord = fields({
  type: oneOf('slice'),
  round: count,
  /** Its own number in the round, from 0. */
  slice: count,
  /** Which pass of the round it belongs to. */
  pass: count,
  group: optional(count),
  arm: text,
  variant: text,
  repeat: flag,
  load: loadLevel,
  startedAt: text,
  /** How long load was on, uncounted parts and drains included. */
  loadMs: amount,
  /** The counted part. Everything below except `whole` is of the requests that were sent in this window, however late their answers. */
  windowMs: amount,
  /** How long requests were under way within it, added up over the connections. */
  busyMs: optional(amount),
  outcomes: outcomesRecord,
  /** Answers as expected. Absent where that is any 2xx. */
  ok: optional(count),
  /** Bytes received, of answers as expected. */
  bytes: count,
  latency: latencyRecord,
  /** Absent where they were not measured: of bulk loads. */
  parts: optional(partsRecord),
  /** By request name, where the workload has more than one. */
  byRequest: byName(
    fields({
      outcomes: outcomesRecord,
      /** Requests, each by the share of its time that lay in the window. Absent where the load is no closed loop. */
      byTime: optional(amount),
      latency: latencyRecord,
    }),
  ),
  /**
   * By request name and by the names that the service uses in its header Server-Timing: milliseconds, added up over answers
   * as expected. Absent where no answer has it.
   */
  serverTimes: optional(byName(byName(amount))),
  /** Where it was one stretch of two seconds or more. */
  course: optional(courseRecord),
  /** The outcomes of all its load, which the database must account for. */
  whole: outcomesRecord,
  /** Answers as expected of all its load. Absent where that is any 2xx. */
  wholeOk: optional(count),
  /**
   * The load generator's event loop utilisation (0..1; 0 for a job alone, which has none) and CPU time, and how long it was
   * stopped in its turns (absent where it was not).
   */
  generator: fields({ eventLoopUtilisation: number, cpuMs: number, pausedMs: optional(amount) }),
  /** Absent of a bulk load. */
  connections: optional(connectionsRecord),
  turns: optional(turnsRecord),
  work: optional(turnWorkRecord),
  /** Postgres's own work for it in the pass, also in other arms' turns. Absent where no variant sets what decides it. */
  housekeeping: optional(housekeepingRecord),
  /** Why this slice does not count; empty or absent where it does. */
  voided: optional(list(oneOf(...voidReasons))),
  /** Present where the slice is a bulk load. */
  bulk: optional(bulkRecord),
  /** Present where the slice is a job. */
  job: optional(jobRecord),
  /** Present where the job ran beside requests. */
  beside: optional(besideRecord),
  /** In an open loop: how much later than at their times requests were sent. Latencies count from those times all the same. */
  sendLag: optional(latencyRecord),
  /** Present where the slice was this many requests and no more. */
  bounded: optional(boundedRecord),
});
