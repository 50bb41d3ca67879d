/**
 * The settings of Postgres 13 to 18 by where they can be set, so that a plan can say which variants need their own
 * server before any server runs. By pg_settings.context; a test compares them with the server that is there.
 */

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Contexts user and superuser: ALTER DATABASE ... SET. */
const ofDatabase = names(`
  allow_in_place_tablespaces allow_system_table_mods array_nulls backend_flush_after backslash_quote
  backtrace_functions bytea_output check_function_bodies client_connection_check_interval client_min_messages
  commit_delay commit_siblings compute_query_id constraint_exclusion cpu_index_tuple_cost cpu_operator_cost
  cpu_tuple_cost createrole_self_grant cursor_tuple_fraction datestyle deadlock_timeout debug_discard_caches
  debug_logical_replication_streaming debug_parallel_query debug_pretty_print debug_print_parse debug_print_plan
  debug_print_rewritten default_statistics_target default_table_access_method default_tablespace
  default_text_search_config default_toast_compression default_transaction_deferrable default_transaction_isolation
  default_transaction_read_only dynamic_library_path effective_cache_size effective_io_concurrency
  enable_async_append enable_bitmapscan enable_distinct_reordering enable_gathermerge enable_group_by_reordering
  enable_hashagg enable_hashjoin enable_incremental_sort enable_indexonlyscan enable_indexscan enable_material
  enable_memoize enable_mergejoin enable_nestloop enable_parallel_append enable_parallel_hash
  enable_partition_pruning enable_partitionwise_aggregate enable_partitionwise_join enable_presorted_aggregate
  enable_self_join_elimination enable_seqscan enable_sort enable_tidscan escape_string_warning event_triggers
  exit_on_error extension_control_path extension_destdir extra_float_digits file_copy_method force_parallel_mode
  from_collapse_limit geqo geqo_effort geqo_generations geqo_pool_size geqo_seed geqo_selection_bias geqo_threshold
  gin_fuzzy_search_limit gin_pending_list_limit hash_mem_multiplier icu_validation_level
  idle_in_transaction_session_timeout idle_session_timeout ignore_checksum_failure intervalstyle io_combine_limit
  jit jit_above_cost jit_dump_bitcode jit_expressions jit_inline_above_cost jit_optimize_above_cost
  jit_tuple_deforming join_collapse_limit lc_messages lc_monetary lc_numeric lc_time lo_compat_privileges
  local_preload_libraries lock_timeout log_duration log_error_verbosity log_executor_stats log_lock_failures
  log_lock_waits log_min_duration_sample log_min_duration_statement log_min_error_statement log_min_messages
  log_parameter_max_length log_parameter_max_length_on_error log_parser_stats log_planner_stats
  log_replication_commands log_statement log_statement_sample_rate log_statement_stats log_temp_files
  log_transaction_sample_rate logical_decoding_work_mem maintenance_io_concurrency maintenance_work_mem
  max_parallel_maintenance_workers max_parallel_workers max_parallel_workers_per_gather max_stack_depth
  md5_password_warnings min_parallel_index_scan_size min_parallel_table_scan_size operator_precedence_warning
  parallel_leader_participation parallel_setup_cost parallel_tuple_cost password_encryption plan_cache_mode
  quote_all_identifiers random_page_cost recursive_worktable_factor restrict_nonsystem_relation_kind row_security
  scram_iterations search_path seq_page_cost session_preload_libraries session_replication_role
  standard_conforming_strings statement_timeout stats_fetch_consistency synchronize_seqscans synchronous_commit
  tcp_keepalives_count tcp_keepalives_idle tcp_keepalives_interval tcp_user_timeout temp_buffers temp_file_limit
  temp_tablespaces timezone timezone_abbreviations trace_notify trace_sort track_activities track_cost_delay_timing
  track_counts track_functions track_io_timing track_wal_io_timing transaction_timeout transform_null_equals
  update_process_title vacuum_buffer_usage_limit vacuum_cleanup_index_scale_factor vacuum_cost_delay
  vacuum_cost_limit vacuum_cost_page_dirty vacuum_cost_page_hit vacuum_cost_page_miss vacuum_failsafe_age
  vacuum_freeze_min_age vacuum_freeze_table_age vacuum_max_eager_freeze_failure_rate vacuum_multixact_failsafe_age
  vacuum_multixact_freeze_min_age vacuum_multixact_freeze_table_age vacuum_truncate wal_compression
  wal_consistency_checking wal_init_zero wal_recycle wal_sender_timeout wal_skip_threshold work_mem xmlbinary
  xmloption zero_damaged_pages
`);

