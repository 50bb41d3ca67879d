import { distanceWays } from '../link/distance.ts';
import { amount, byName, count, fields, flag, list, oneOf, optional, orNull, text, type ValueOf } from '../shape.ts';

/**
 * Why each arm has its own Postgres server: some variant has a setting that needs a restart, another Postgres, or SQL
 * that reaches beyond its database; `rounds.restart` asks for it; all arms' copies together do not fit in the shared_buffers of one server.
 */
export const ownServersReasons = ['variants', 'restart', 'shared buffers'] as const;

export type OwnServersReason = (typeof ownServersReasons)[number];

/** The role that services have in their databases. */
export interface ServiceRole extends ValueOf<typeof serviceRole> {}
export const serviceRole = fields({
  name: text,
  isSuperuser: flag,
  /** Tables with row-level security, and those of them whose policies do not apply to the role. */
  secured: count,
  bypassed: count,
});

/** Something that a file of the data set asked for, and that this Postgres has not. */
export interface LeftOut extends ValueOf<typeof leftOut> {}
const leftOut = fields({
  /** Its name without its folder. */
  file: text,
  /** A role: what the file lets it own or grants it. */
  kind: oneOf('setting', 'role'),
  name: text,
});

/** The data set as it was loaded. */
export interface DatasetRecord extends ValueOf<typeof datasetRecord> {}
const datasetRecord = fields({
  name: text,
  documents: count,
  byResource: byName(count),
  /** sha256 over the documents in order, or of a dump; null where the bench cannot know (SQL, a command). */
  fingerprint: orNull(text),
  loadMs: amount,
  /** Absent where nothing was left out, and in old journals. */
  leftOut: optional(list(leftOut)),
});

/** Where and on what the run was made, as labels and values for people and as fields for comparing runs. */
export interface Provenance extends ValueOf<typeof provenance> {}
export const provenance = fields({
  pgsweepVersion: text,
  gitCommit: orNull(text),
  /** The scenario's folder below the top folder of its repository, empty for that itself; absent without git, and in old journals. */
  gitFolder: optional(text),
  /** By variant, where variants are run in different folders: the commit of each, as far as git knows one. */
  variantCommits: optional(byName(text)),
  cpuModel: text,
  cpuCount: count,
  memoryBytes: amount,
  kernel: text,
  nodeVersion: text,
  /** `embedded`, `docker` or `external`; `none` where the target is a URL. */
  stack: text,
  /** Why this one: `no Docker engine`. */
  stackReason: optional(text),
  /** A fact about the stack that the numbers must be read with, such as a proxy before the database. */
  stackNote: optional(text),
  postgresVersion: orNull(text),
  postgresBinaries: orNull(text),
  postgresSettings: byName(text),
  /** Absent where all arms share one server. */
  ownServers: optional(oneOf(...ownServersReasons)),
  /** `PgBouncer 1.18.0`; absent where none stands before a database. */
  poolerVersion: optional(text),
  /** The way in which distances of services from their databases are made; absent where there are none. */
  distanceBy: optional(oneOf(...distanceWays)),
  /** In old journals, why not the kernel: `the kernel has no netem`. */
  distanceReason: optional(text),
  /** Absent where the stack has no OpenSearch. */
  openSearchVersion: optional(text),
  /** `Java 17, heap 512 MB` */
  openSearchRuntime: optional(text),
  dataset: orNull(datasetRecord),
  /** Absent in old journals, and where no variant has a Postgres. */
  serviceRole: optional(serviceRole),
});
