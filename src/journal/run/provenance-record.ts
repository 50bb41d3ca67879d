import type { DistanceWay } from '../link/distance.ts';

/**
 * Why each arm has a Postgres server of its own: some variant has a setting that needs a restart, or another Postgres;
 * `rounds.restart` asks for it; all arms' copies together do not fit in the shared_buffers of one server.
 */
export const ownServersReasons = ['variants', 'restart', 'shared buffers'] as const;

export type OwnServersReason = (typeof ownServersReasons)[number];

/** The data set as it was loaded. */
export interface DatasetRecord {
  readonly name: string;
  readonly documents: number;
  readonly byResource: Readonly<Record<string, number>>;
  /** sha256 over the documents in order, or of a dump; null where the bench cannot tell (SQL, a command). */
  readonly fingerprint: string | null;
  readonly loadMs: number;
}

/** Where and on what the run was made, as labels and values for people and as fields for comparing runs. */
export interface Provenance {
  readonly pgsweepVersion: string;
  readonly gitCommit: string | null;
  /** By variant, where variants are run in different folders: the commit of each, as far as git knows one. */
  readonly variantCommits?: Readonly<Record<string, string>>;
  readonly cpuModel: string;
  readonly cpuCount: number;
  readonly memoryBytes: number;
  readonly kernel: string;
  readonly nodeVersion: string;
  /** `embedded`, `docker` or `external`; `none` where the target is a URL. */
  readonly stack: string;
  /** Why this one: `no Docker engine`. Absent in old journals. */
  readonly stackReason?: string;
  /** A fact about the stack that the numbers must be read with, such as a proxy before the database. */
  readonly stackNote?: string;
  readonly postgresVersion: string | null;
  readonly postgresBinaries: string | null;
  readonly postgresSettings: Readonly<Record<string, string>>;
  /** Absent where all arms share one server. */
  readonly ownServers?: OwnServersReason;
  /** `PgBouncer 1.18.0`; absent where none stands before a database. */
  readonly poolerVersion?: string;
  /** What makes the distances of services from their databases; absent where there are none, and in old journals, of which a proxy made them. */
  readonly distanceBy?: DistanceWay;
  /** Why not the kernel: `the kernel has no netem`. */
  readonly distanceReason?: string;
  /** Absent where the stack has no OpenSearch. */
  readonly openSearchVersion?: string;
  /** `Java 17, heap 512 MB` */
  readonly openSearchRuntime?: string;
  readonly dataset: DatasetRecord | null;
}
