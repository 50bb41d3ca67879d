import { errors } from '@opensearch-project/opensearch';
import { messageOf } from '../../errors.ts';

export const searchOperations = ['index', 'delete', 'bulk', 'search', 'create_index'] as const;

export type SearchOperation = (typeof searchOperations)[number];

export const failureKinds = [
  'unreachable',
  'timeout',
  /** OpenSearch has more to do than its own queues hold (429). */
  'busy',
  /** OpenSearch will not take it, now or later (4xx). */
  'rejected',
  /** Any other failure of OpenSearch. */
  'failed',
  /** Not tried: the service ended first. */
  'dropped',
] as const;

export type FailureKind = (typeof failureKinds)[number];

export interface SearchFailure {
  readonly kind: FailureKind;
  /** For people; without what differs from document to document, so that a log can leave out repetitions. */
  readonly reason: string;
}

/** Meaning of an error of the OpenSearch client, or of one item of a bulk answer. */
export function failureOf(error: unknown): SearchFailure {
  if (error instanceof errors.TimeoutError) return { kind: 'timeout', reason: error.message };
  if (error instanceof errors.ConnectionError || error instanceof errors.NoLivingConnectionsError) {
    return { kind: 'unreachable', reason: error.message };
  }
  if (error instanceof errors.ResponseError) return failureOfAnswer(error.statusCode, error.body?.error);
  return { kind: 'failed', reason: messageOf(error) };
}

/** Meaning of OpenSearch's own description of an error, of a whole answer or of one document of a bulk call. */
export function failureOfAnswer(status: number | undefined, error: unknown): SearchFailure {
  const { type, reason } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const text = `${type ?? `status ${status}`}${reason === undefined ? '' : `: ${reason}`}`;
  // "... in document with id '...'. Preview of field's value: '...'"
  const reasonOnly = text.replace(/ in document with id .*/s, '').slice(0, 300);
  if (status === 429) return { kind: 'busy', reason: reasonOnly };
  return { kind: status !== undefined && status >= 400 && status < 500 ? 'rejected' : 'failed', reason: reasonOnly };
}