/**
 * Contexts postmaster and sighup, which are of the whole server; and backend and superuser-backend, of which ALTER DATABASE
 * says "cannot be set after connection start".
 */
const ofServer = names(`
  allow_alter_system archive_cleanup_command archive_command archive_library archive_mode archive_timeout
  authentication_timeout autovacuum autovacuum_analyze_scale_factor autovacuum_analyze_threshold
  autovacuum_freeze_max_age autovacuum_max_workers autovacuum_multixact_freeze_max_age autovacuum_naptime
  autovacuum_vacuum_cost_delay autovacuum_vacuum_cost_limit autovacuum_vacuum_insert_scale_factor
  autovacuum_vacuum_insert_threshold autovacuum_vacuum_max_threshold autovacuum_vacuum_scale_factor
  autovacuum_vacuum_threshold autovacuum_work_mem autovacuum_worker_slots bgwriter_delay bgwriter_flush_after
  bgwriter_lru_maxpages bgwriter_lru_multiplier bonjour bonjour_name checkpoint_completion_target
  checkpoint_flush_after checkpoint_timeout checkpoint_warning cluster_name commit_timestamp_buffers data_sync_retry
  db_user_namespace debug_io_direct dynamic_shared_memory_type event_source external_pid_file file_extend_method
  fsync full_page_writes gss_accept_delegation hot_standby hot_standby_feedback huge_page_size huge_pages ident_file
  idle_replication_slot_timeout ignore_invalid_pages ignore_system_indexes io_max_combine_limit io_max_concurrency
  io_method io_workers jit_debugging_support jit_profiling_support jit_provider krb_caseins_users krb_server_keyfile
  log_autovacuum_min_duration log_checkpoints log_connections log_destination log_directory log_disconnections
  log_file_mode log_filename log_hostname log_line_prefix log_recovery_conflict_waits log_rotation_age
  log_rotation_size log_startup_progress_interval log_timezone log_truncate_on_rotation logging_collector
  max_active_replication_origins max_connections max_files_per_process max_locks_per_transaction
  max_logical_replication_workers max_notify_queue_pages max_parallel_apply_workers_per_subscription
  max_pred_locks_per_page max_pred_locks_per_relation max_pred_locks_per_transaction max_prepared_transactions
  max_replication_slots max_slot_wal_keep_size max_standby_archive_delay max_standby_streaming_delay
  max_sync_workers_per_subscription max_wal_senders max_wal_size max_worker_processes min_dynamic_shared_memory
  min_wal_size multixact_member_buffers multixact_offset_buffers notify_buffers oauth_validator_libraries
  old_snapshot_threshold post_auth_delay pre_auth_delay primary_conninfo primary_slot_name promote_trigger_file
  recovery_end_command recovery_init_sync_method recovery_min_apply_delay recovery_prefetch recovery_target
  recovery_target_action recovery_target_inclusive recovery_target_lsn recovery_target_name recovery_target_time
  recovery_target_timeline recovery_target_xid remove_temp_files_after_crash reserved_connections
  restart_after_crash restore_command send_abort_for_crash send_abort_for_kill serializable_buffers shared_buffers
  shared_memory_type shared_preload_libraries ssl ssl_ca_file ssl_cert_file ssl_ciphers ssl_crl_dir ssl_crl_file
  ssl_dh_params_file ssl_ecdh_curve ssl_groups ssl_key_file ssl_max_protocol_version ssl_min_protocol_version
  ssl_passphrase_command ssl_passphrase_command_supports_reload ssl_prefer_server_ciphers ssl_tls13_ciphers
  stats_temp_directory subtransaction_buffers summarize_wal superuser_reserved_connections sync_replication_slots
  synchronized_standby_slots synchronous_standby_names syslog_facility syslog_ident syslog_sequence_numbers
  syslog_split_messages trace_connection_negotiation trace_recovery_messages track_activity_query_size
  track_commit_timestamp transaction_buffers unix_socket_group unix_socket_permissions vacuum_defer_cleanup_age
  wal_buffers wal_decode_buffer_size wal_keep_size wal_level wal_log_hints wal_receiver_create_temp_slot
  wal_receiver_status_interval wal_receiver_timeout wal_retrieve_retry_interval wal_summary_keep_time
  wal_sync_method wal_writer_delay wal_writer_flush_after
`);

