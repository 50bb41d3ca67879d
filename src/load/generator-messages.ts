import type { ErrorCode } from '../base/errors.ts';
import type { WorkloadSpec } from '../journal/scenario-record.ts';
import type { LoadJob, LoadResult } from './load-generator.ts';
import type { ExampleDocument } from './request-source.ts';

/** What requests are made from; sent once. */
export interface WorkloadMessage {
  readonly workload: WorkloadSpec;
  readonly documents: readonly ExampleDocument[];
}

export type ToGenerator =
  | ({ readonly kind: 'workload' } & WorkloadMessage)
  | { readonly kind: 'run'; readonly job: LoadJob }
  | { readonly kind: 'finish' }
  | { readonly kind: 'abort' };

export type FromGenerator =
  | { readonly kind: 'ready' }
  | { readonly kind: 'live'; readonly requestsPerSecond: number }
  | { readonly kind: 'batch'; readonly requestsPerSecond: number }
  | { readonly kind: 'result'; readonly result: LoadResult }
  | { readonly kind: 'aborted' }
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode | null;
      readonly message: string;
      readonly hint: string | null;
    };
