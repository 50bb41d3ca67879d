import { amount, byName, count, fields, list, oneOf, optional, text, type ValueOf } from '../shape.ts';

/** How long a client keeps its connection of the database: while it is connected, for a transaction, or for a statement. */
export const poolerModes = ['session', 'transaction', 'statement'] as const;

export type PoolerMode = (typeof poolerModes)[number];

/** A PgBouncer between a service and its database. What is absent is as PgBouncer has it. */
export interface PoolerSpec extends ValueOf<typeof poolerSpec> {}
export const poolerSpec = fields({
  kind: oneOf('pgbouncer'),
  mode: oneOf(...poolerModes),
  /** How many connections of the database there are for all clients (default_pool_size). */
  size: count,
  minSize: optional(count),
  /** This many more, once a client has waited for reserve_pool_timeout. */
  reserveSize: optional(count),
  maxClientConn: optional(count),
  /** Named prepared statements that are kept for each connection of the database, from 1.21 on. */
  maxPreparedStatements: optional(count),
  queryWaitTimeoutMs: optional(amount),
  /** Parameters that clients send when they connect, and that are dropped. */
  ignoreStartupParameters: optional(list(text)),
  /** Run on each new connection of the database. */
  connectQuery: optional(text),
  /** The image of the container that it runs in; absent where it is a program of this machine. */
  image: optional(text),
  /** All else that stands in its pgbouncer.ini, by PgBouncer's names. */
  settings: byName(text),
});

/** PgBouncer's own default_pool_size. */
export const defaultPoolerSize = 20;

/** Settings that the bench itself gives to PgBouncer, with why or where a scenario says them. */
export const poolerSettingsOfBench: Readonly<Record<string, string>> = {
  pool_mode: 'it is mode',
  default_pool_size: 'it is size',
  min_pool_size: 'it is minSize',
  reserve_pool_size: 'it is reserveSize',
  max_client_conn: 'it is maxClientConn',
  max_prepared_statements: 'it is maxPreparedStatements',
  query_wait_timeout: 'it is queryWaitTimeout',
  ignore_startup_parameters: 'it is ignoreStartupParameters',
  listen_addr: 'each arm has its own PgBouncer on 127.0.0.1',
  listen_port: 'each arm has its own PgBouncer on a free port',
  unix_socket_dir: 'services reach it by TCP',
  auth_type: 'the bench makes its user',
  auth_file: 'the bench makes its user',
  auth_query: 'the bench makes its user',
  auth_user: 'the bench makes its user',
  auth_hba_file: 'the bench makes its user',
  admin_users: 'the bench alone asks it',
  stats_users: 'the bench alone asks it',
  logfile: 'its log is a file of the bench',
  pidfile: 'the bench started it, and ends it',
  syslog: 'its log is a file of the bench',
  user: 'it runs as the embedded Postgres does',
};

/** The most connections of the database that a PgBouncer opens, and the key or setting that limits them. */
export interface PoolerLimit {
  readonly most: number;
  readonly by: 'size' | (typeof connectionLimits)[number];
}

/** Each arm's PgBouncer has one database and one user, so either limits all; 0 is no limit. */
const connectionLimits = ['max_db_connections', 'max_user_connections'] as const;

/** How many connections of the database it opens at most, and why no more. */
export function poolerLimit({ size, reserveSize = 0, settings }: PoolerSpec): PoolerLimit {
  const limits = connectionLimits.map((by) => ({ most: Number(settings[by] ?? 0), by })).filter(({ most }) => most > 0);
  const wanted: PoolerLimit = { most: size + reserveSize, by: 'size' };
  return limits.reduce((least, limit) => (limit.most < least.most ? limit : least), wanted);
}

/** How many connections of the database it opens at most. */
export function mostPoolerConnections(spec: PoolerSpec): number {
  return poolerLimit(spec).most;
}

/** Observations of a PgBouncer that runs. */
export interface PoolerReading extends ValueOf<typeof poolerReading> {}
export const poolerReading = fields({
  /** `1.18.0` */
  version: text,
  asked: poolerSpec,
});
