/** The values of probes by name; no two probes give the same, but for the two extensions for statements. */
export type ProbeValues = Readonly<Record<string, number>>;

/** Values that findings ask of the probes of Postgres, whatever its version. */
export const postgresAliases = {
  /** wait-events: connections busy at once, and what share of them waited. */
  busyConnections: ['busy_connections_mean'],
  /** At most this many, 95 % of the time. */
  mostBusyConnections: ['busy_connections_p95'],
  openConnections: ['connections_mean'],
  idleInTransaction: ['idle_in_transaction_mean'],
  clientWaitShare: ['client_wait_share'],
  lockWaitShare: ['lock_wait_share'],
  lightLockWaitShare: ['lwlock_wait_share'],
  ioWaitShare: ['io_wait_share'],
  /** pg-stat-database and pg-stat-statements, of a slice. */
  rollbackShare: ['rollback_share'],
  deadlocks: ['deadlocks'],
  blockReadShare: ['block_read_share'],
  blocksRead: ['statement_blocks_read'],
  statementCalls: ['statement_calls'],
  /** postgres-log, of a slice: warnings that a transaction was begun inside of another, or ended where none was. */
  mixedTransactions: ['log_transaction_open'],
  noTransaction: ['log_no_transaction'],
  loggedErrors: ['log_errors'],
  loggedDeadlocks: ['log_deadlocks'],
  lockTimeouts: ['log_lock_timeouts'],
  lockNotAvailable: ['log_lock_not_available'],
  serializationFailures: ['log_serialization_failures'],
  abortedTransactions: ['log_transaction_aborted'],
} as const;

/**
 * The values of probes that findings use. Services of different kinds show the same value under several names: the
 * first present one holds. Probes name them in src/measure/probe/.
 */
const metricAliases = {
  /** processes: cores. */
  serviceCores: ['service_cpu_cores'],
  serviceThreadCores: ['service_busiest_thread_cores'],
  /** The share of the time in which that thread was ready to run and had no CPU. */
  serviceThreadWaited: ['service_busiest_thread_waited_share'],
  postgresCores: ['postgres_cpu_cores'],
  openSearchCores: ['opensearch_cpu_cores'],
  generatorCores: ['generator_cpu_cores'],
  generatorThreadCores: ['generator_busiest_thread_cores'],
  /** pressure: shares (0..1). */
  machineCpuShare: ['machine_cpu_share'],
  stolenShare: ['cpu_steal_share'],
  ioPressureShare: ['io_pressure_share'],
  /** network: of what the fullest interface can carry. */
  networkShare: ['network_utilisation_share'],
  /** service-metrics: the share of the time in which the event loop was at work; of several instances the busiest. */
  eventLoopShare: ['event_loop_active_busiest_seconds_per_s', 'event_loop_active_seconds_per_s'],
  /** How often requests came to the service, and how long they took there. */
  requestPerS: ['http_request_duration_per_s'],
  requestMs: ['http_request_duration_mean_ms'],
  poolSize: ['pg_pool_max_mean', 'hikaricp_connections_max_mean', 'go_sql_max_open_connections_mean'],
  /** How often connections were held, and for how long: by Little's law the number held. */
  poolHeldPerS: ['pg_pool_held_per_s'],
  poolHeldMs: ['pg_pool_held_mean_ms'],
  /** Or seen to be held at some moments. */
  poolBusy: ['hikaricp_connections_active_mean', 'go_sql_in_use_connections_mean', 'pg_pool_in_use_mean'],
  poolAcquirePerS: ['pg_pool_acquire_per_s', 'hikaricp_connections_acquire_per_s'],
  poolAcquireMs: ['pg_pool_acquire_mean_ms', 'hikaricp_connections_acquire_mean_ms'],
  /** Seconds of waiting a second: how many waited. */
  poolWaiting: ['go_sql_wait_duration_seconds_per_s'],
  poolMostInUse: ['pg_pool_in_use_max'],
  /** How many wait, seen at some moments. */
  poolQueue: ['pg_pool_waiting_mean', 'hikaricp_connections_pending_mean'],
  /** How often a request waited for the search index, and how long; what the index did not take or answer. */
  searchWaitPerS: ['search_wait_per_s'],
  searchWaitMs: ['search_wait_mean_ms'],
  searchFailuresPerS: ['search_failures_per_s'],
  /** Derived from these (pool-use.ts). */
  poolTaken: ['pool_taken_mean'],
  poolWaits: ['pool_waiting_mean'],
  /** pgbouncer: clients that wait for a connection at once, connections that are taken, and those in a transaction. */
  poolerWaits: ['pgbouncer_clients_waiting_mean'],
  poolerTaken: ['pgbouncer_servers_in_use_mean'],
  poolerInTransaction: ['pgbouncer_in_transaction_mean'],
  poolerWaitMs: ['pgbouncer_wait_per_transaction_ms'],
  poolerCores: ['pgbouncer_cpu_cores'],
  ...postgresAliases,
} as const;

export type MetricAlias = keyof typeof metricAliases;

/** A value by what it is; null where no probe gave it. */
export function probeValue(values: ProbeValues, name: MetricAlias): number | null {
  for (const candidate of metricAliases[name]) {
    const found = values[candidate];
    if (found !== undefined) return found;
  }
  return null;
}
