import type { MetricsSpec } from '../../journal/scenario-record.ts';
import { isValueOf } from '../../journal/service/metric-names.ts';
import { BUSIEST_LOOP, defaultMetrics } from './metrics/default-metrics.ts';

const ofUsage = [
  'cpu_cores',
  'cpu_user_cores',
  'cpu_system_cores',
  'busiest_thread_cores',
  'busiest_thread_waited_share',
  'throttled_share',
  'memory_max_bytes',
  'voluntary_switches_per_s',
  'involuntary_switches_per_s',
  'read_bytes_per_s',
  'written_bytes_per_s',
];

/**
 * Names of the values that probes give, without those that hold a name of the user's (of a process, a backend) and those of the
 * service's own metrics. A new probe adds its values here: a limit of a search may then name them.
 */
export const valueNames: readonly string[] = [
  ...['service', 'postgres', 'opensearch', 'generator'].flatMap((role) => ofUsage.map((value) => `${role}_${value}`)),
  // wait-events
  ...words`wait_samples connections_mean busy_connections_mean busy_connections_p95 busy_connections_max`,
  ...words`idle_in_transaction_mean on_cpu_share lock_wait_share lwlock_wait_share io_wait_share client_wait_share`,
  ...words`other_wait_share`,
  // pg-stat-statements, pg-stat-monitor, plans
  ...words`statements statement_calls statement_total_ms statement_rows statement_blocks_hit statement_blocks_read`,
  ...words`statement_temp_blocks statement_wal_kb statement_wal_images statement_errors top_statement_share`,
  ...words`plans_seen plans_unknown`,
  // pg-stat-database
  ...words`deadlocks conflicts temp_files temp_kb sessions_opened sessions_lost rollback_share block_read_share`,
  ...words`active_ms_per_transaction idle_in_transaction_ms_per_transaction`,
  // postgres-io
  ...words`wal_kb_per_s wal_full_page_share wal_buffers_full checkpoints checkpoint_write_ms checkpoint_sync_ms`,
  ...words`checkpoint_buffers bgwriter_buffers backend_buffers backend_writes backend_evictions`,
  // postgres-log
  ...words`log_errors log_warnings log_lock_not_available log_lock_timeouts log_deadlocks log_serialization_failures`,
  ...words`log_statement_timeouts log_transaction_open log_no_transaction log_transaction_aborted`,
  ...words`log_too_many_connections log_unique_violations`,
  // table-use
  ...words`seq_scan_share seq_rows_per_seq_scan hot_update_share dead_rows vacuums analyzes tables_kb indexes_kb`,
  // network, pressure
  ...words`loopback_bytes_per_s network_received_bytes_per_s network_sent_bytes_per_s network_utilisation_share`,
  ...words`tcp_segments_per_s tcp_retransmitted_share listen_overflows_per_s`,
  ...words`cpu_pressure_share memory_pressure_share io_pressure_share machine_cpu_share cpu_steal_share`,
  // pgbouncer
  ...words`pgbouncer_transactions_per_s pgbouncer_queries_per_s pgbouncer_wait_per_transaction_ms`,
  ...words`pgbouncer_clients_waiting_mean pgbouncer_in_transaction_mean pgbouncer_querying_mean pgbouncer_clients_mean`,
  ...words`pgbouncer_clients_waiting_max pgbouncer_servers_mean pgbouncer_servers_in_use_mean pgbouncer_longest_wait_ms`,
  ...words`pgbouncer_cpu_cores`,
  // opensearch
  ...words`opensearch_index_ops opensearch_index_time_ms opensearch_index_failures opensearch_delete_ops`,
  ...words`opensearch_query_ops opensearch_query_time_ms opensearch_refresh_ops opensearch_refresh_time_ms`,
  ...words`opensearch_flush_ops opensearch_merge_ops opensearch_merge_time_ms opensearch_gc_ops opensearch_gc_time_ms`,
  ...words`opensearch_cpu_percent opensearch_heap_used_bytes opensearch_index_ops_per_request`,
  ...words`opensearch_query_ops_per_request`,
];

/** True for the name of a value that some probe may give: its own, or one of a metric that is read of the service. */
export function mayBeValue(name: string, metrics: MetricsSpec | undefined): boolean {
  return (
    valueNames.includes(name) ||
    name === BUSIEST_LOOP ||
    [...defaultMetrics, ...(metrics?.include ?? [])].some((metric) => isValueOf(metric, name))
  );
}

function words(text: TemplateStringsArray): string[] {
  return (text[0] ?? '').split(' ');
}
