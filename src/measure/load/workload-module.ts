import type { Random } from '../../base/random.ts';

/** Types for a user's own workload module. The package exports them: `import type { WorkloadModule } from 'pgsweep'`. */

/** A document that is in the database before load starts. */
export interface ExampleDocument {
  /** By which the service knows it. */
  readonly id: string;
  readonly resource: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Context from which a workload makes its requests. */
export interface WorkloadContext {
  /** Seeded by run, round and load level: every arm gets the same requests. */
  readonly random: Random;
  /** A whole number that no other request of the run has. */
  readonly unique: () => number;
  /** Token that `target.login` fetched for the arm; absent without it. */
  readonly token?: string;
  /** Some of the documents that were loaded. */
  readonly documents: readonly ExampleDocument[];
}

/** One request of a workload module. */
export interface WorkloadRequest {
  /** GET where left out. */
  readonly method?: string;
  /** With its query, such as `/items?limit=10`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent as it is, all else as JSON. */
  readonly body?: unknown;
  /** The kind of request, as the report shows it; method and path where left out. At most 50 are distinguished. */
  readonly name?: string;
}

/** The default export of a workload module. It is called once for each stream of requests, and what it returns for each request. */
export type WorkloadModule = (context: WorkloadContext) => () => WorkloadRequest;
