import type { BulkRecord } from '../../journal/bulk-records.ts';
import type { OutcomesRecord, ProbeRecord, SliceRecord } from '../../journal/records.ts';
import type { BoundedSpec, BulkSpec, LoadLevel, OpenLoopSpec, Variant } from '../../journal/scenario-record.ts';

/** Load on one arm under one load level. It comes in turns, over connections that stay open between them. */
export interface LoadJob {
  readonly url: string;
  /** The URLs of all instances of the service, `url` first; absent where there is one. Connections are dealt to them in order. */
  readonly urls?: readonly string[];
  readonly load: LoadLevel;
  /** Where the load is a rate. */
  readonly openLoop?: OpenLoopSpec | undefined;
  /** Where a turn is to end with its last request; its `durationMs` is then the limit. */
  readonly bounded?: BoundedSpec | undefined;
  /** Names the sequence of requests: the same seed, the same requests. */
  readonly seed: number;
  readonly timeoutMs: number;
  /** Token that the arm's login fetched; absent if the scenario has none. */
  readonly token?: string;
  /** Requests that each of autocannon's connections has under way; absent as one. */
  readonly pipelining?: number | undefined;
  /** Whose arm it is, for a script that asks. */
  readonly variant?: Pick<Variant, 'name' | 'factors'>;
}

/** One contiguous stretch of load. */
export interface Turn {
  /** For this long requests are sent; those under way at its end are waited for, each until its timeout. */
  readonly durationMs: number;
  /** Requests that are sent in this part count, from the start of the turn. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Set where nothing counts: what takes much longer than other answers is then not waited for, and has failed. */
  readonly givesUpEarly?: true;
}

/** Result of one turn. */
export interface TurnResult {
  /** From the start to the last answer. */
  readonly wallMs: number;
  /** Ahead of it: a program that is not ours has to start. Absent where nothing has. */
  readonly startupMs?: number;
  /** How long the load generator was stopped meanwhile (Ctrl-Z, a suspended machine). Absent where it was not. */
  readonly pausedMs?: number;
  /** Answers as expected to requests that were sent in the part that counts. */
  readonly ok: number;
  /** Answers as expected, each by the share of its time that lay in the part that counts. */
  readonly okByTime: number;
  /**
   * Answers as expected that came in the part that counts, later by the least latency of their kind, whenever they were sent.
   * Absent where answers set the pace.
   */
  readonly okWithin?: number;
  /** For how long the requests that count kept their connections busy, added up. Absent where the load is no closed loop. */
  readonly busyMs?: number;
  /** Users of k6 that began no iteration in the part that counts. Absent where all did. */
  readonly outlasted?: number;
  /** Mean latency of the answers as expected of the whole turn; null where there were none. */
  readonly latencyUs: number | null;
  /** Outcomes of all requests of the turn. */
  readonly whole: OutcomesRecord;
  /** Answers as expected of the whole turn. */
  readonly wholeOk: number;
  /** The first request of the stream that failed, where that was in this turn. */
  readonly failure?: FailedRequest;
}

export interface FailedRequest {
  /** Null where there was no answer. */
  readonly status: number | null;
  /** The beginning of the answer's body, or why there was none. */
  readonly text: string;
}

/** Counts of the requests of all turns of a stream. */
export type CountedLoad = Pick<
  SliceRecord,
  | 'windowMs'
  | 'busyMs'
  | 'outcomes'
  | 'ok'
  | 'bytes'
  | 'latency'
  | 'parts'
  | 'byRequest'
  | 'serverTimes'
  | 'course'
  | 'whole'
  | 'wholeOk'
>;

