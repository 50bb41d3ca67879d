import type { ErrorCode } from '../../base/errors.ts';
import type { WorkloadSpec } from '../../journal/scenario-record.ts';
import type {
  BulkJob,
  BulkProgress,
  BulkResult,
  BulkTurnResult,
  LoadJob,
  LoadResult,
  Turn,
  TurnResult,
} from './load-generator.ts';
import type { TriedRequest } from './try/tried-request.ts';
import type { RequestTrial } from './try/try-requests.ts';
import type { ExampleDocument } from './workload-module.ts';

/** Source of the requests; sent once. */
export interface WorkloadMessage {
  readonly workload: WorkloadSpec;
  readonly documents: readonly ExampleDocument[];
  /** The first number of `${unique}`. */
  readonly uniqueFrom: number;
  /** How far two of them are apart; absent as 1. */
  readonly uniqueStep?: number;
  /** Among how many processes the connections of a job are dealt; absent as one. */
  readonly processes?: number;
}

/** Each names its stream by a number; it is answered by one message, unless it is an `end` or an `abort`. */
export type StreamMessage = { readonly stream: number } & (
  | { readonly kind: 'open'; readonly job: LoadJob }
  | { readonly kind: 'open-bulk'; readonly job: BulkJob }
  | { readonly kind: 'turn'; readonly turn: Turn }
  /** Null: to the end of the data set. JSON has no infinity. */
  | { readonly kind: 'bulk-turn'; readonly durationMs: number | null }
  | { readonly kind: 'close' }
  | { readonly kind: 'close-bulk' }
  /** One request of each kind, before any load. */
  | { readonly kind: 'try'; readonly trial: RequestTrial }
  /** Ends the sending of the turn that is on. */
  | { readonly kind: 'end' }
  /** Ends the turn that is on. */
  | { readonly kind: 'abort' }
);

/** `secrets`: what is to be masked in files that the generator writes. */
export type ToGenerator =
  | ({ readonly kind: 'workload'; readonly secrets: readonly string[] } & WorkloadMessage)
  | StreamMessage;

/** The last message to what was asked of a stream. */
export type Answer =
  | { readonly kind: 'opened' }
  | { readonly kind: 'turned'; readonly result: TurnResult }
  | { readonly kind: 'bulk-turned'; readonly result: BulkTurnResult }
  | { readonly kind: 'closed'; readonly result: LoadResult }
  | { readonly kind: 'tried'; readonly tried: readonly TriedRequest[] }
  | { readonly kind: 'bulk-closed'; readonly result: BulkResult }
  | { readonly kind: 'aborted' }
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode | null;
      readonly message: string;
      readonly hint: string | null;
    };

/** News ahead of the answer. */
export type News =
  | { readonly kind: 'rate'; readonly requestsPerSecond: number }
  /** The window without a job is over. */
  | { readonly kind: 'steady' }
  | { readonly kind: 'bulk-progress'; readonly progress: BulkProgress };

export type FromGenerator =
  | { readonly kind: 'ready' }
  /** Numbers of `${unique}` may be used up to here. */
  | { readonly kind: 'unique'; readonly below: number }
  | ({ readonly stream: number } & (Answer | News));
