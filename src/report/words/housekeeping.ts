import { present } from '../../base/present.ts';
import { formatDuration } from '../../base/units.ts';
import type { HousekeepingWork, VariedHousekeeping } from '../../journal/postgres/housekeeping.ts';
import type { Provenance } from '../../journal/records.ts';
import type { PostgresSpec } from '../../journal/scenario-record.ts';
import type { LittleHousekeeping } from '../../judge/notes.ts';

const moreOf: Readonly<Record<HousekeepingWork, string>> = {
  checkpoints: 'a lower checkpoint_timeout or max_wal_size',
  autovacuums: 'a lower autovacuum_naptime or autovacuum_vacuum_scale_factor',
  autoanalyzes: 'a lower autovacuum_naptime or autovacuum_analyze_scale_factor',
};

/** Why settings that show only in Postgres's own work have no verdict, and what to try. */
export function littleHousekeepingWords({ work, needed, variant, control }: LittleHousekeeping): string {
  const had = present([variant !== null && `had ${variant}`, control !== null && `control ${control}`]).join(', ');
  return `no verdict: needs at least ${needed} ${work} of each arm under load (${had}); try a longer load.slice, or ${moreOf[work]} in all arms`;
}

/** How long slices must be for the housekeeping that variants differ by. */
export function variedHousekeepingWords({ settings, needs }: VariedHousekeeping): string {
  const each = needs.map(
    ({ work, setting, leastSliceMs }) => `two ${work} take ${formatDuration(leastSliceMs)} by ${setting}`,
  );
  return `variants set ${settings.join(', ')}, so Postgres's own housekeeping is on, and each arm needs at least two of it under load: ${each.join('; ')}, less where writes force them`;
}

/** The state of Postgres's own housekeeping, before a run. `own`: pgsweep starts the server. */
export function plannedHousekeeping({ housekeeping }: PostgresSpec, own: boolean): string {
  if (!own) return 'as the external server has it: stack.postgres.housekeeping changes nothing there';
  return housekeeping
    ? "on, by Postgres's defaults; rounds begin without a CHECKPOINT"
    : 'off: no autovacuum, a checkpoint a day (stack.postgres.housekeeping: on has both)';
}

const AUTOVACUUM = 'on';

/** Sentence on the work of autovacuum that counts in columns of a database; empty where it was off. */
export function autovacuumWords({ postgresSettings: { autovacuum = AUTOVACUUM } }: Provenance): string {
  if (autovacuum === 'off') return '';
  return ' Autovacuum was on, and its work counts, too: a visit to a database without any takes 2 commits and some 900 returned rows.';
}

/** How Postgres did its own housekeeping; null where there was no Postgres. */
export function housekeepingFact({ stack, postgresVersion, postgresSettings }: Provenance): string | null {
  if (postgresVersion === null) return null;
  // What is not among the settings is Postgres's default, the same from 13 to 18.
  const { autovacuum = AUTOVACUUM, checkpoint_timeout: every = '5min', max_wal_size: wal = '1GB' } = postgresSettings;
  const whose = stack === 'external' ? ', as the external server has it' : '';
  return `autovacuum ${autovacuum}, a checkpoint every ${every} or ${wal} of WAL${whose}`;
}
