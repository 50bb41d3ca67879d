import type { Random } from '../../base/random.ts';

/** Types for a user's own workload module. The package exports them: `import type { WorkloadModule } from 'pgsweep'`. */

/** A document that is in the database before load starts. */
export interface ExampleDocument {
  /** By which the service knows it. */
  readonly id: string;
  readonly resource: string;
  /** The body that was sent. */
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
  /** `options` beside the module in the scenario; empty where left out. */
  readonly options: Readonly<Record<string, unknown>>;
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
  /** Statuses that are no failure of this request; any 2xx where left out. */
  readonly expect?: readonly number[];
}

/**
 * A request of a bulk load, sent once: a POST unless it says otherwise. The id in its answer (the last part of Location,
 * or `id` in the body) is kept with its body for the reads that follow.
 */
export interface BulkRequest extends WorkloadRequest {
  /** The kind by which it is counted; its name where left out. */
  readonly resource?: string;
  /** When it changes, the next request waits until all before it are accepted or given up. */
  readonly wave?: number;
  /** Names by which later requests may wait for this one alone. */
  readonly ids?: readonly string[];
  /** The request is sent when those with these names are accepted or given up. They must come before it. */
  readonly after?: readonly string[];
  /** How you find it in failures.jsonl, if it is never accepted; its number where left out. */
  readonly identity?: Readonly<Record<string, unknown>>;
  /** At most this many of its name are kept for reads; 200 where left out. */
  readonly keep?: number;
}

/** Context from which a bulk module makes its requests. */
export interface BulkContext extends Pick<WorkloadContext, 'token' | 'options'> {
  /** Seeded by run and round: every arm gets the same requests. */
  readonly random: Random;
  /** Takes the number of requests, where it is known before the first: progress then says how long the rest will take. */
  readonly total: (requests: number) => void;
}

/** The default export of a bulk module. It is called once for each load, and its requests are read as they are sent. */
export type BulkModule = (context: BulkContext) => Iterable<BulkRequest> | AsyncIterable<BulkRequest>;

/** Number of documents that are wrong, by how; what is left out is 0. */
export interface BulkFindings {
  /** Accepted, and not in the database. */
  readonly missing?: number;
  /** In the database, and not accepted. */
  readonly unexpected?: number;
  /** In the database twice. */
  readonly doubled?: number;
  /** References to a document that is not there. */
  readonly dangling?: number;
}

/** A loaded database, and what the service has accepted. */
export interface BulkDatabase {
  /** Runs a statement, and returns its rows. */
  readonly query: (sql: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;
  /** How many requests were accepted. */
  readonly loaded: number;
  /** The number of requests and of those that were accepted, by resource. */
  readonly byResource: Readonly<Record<string, { readonly documents: number; readonly loaded: number }>>;
}

/** The export `check` of a bulk module, called after each load. It returns null where there is nothing to compare. */
export type BulkCheckFunction = (database: BulkDatabase) => BulkFindings | null | Promise<BulkFindings | null>;

/** Makes the next request. */
export interface NextRequest {
  (): WorkloadRequest;
  /** The kinds of request, in the order of the report; as they come first where left out. */
  readonly names?: readonly string[];
}

/** The default export of a workload module. It is called once for each stream of requests, and what it returns for each request. */
export type WorkloadModule = (context: WorkloadContext) => NextRequest;

/**
 * An error for the user: pgsweep shows its message as it is, and the hint below. The message of any other error of a module
 * follows the module's name.
 */
export interface HintedError extends Error {
  /** The next step, as a sentence; empty for none. */
  readonly hint: string;
}

/** JSON that a dataset command may write to the file that PGSWEEP_DATASET_REPORT names, all of it optional. */
export interface DatasetReport {
  /** How many documents were loaded, in all and by resource. */
  readonly documents?: number;
  readonly byResource?: Readonly<Record<string, number>>;
  /** Two runs that have one fingerprint have loaded the same. */
  readonly fingerprint?: string;
  /** Some of the documents, for workload modules. */
  readonly examples?: readonly ExampleDocument[];
  /** Lines to be shown, such as what was left out. */
  readonly notes?: readonly string[];
  /** Why it failed; without it the last lines of its output are shown. */
  readonly error?: { readonly message: string; readonly hint?: string };
}