/** Those of context sighup in every version: a server that runs takes them over when its configuration is loaded again. */
const ofReload = names(`
  allow_alter_system archive_cleanup_command archive_command archive_library archive_timeout authentication_timeout
  autovacuum autovacuum_analyze_scale_factor autovacuum_analyze_threshold autovacuum_naptime
  autovacuum_vacuum_cost_delay autovacuum_vacuum_cost_limit autovacuum_vacuum_insert_scale_factor
  autovacuum_vacuum_insert_threshold autovacuum_vacuum_max_threshold autovacuum_vacuum_scale_factor
  autovacuum_vacuum_threshold autovacuum_work_mem bgwriter_delay bgwriter_flush_after bgwriter_lru_maxpages
  bgwriter_lru_multiplier checkpoint_completion_target checkpoint_flush_after checkpoint_timeout checkpoint_warning
  db_user_namespace file_extend_method fsync full_page_writes gss_accept_delegation hot_standby_feedback
  idle_replication_slot_timeout io_workers krb_caseins_users krb_server_keyfile log_autovacuum_min_duration
  log_checkpoints log_destination log_directory log_file_mode log_filename log_hostname log_line_prefix
  log_recovery_conflict_waits log_rotation_age log_rotation_size log_startup_progress_interval log_timezone
  log_truncate_on_rotation max_parallel_apply_workers_per_subscription max_pred_locks_per_page
  max_pred_locks_per_relation max_slot_wal_keep_size max_standby_archive_delay max_standby_streaming_delay
  max_sync_workers_per_subscription max_wal_size min_wal_size oauth_validator_libraries primary_conninfo
  primary_slot_name promote_trigger_file recovery_end_command recovery_init_sync_method recovery_min_apply_delay
  recovery_prefetch restart_after_crash restore_command ssl ssl_ca_file ssl_cert_file ssl_ciphers ssl_crl_dir
  ssl_crl_file ssl_dh_params_file ssl_ecdh_curve ssl_groups ssl_key_file ssl_max_protocol_version
  ssl_min_protocol_version ssl_passphrase_command ssl_passphrase_command_supports_reload ssl_prefer_server_ciphers
  ssl_tls13_ciphers summarize_wal sync_replication_slots synchronized_standby_slots synchronous_standby_names
  syslog_facility syslog_ident syslog_sequence_numbers syslog_split_messages vacuum_defer_cleanup_age wal_keep_size
  wal_receiver_create_temp_slot wal_receiver_status_interval wal_receiver_timeout wal_retrieve_retry_interval
  wal_summary_keep_time wal_sync_method wal_writer_delay wal_writer_flush_after
`);

/** Settings that belong to Postgres itself, the bench, or a single connection or transaction. */
const ofNobody = names(`
  application_name block_size client_encoding config_file data_checksums data_directory data_directory_mode
  debug_assertions hba_file huge_pages_status in_hot_standby integer_datetimes lc_collate lc_ctype listen_addresses
  max_function_args max_identifier_length max_index_keys num_os_semaphores port segment_size server_encoding
  server_version server_version_num shared_memory_size shared_memory_size_in_huge_pages ssl_library
  transaction_deferrable transaction_isolation transaction_read_only unix_socket_directories wal_block_size
  wal_segment_size
`);

export type SettingPlace = 'database' | 'server' | 'nobody';

/** Where a setting is set, whatever the case of its name; null where there is none of that name. */
export function placeOfSetting(name: string): SettingPlace | null {
  const key = name.toLowerCase();
  if (ofDatabase.has(key)) return 'database';
  if (ofServer.has(key)) return 'server';
  if (ofNobody.has(key)) return 'nobody';
  // Those of an extension are known to the server alone, once it is loaded. Most can be set by a superuser at any time.
  return /^[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_.]*$/.test(key) ? 'database' : null;
}

/** True if a running server can take over a setting. */
export function isReloaded(name: string): boolean {
  return ofReload.has(name.toLowerCase());
}

/** All names that a variant can set, for the nearest one. */
export function settableNames(): readonly string[] {
  return [...ofDatabase, ...ofServer];
}
