import type { Random } from '../base/random.ts';

/** One request, ready to be sent. */
export interface GeneratedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Index into the source's names. */
  readonly name: number;
}

/** Makes the requests of one slice, in order. */
export interface RequestSource {
  /** Names of the kinds of request, as the report shows them. */
  readonly names: readonly string[];
  /** By name, the statuses that are no failure; any 2xx where there are none. Absent where that holds for all. */
  readonly expected?: readonly (readonly number[] | undefined)[];
  /** Set where every request is the same: it is then built once. */
  readonly fixed?: GeneratedRequest;
  next(): GeneratedRequest;
}

/** A document that is in the database before load starts. */
export interface ExampleDocument {
  /** By which the service knows it. */
  readonly id: string;
  readonly resource: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a workload makes its requests from. */
export interface WorkloadContext {
  /** Seeded by run, round and load level: every arm gets the same requests. */
  readonly random: Random;
  /** A whole number that no other request of the run has. */
  readonly unique: () => number;
  /** What `target.login` has fetched for the arm; absent without it. */
  readonly token?: string;
  /** Some of the documents that were loaded. */
  readonly documents: readonly ExampleDocument[];
}

/** What a workload of a user's own exports as default, and what it returns. */
export type WorkloadModule = (
  context: WorkloadContext,
) => () => { method?: string; path: string; headers?: Record<string, string>; body?: unknown; name?: string };