/** Sum of the turns of one stream. */
export interface LoadResult
  extends CountedLoad,
    Pick<SliceRecord, 'startedAt' | 'loadMs' | 'generator' | 'sendLag' | 'bounded' | 'job' | 'beside'> {
  /** TCP connections that came about, those in place of broken ones included. */
  readonly connectionsOpened: number;
  /** Those of them that took the place of one that the service had closed while it was idle, between two turns. */
  readonly reopened: number;
  /** Answers that said that the service closes the connection. */
  readonly closingAnswers?: number;
  /** Values of an outside engine, as a probe would report them. */
  readonly probe?: Pick<ProbeRecord, 'probe' | 'values'>;
  /** The results of an outside engine, one for each of its processes; absent where there are none. */
  readonly ownResults?: readonly OwnResult[];
}

/** The result of an outside engine, in its own format. */
export interface OwnResult {
  readonly engine: string;
  readonly result: object;
}

/** The load of one arm in one pass. Only one stream of a generator has a turn at any time. */
export interface LoadStream {
  /**
   * Load for one turn. Resolves once the last answer has come. Throws PgsweepError `load` when load cannot be made, and
   * the signal's reason when aborted.
   */
  turn(turn: Turn, options?: LoadOptions): Promise<TurnResult>;
  /** Closes the connections, and adds up. */
  close(): Promise<LoadResult>;
}

/** A whole data set to be sent to one arm. */
export interface BulkJob extends Pick<LoadJob, 'url' | 'urls' | 'token'> {
  readonly spec: BulkSpec;
  readonly seed: number;
  readonly timeoutMs: number;
  /** Every document that was never accepted is appended here as a line of JSON, with these fields beside its own. */
  readonly failuresFile: string;
  readonly labels: Readonly<Record<string, string | number>>;
}

export interface BulkProgress {
  /** Accepted or given up. */
  readonly documents: number;
  /** Null until it is known how many there are. */
  readonly total: number | null;
  readonly documentsPerSecond: number;
  readonly leftMs: number | null;
  /** True in the first of the two passes of an update, which is not measured. */
  readonly unmeasured?: boolean;
}

export interface BulkResult extends LoadResult {
  readonly bulk: BulkRecord;
}

export interface BulkTurnResult {
  readonly wallMs: number;
  /** Time that connections idled at its end, until the last answer came: as time of all that were busy. 0 at the end of the load. */
  readonly idleMs: number;
  /** True once every document was accepted or given up. */
  readonly done: boolean;
}

/** A bulk load that comes in turns: between them the poster sends nothing. Its time is that of its own turns. */
export interface BulkStream {
  /** Posts for this long, or to the end of the data set; `Number.POSITIVE_INFINITY` is a load in one stretch. */
  turn(durationMs: number, options?: BulkOptions): Promise<BulkTurnResult>;
  /** Once a turn was `done`: closes the connections, and adds up. */
  close(): Promise<BulkResult>;
}

export interface BulkOptions {
  /** Told about twice a second. */
  readonly onProgress?: (progress: BulkProgress) => void;
  readonly signal?: AbortSignal;
}

export type RequestResult = SliceRecord['byRequest'][string];

export interface LoadOptions {
  /** Hears the current rate of 2xx answers twice a second, in turns that are long enough. */
  readonly onLive?: (requestsPerSecond: number) => void;
  /** Hears that the window without a job is over, and each request that was sent in it is answered. */
  readonly onSteady?: () => void;
  /** Ends the sending beside a job. Requests under way are waited for. */
  readonly ends?: AbortSignal;
  readonly signal?: AbortSignal;
}

/** Sends load over sockets from its own process. The run knows only this, so that a fake can stand in. */
export interface LoadGenerator {
  /** The pid of its process. */
  readonly pid: number;
  /** Makes ready for load; connections are opened in the first turn. */
  open(job: LoadJob): Promise<LoadStream>;
  /**
   * A data set, each document to be posted after all that it refers to. Later jobs on the same url draw on what was
   * loaded. Resolves with the first document at hand, which takes its time with a large folder. Throws PgsweepError
   * `dataset` for a data set that cannot be read, and the signal's reason when aborted.
   */
  openBulk(job: BulkJob, options?: Pick<BulkOptions, 'signal'>): Promise<BulkStream>;
  stop(): Promise<void>;
}
