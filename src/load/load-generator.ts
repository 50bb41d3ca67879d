import type { BulkRecord } from '../journal/bulk-records.ts';
import type { LatencyRecord, OutcomesRecord, SliceRecord } from '../journal/records.ts';
import type { BulkSpec, LoadLevel } from '../journal/scenario-record.ts';

/** One stretch of load on one arm. */
export interface LoadJob {
  readonly url: string;
  readonly load: LoadLevel;
  /** Names the sequence of requests: the same seed, the same requests. */
  readonly seed: number;
  readonly durationMs: number;
  /** How much of the start is not counted. */
  readonly dropMs: number;
  readonly timeoutMs: number;
  /** How often `onBatch` is told what has been answered since; a warm-up looks more often than a live display. */
  readonly batchMs?: number;
}

/** What one stretch of load came to. */
export interface LoadResult
  extends Pick<
    SliceRecord,
    'startedAt' | 'loadMs' | 'windowMs' | 'outcomes' | 'ok' | 'bytes' | 'latency' | 'byRequest' | 'whole' | 'generator'
  > {
  /** 2xx in each whole second from the start. */
  readonly perSecond: readonly number[];
  /** TCP connections that came about, those in place of broken ones included. */
  readonly connectionsOpened: number;
  /** Answers of the whole stretch that said that the service closes the connection. */
  readonly closingAnswers?: number;
}

/** A whole data set to be posted to one arm. */
export interface BulkJob {
  readonly url: string;
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

export interface BulkOptions {
  /** Told about twice a second. */
  readonly onProgress?: (progress: BulkProgress) => void;
  readonly signal?: AbortSignal;
}

export type RequestResult = { readonly outcomes: OutcomesRecord; readonly latency: LatencyRecord };

export interface LoadOptions {
  /** Hears the current rate of 2xx answers twice a second. */
  readonly onLive?: (requestsPerSecond: number) => void;
  /** Hears the 2xx answers of each batch, as a rate per second, where the job has `batchMs`. */
  readonly onBatch?: (requestsPerSecond: number) => void;
  /** When aborted, the load ends as it would at its time: no request is cut off, and there is a result. */
  readonly finish?: AbortSignal;
  readonly signal?: AbortSignal;
}

/** Sends load over sockets from a process of its own. The run knows only this, so that a fake can stand in. */
export interface LoadGenerator {
  /** Of its process. */
  readonly pid: number;
  /** Throws PgsweepError `load` when load cannot be made, and the signal's reason when aborted. */
  run(job: LoadJob, options?: LoadOptions): Promise<LoadResult>;
  /**
   * Posts a data set, each document after all that it refers to. Later jobs on the same url draw on what was loaded.
   * Throws as `run` does, and PgsweepError `dataset` for a data set that cannot be read.
   */
  bulk(job: BulkJob, options?: BulkOptions): Promise<BulkResult>;
  stop(): Promise<void>;
}
