import { Counter, Histogram, type Registry } from 'prom-client';
import { durationBucketsSeconds, gaugesIn } from '../metrics.ts';
import { type FailureKind, failureKinds, type SearchOperation, searchOperations } from './failure.ts';

/** Counters and timers of calls to OpenSearch. */
export interface SearchMetrics {
  observeCall(operation: SearchOperation, seconds: number): void;
  /** How long a request was kept by the search index: until its document was indexed or queued, or its list was there. */
  observeWait(seconds: number): void;
  /** `count`: of documents, for index and delete also where they went in one bulk call. */
  countFailures(operation: SearchOperation, kind: FailureKind, count: number): void;
}

/** Figures of a queue. */
export interface QueueLengths {
  /** Changes that are not in the index yet, those on their way included. */
  readonly queued: number;
  /** Writes that wait for room in the queue. */
  readonly waiting: number;
}

/** Adds the metrics of the search index to a registry. `lengths` is asked when somebody reads the metrics. */
export function createSearchMetrics(registry: Registry, lengths: () => QueueLengths): SearchMetrics {
  const registers = [registry];
  const calls = new Histogram({
    name: 'search_request_duration_seconds',
    help: 'Time of a call to OpenSearch, failed ones included, by operation.',
    labelNames: ['operation'] as const,
    buckets: durationBucketsSeconds,
    registers,
  });
  const waits = new Histogram({
    name: 'search_wait_seconds',
    help: 'Time that a request waited for the search index: to take its document, or to answer its list.',
    buckets: durationBucketsSeconds,
    registers,
  });
  const failures = new Counter({
    name: 'search_failures_total',
    help: 'Documents not indexed or deleted, queries not answered and indices not made, by operation and kind.',
    labelNames: ['operation', 'kind'] as const,
    registers,
  });
  // A counter that appears only with its first failure looks the same as one that is not there.
  for (const operation of searchOperations.filter((each) => each !== 'bulk')) {
    for (const kind of failureKinds) failures.inc({ operation, kind }, 0);
  }
  const gauge = gaugesIn(registers);
  gauge('search_queue_length', 'Documents on their way to the index.', () => lengths().queued);
  gauge('search_queue_waiting', 'Writes that wait for room in the full queue.', () => lengths().waiting);
  return {
    observeCall: (operation, seconds) => calls.observe({ operation }, seconds),
    observeWait: (seconds) => waits.observe(seconds),
    countFailures: (operation, kind, count) => failures.inc({ operation, kind }, count),
  };
}
