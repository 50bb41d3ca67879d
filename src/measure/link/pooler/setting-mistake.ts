import { nearest } from '../../../base/nearest.ts';

/** PgBouncer refuses a setting, by its name in the scenario. */
export interface SettingMistake {
  readonly setting: string;
  readonly advice: string;
}

/** The setting that PgBouncer refused to start with, by the lines of its log; null where that was not the cause. */
export function settingMistake(lines: readonly string[], version: string): SettingMistake | null {
  const unknown = lastIn(lines, /unknown parameter: (?:pgbouncer\/)?(\S+)/i);
  if (unknown !== null) {
    const near = nearest(unknown, names);
    const advice =
      near === unknown
        ? `Remove ${unknown} from pooler.pgbouncer.settings: PgBouncer ${version} does not have it.`
        : `Correct or remove ${unknown} in pooler.pgbouncer.settings${near === null ? '.' : `: did you mean ${near}?`}`;
    return { setting: unknown, advice };
  }
  const invalid = lastIn(lines, /invalid value .* for parameter (\S+)/i);
  return invalid === null
    ? null
    : { setting: invalid, advice: `Correct the value of ${invalid} in pooler.pgbouncer.settings.` };
}

function lastIn(lines: readonly string[], pattern: RegExp): string | null {
  return lines.flatMap((line) => pattern.exec(line)?.[1] ?? []).at(-1) ?? null;
}

/** Settings of PgBouncer up to 1.25 that a scenario may give. It knows which its own version has. */
const names: readonly string[] = `
  application_name_add_host autodb_idle_timeout cancel_wait_timeout client_idle_timeout client_login_timeout
  client_tls_ca_file client_tls_cert_file client_tls_ciphers client_tls_dheparams client_tls_ecdhcurve
  client_tls_key_file client_tls_protocols client_tls_sslmode disable_pqexec dns_max_ttl dns_nxdomain_ttl
  dns_zone_check_period idle_transaction_timeout job_name listen_backlog log_connections log_disconnections
  log_pooler_errors log_stats max_db_client_connections max_db_connections max_packet_size
  max_user_client_connections max_user_connections peer_id pkt_buf query_timeout query_wait_notify
  reserve_pool_timeout resolv_conf sbuf_loopcnt scram_iterations server_check_delay server_check_query
  server_connect_timeout server_fast_close server_idle_timeout server_lifetime server_login_retry server_reset_query
  server_reset_query_always server_round_robin server_tls_ca_file server_tls_cert_file server_tls_ciphers
  server_tls_key_file server_tls_protocols server_tls_sslmode service_name so_reuseport stats_period suspend_timeout
  syslog_facility syslog_ident tcp_defer_accept tcp_keepalive tcp_keepcnt tcp_keepidle tcp_keepintvl
  tcp_socket_buffer tcp_user_timeout track_extra_parameters transaction_timeout verbose`
  .trim()
  .split(/\s+/);
