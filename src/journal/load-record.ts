/** How much load there is, and of which kind. */

/**
 * One intensity of load. Variants are compared within a load level, never across. Levels differ by what their size is;
 * load-level.ts tells them apart for all who only name or order them.
 */
export type LoadLevel = ConnectionsLevel | RateLevel | UsersLevel;

export interface ConnectionsLevel extends LevelContent {
  /** Client connections of a closed loop: each sends its next request when the answer to the last has come. */
  readonly connections: number;
  /** Set where the level is a bulk load: a whole data set is posted once, however long that takes. */
  readonly bulk?: true;
}

export interface RateLevel extends LevelContent {
  /** Requests that are sent each second of an open loop, whether earlier ones were answered or not. */
  readonly rate: number;
  readonly bulk?: never;
}

export interface UsersLevel extends LevelContent {
  /** Users, each of whom goes through a script of requests and pauses. */
  readonly users: number;
  readonly bulk?: never;
}

interface LevelContent {
  /** Set where levels differ in what they send, not only in how much of it. */
  readonly workload?: BuiltInWorkload;
}

/** When the requests of an open loop are sent, at every rate. */
export interface OpenLoopSpec {
  /** At equal distances, or as independent users do: at exponentially distributed ones, by the seed. */
  readonly arrivals: 'constant' | 'poisson';
  /** Requests that may be under way at once; one that is due beyond it is not sent, and counts as failed. */
  readonly inFlight: number;
}

/** So many requests and no more: their time is the result. */
export interface BoundedSpec {
  readonly count: number;
  /** A slice that has not answered all of them by then is a timeout. */
  readonly limitMs: number;
}

/** The workloads that the bench brings for its document service. */
export const builtInWorkloads = [
  'upsert-schools',
  'insert-schools',
  'update-schools',
  'get-schools',
  'list-schools',
  'get-documents',
  'list-by-reference',
  'delete-referenced',
] as const;

export type BuiltInWorkload = (typeof builtInWorkloads)[number];
