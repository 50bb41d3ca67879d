import { PgsweepError } from '../../../base/errors.ts';
import { BENCH_CONNECTIONS } from '../../../journal/postgres/connections.ts';
import { reservedSettings } from '../../../journal/postgres/reserved-settings.ts';
import type { SettingValue } from './postgres.ts';
import { query } from './query.ts';

/** Settings of a server, by their names. */
export type Settings = Readonly<Record<string, SettingValue>>;

/** Settings that keep Postgres's own housekeeping out of slices of seconds, where only some would have it. */
export const withoutHousekeeping: Settings = {
  // Planner statistics come from ANALYZE on the template instead.
  autovacuum: false,
  // Checkpoints come when the run asks for one: arms then start at the same distance from the last.
  checkpoint_timeout: '1d',
  max_wal_size: '8GB',
  // A page's first change after a checkpoint puts all of it into the WAL: the more requests a run has, the fewer bytes each.
  full_page_writes: false,
};

/**
 * Settings of the bench, where the user sets none. Everything else (fsync, synchronous_commit, ...) keeps Postgres's
 * defaults, and shared_preload_libraries holds only the caller's `preload`.
 */
export const benchSettings: Settings = {
  // A sweep of pool sizes must be limited by the pools, not by the server's 100.
  max_connections: BENCH_CONNECTIONS,
  // One that still comes is seen in the log. Default only since Postgres 15.
  log_checkpoints: true,
  // Each line says which database it is of, and an error's SQLSTATE, which holds in every language.
  log_line_prefix: '%m [%p] %d %e ',
  // Postgres's 128 MB is less than most datasets of interest; this still fits a small CI machine.
  shared_buffers: '256MB',
  // After a crash of one of its processes a server would restart in the middle of a slice, its caches empty, and the
  // service that lost its connections would be blamed. One that ends says why in its log.
  restart_after_crash: false,
};

/** The bench's own settings of a server: with housekeeping Postgres has its own defaults for it. */
export function settingsBelow({
  housekeeping = false,
}: {
  readonly housekeeping?: boolean | undefined;
} = {}): Settings {
  return housekeeping ? benchSettings : { ...benchSettings, ...withoutHousekeeping };
}

/**
 * The settings in force: those below (the bench's own), then the user's. Libraries to preload stand before the user's
 * own list. Throws PgsweepError('scenario') for a name not to be set.
 */
export function mergeSettings(
  settings: Settings = {},
  below: Settings = settingsBelow(),
  preload: readonly string[] = [],
): Settings {
  const merged = { ...below };
  for (const [name, value] of Object.entries(settings)) {
    // Postgres's names ignore case, and two spellings of one setting would hide one of the values.
    const key = name.toLowerCase();
    if (reservedSettings[key] !== undefined) {
      throw new PgsweepError('scenario', `the Postgres setting ${name} cannot be set here: ${reservedSettings[key]}`, {
        hint: `Remove ${name} from the settings.`,
      });
    }
    if (!/^[a-z_][a-z0-9_$.]*$/.test(key)) {
      throw new PgsweepError('scenario', `"${name}" is not the name of a Postgres setting`, {
        hint: 'SELECT name FROM pg_settings lists the names.',
      });
    }
    merged[key] = value;
  }
  const libraries = [...preload, ...String(merged.shared_preload_libraries ?? '').split(',')].map((name) =>
    name.trim(),
  );
  const named = [...new Set(libraries)].filter((name) => name !== '');
  if (named.length > 0) merged.shared_preload_libraries = named.join(',');
  // Else a statement has the constants of its first call in each bucket, and no text in common with another arm's.
  if (named.includes('pg_stat_monitor')) merged['pg_stat_monitor.pgsm_normalized_query'] ??= true;
  return merged;
}

/**
 * The settings as lines for postgresql.conf. A file and not the command line, since ALTER SYSTEM, by which a variant
 * changes a setting, has no effect on what the command line has set.
 */
export function settingsFile(settings: Settings): string {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${escapeValue(String(value))}'`);
  return `\n# pgsweep\n${lines.join('\n')}\n`;
}

function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('\n', '\\n');
}

/** Complaints in which Postgres does not name the setting. */
const namelessComplaints: readonly (readonly [RegExp, string])[] = [
  [/could not access file/, 'shared_preload_libraries'],
  [/could not (map anonymous|create) shared memory/, 'shared_buffers'],
];

/**
 * The setting that a server which did not start complains of in its log, or undefined. `settings`: those it had, as far as known.
 */
export function blamedSetting(log: readonly string[], settings: Settings = {}): string | undefined {
  for (const line of log) {
    const named = /parameter "([^"]+)"/.exec(line)?.[1];
    const setting = named ?? namelessComplaints.find(([complaint]) => complaint.test(line))?.[1];
    // Without huge pages the same memory can be had, and Postgres says the same of both.
    if (setting === 'shared_buffers' && isOn(settings.huge_pages)) return 'huge_pages';
    if (setting !== undefined) return setting;
  }
  return undefined;
}

/** As Postgres reads a value that is on (bool.c): any beginning of these that is not of another. */
function isOn(value: SettingValue | undefined): boolean {
  return /^(on|t|tr|tru|true|y|ye|yes|1)$/i.test(String(value ?? ''));
}

/** The settings that lines of postgresql.conf have, as `settingsFile` writes them; the last of a name holds. */
export function settingsIn(file: string): Settings {
  const lines = file.matchAll(/^([a-z_][\w$.]*) = '(.*)'$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}

/** Without what belongs to one start (port, paths) or one session. */
const NON_DEFAULT_SQL = `
  SELECT name, current_setting(name) AS value
  FROM pg_settings
  WHERE source NOT IN ('default', 'client', 'session')
    AND context <> 'internal'
    AND setting IS DISTINCT FROM boot_val
    AND name NOT IN (${Object.keys(reservedSettings)
      .map((name) => `'${name}'`)
      .join(', ')}, 'ident_file', 'log_timezone', 'TimeZone')
  ORDER BY name`;

/** Settings that differ from Postgres's own defaults, as SHOW prints them, without those that differ at each start. */
export async function nonDefaultSettings(server: { adminUrl(): string }): Promise<Record<string, string>> {
  const rows = await query(server.adminUrl(), NON_DEFAULT_SQL);
  return Object.fromEntries(rows.map(({ name, value }) => [String(name), String(value)]));
}
