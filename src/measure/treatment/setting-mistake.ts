import { didYouMean } from '../../base/nearest.ts';
import { reservedSettings } from '../../journal/postgres/reserved-settings.ts';
import type { PostgresRelease, ResolvedScenario } from '../../journal/scenario-record.ts';
import { placeOfSetting, settableNames } from './setting-names.ts';

/** A setting that a server would refuse, of a variant or, where `variant` is null, of the stack. */
export interface SettingMistake {
  readonly variant: string | null;
  readonly setting: string;
  readonly message: string;
}

/**
 * The settings of a scenario that its servers do not have or that cannot vary. `versionOf` tells the version of a server,
 * `17` or `17.2`, or null where it is not known: then a setting of any version will do.
 */
export function settingMistakes(
  { stack: { postgres }, variants }: Pick<ResolvedScenario, 'stack' | 'variants'>,
  versionOf: (release: PostgresRelease) => string | null,
): SettingMistake[] {
  const mistakes = new Map<string, SettingMistake>();
  const add = (variant: string | null, setting: string, message: string | null): void => {
    if (message !== null) mistakes.set(JSON.stringify([variant, setting]), { variant, setting, message });
  };
  for (const { name, treatment } of variants) {
    const release = treatment?.postgres ?? {};
    const server = release.version === undefined && release.image === undefined ? { ...postgres, ...release } : release;
    const varied = Object.keys(treatment?.settings ?? {});
    // The settings of another image are not known: its server is asked.
    const shared = server.image === undefined ? Object.keys(postgres.settings) : [];
    if (varied.length + shared.length === 0) continue;
    const major = majorOf(versionOf(server));
    for (const setting of varied) add(name, setting, variedMistake(setting, major));
    for (const setting of shared) add(null, setting, reservedMistake(setting) ?? nameMistake(setting, major));
  }
  return [...mistakes.values()];
}

/** The mistake in a setting that varies, on a server of that major version (null: of any); null where there is none. */
export function variedMistake(name: string, major: number | null): string | null {
  return placeOfSetting(name) === 'nobody'
    ? `the setting ${name} cannot vary: Postgres itself, the bench, or each connection sets it`
    : nameMistake(name, major);
}

function reservedMistake(name: string): string | null {
  const [, why] = Object.entries(reservedSettings).find(([key]) => key === name.toLowerCase()) ?? [];
  return why === undefined ? null : `the setting ${name} cannot be set: ${why}`;
}

function nameMistake(name: string, major: number | null): string | null {
  const its = major === null ? 'Postgres 13 to 18' : `Postgres ${major}`;
  if (placeOfSetting(name) !== null) {
    const others = major === null ? null : versionsInstead(name, major);
    return others === null ? null : `${its} has no setting "${name}": ${others} have it`;
  }
  const names = settableNames().filter((one) => major === null || versionsInstead(one, major) === null);
  return `unknown setting "${name}": expected a setting of ${its}${didYouMean(name, names)}`;
}

/**
 * Which of the settings in setting-names.ts a version of Postgres lacks, of 13 to 18: by pg_settings of the newest release of
 * each; a test compares the lists with the servers that are there. A version that is not known lacks none.
 */

/** The major version of Postgres that first had a setting; 13 or an earlier one had the others. */
const since = byName({
  14: `client_connection_check_interval compute_query_id debug_discard_caches default_toast_compression
    enable_async_append enable_memoize huge_page_size idle_session_timeout in_hot_standby
    log_recovery_conflict_waits min_dynamic_shared_memory recovery_init_sync_method remove_temp_files_after_crash
    ssl_crl_dir track_wal_io_timing vacuum_failsafe_age vacuum_multixact_failsafe_age`,
  15: `archive_library log_startup_progress_interval recovery_prefetch recursive_worktable_factor shared_memory_size
    shared_memory_size_in_huge_pages stats_fetch_consistency wal_decode_buffer_size`,
  16: `createrole_self_grant debug_io_direct debug_logical_replication_streaming debug_parallel_query
    enable_presorted_aggregate file_extend_method gss_accept_delegation icu_validation_level
    max_parallel_apply_workers_per_subscription reserved_connections scram_iterations send_abort_for_crash
    send_abort_for_kill vacuum_buffer_usage_limit`,
  17: `allow_alter_system commit_timestamp_buffers enable_group_by_reordering event_triggers huge_pages_status
    io_combine_limit max_notify_queue_pages multixact_member_buffers multixact_offset_buffers notify_buffers
    serializable_buffers subtransaction_buffers summarize_wal sync_replication_slots synchronized_standby_slots
    trace_connection_negotiation transaction_buffers transaction_timeout wal_summary_keep_time`,
  18: `autovacuum_vacuum_max_threshold autovacuum_worker_slots enable_distinct_reordering enable_self_join_elimination
    extension_control_path file_copy_method idle_replication_slot_timeout io_max_combine_limit io_max_concurrency
    io_method io_workers log_lock_failures max_active_replication_origins md5_password_warnings num_os_semaphores
    oauth_validator_libraries ssl_groups ssl_tls13_ciphers track_cost_delay_timing
    vacuum_max_eager_freeze_failure_rate vacuum_truncate`,
});

/** The last one that had it; 18 has the others. */
const until = byName({
  13: 'operator_precedence_warning vacuum_cleanup_index_scale_factor',
  14: 'stats_temp_directory',
  15: 'force_parallel_mode lc_collate lc_ctype promote_trigger_file vacuum_defer_cleanup_age',
  16: 'db_user_namespace old_snapshot_threshold trace_recovery_messages',
  17: 'ssl_ecdh_curve',
});

function byName(names: Readonly<Record<number, string>>): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(names).flatMap(([major, text]) =>
      text.split(/\s+/).map((name): [string, number] => [name, Number(major)]),
    ),
  );
}

/** The versions that have a setting, where that one has not: `Postgres 18 and later`; null where it has it. */
export function versionsInstead(name: string, major: number): string | null {
  const key = name.toLowerCase();
  const first = since.get(key) ?? 0;
  const last = until.get(key) ?? Number.POSITIVE_INFINITY;
  if (major < first) return `Postgres ${first} and later`;
  return major > last ? `Postgres ${last} and earlier` : null;
}

/** `17` of `17.2`; null where there is no version. */
export function majorOf(version: string | undefined | null): number | null {
  const major = Number.parseInt(version ?? '', 10);
  return Number.isNaN(major) ? null : major;
}
