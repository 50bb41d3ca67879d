import type { ErrorCode } from '../base/errors.ts';
import type { WorkloadSpec } from '../journal/scenario-record.ts';
import type { BulkJob, BulkProgress, BulkResult, LoadJob, LoadResult } from './load-generator.ts';
import type { ExampleDocument } from './request-source.ts';

/** What requests are made from; sent once. */
export interface WorkloadMessage {
  readonly workload: WorkloadSpec;
  readonly documents: readonly ExampleDocument[];
}

export type ToGenerator =
  | ({ readonly kind: 'workload' } & WorkloadMessage)
  | { readonly kind: 'run'; readonly job: LoadJob }
  | { readonly kind: 'bulk'; readonly job: BulkJob }
  | { readonly kind: 'finish' }
  | { readonly kind: 'abort' };

export type FromGenerator =
  | { readonly kind: 'ready' }
  | { readonly kind: 'live'; readonly requestsPerSecond: number }
  | { readonly kind: 'batch'; readonly requestsPerSecond: number }
  | { readonly kind: 'result'; readonly result: LoadResult }
  | { readonly kind: 'bulk-progress'; readonly progress: BulkProgress }
  | { readonly kind: 'bulk-result'; readonly result: BulkResult }
  | { readonly kind: 'aborted' }
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode | null;
      readonly message: string;
      readonly hint: string | null;
    };
