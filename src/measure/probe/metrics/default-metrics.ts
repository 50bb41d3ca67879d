/** The busiest event loop of several instances: one that is full is full at 1, so the sum says nothing. */
export const BUSIEST_LOOP = 'event_loop_active_busiest_seconds_per_s';

/**
 * Metrics that are read of every service, whatever its language. A service has those of its libraries; the others have no
 * values.
 */
export const defaultMetrics: readonly string[] = [
  // The built-in service. These only count, so they are right whoever else reads them.
  'event_loop_lag_seconds',
  'event_loop_active_seconds_total',
  'http_requests_in_flight',
  'http_request_duration_seconds',
  'pg_pool_acquire_seconds',
  'pg_pool_held_seconds',
  'pg_pool_in_use',
  'pg_pool_idle',
  'pg_pool_waiting',
  'pg_pool_max',
  'lock_conflicts_total',
  'lock_retries_total',
  'search_wait_seconds',
  'search_failures_total',
  'search_queue_length',
  // Node.js: prom-client. Its lag is of the time since somebody last read it.
  'nodejs_eventloop_lag_mean_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_heap_size_used_bytes',
  'nodejs_external_memory_bytes',
  'nodejs_gc_duration_seconds',
  // Any language: the process collectors of the client libraries.
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'process_open_fds',
  // Go: client_golang's collectors for the runtime and for database/sql.
  'go_goroutines',
  'go_threads',
  'go_memstats_heap_inuse_bytes',
  'go_memstats_stack_inuse_bytes',
  'go_gc_duration_seconds',
  'go_sql_max_open_connections',
  'go_sql_in_use_connections',
  'go_sql_idle_connections',
  'go_sql_wait_count_total',
  'go_sql_wait_duration_seconds_total',
  // JVM: Micrometer, with HikariCP's pool.
  'jvm_memory_used_bytes{area="heap"}',
  'jvm_memory_used_bytes{area="nonheap"}',
  'jvm_gc_pause_seconds',
  'jvm_threads_live_threads',
  'hikaricp_connections_active',
  'hikaricp_connections_pending',
  'hikaricp_connections_max',
  'hikaricp_connections_acquire_seconds',
  // JVM: the Prometheus client for Java and the JMX exporter, whose newer versions name the heap as Micrometer does.
  'jvm_memory_bytes_used{area="heap"}',
  'jvm_gc_collection_seconds',
  'jvm_threads_current',
];
