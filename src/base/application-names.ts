/** The names by which the bench's own sessions are known in Postgres. */
export const applications = {
  bench: 'pgsweep',
  probe: 'pgsweep probe',
  conditions: 'pgsweep conditions',
  distance: 'pgsweep distance',
  load: 'pgsweep load',
  job: 'pgsweep job',
} as const;

/**
 * Condition in pg_stat_activity for sessions that are not the bench's. A service may call itself `pgsweep-` and more, as
 * the sample service does, so the names are compared as a whole.
 */
export const NOT_OF_THE_BENCH = `application_name NOT IN (${Object.values(applications)
  .map((name) => `'${name}'`)
  .join(', ')})`;
