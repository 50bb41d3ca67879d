/** Settings that databases and roles have for services, and that would end or refuse the bench's own statements. */
const ofAllVersions = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'default_transaction_read_only',
] as const;
/** Since Postgres 17. */
const YOUNGER = 'transaction_timeout';
export const freedSettings = [...ofAllVersions, YOUNGER] as const;

/** The session is free of them. */
export const FREE_SQL = [
  ...ofAllVersions.map((name) => `SET ${name} = 0`),
  `SELECT set_config('${YOUNGER}', '0', false) WHERE current_setting('${YOUNGER}', true) IS NOT NULL`,
].join('; ');

/** The session then has the settings of its database and its role again. */
export const AS_SERVICE_SQL = [
  `SELECT set_config(name, reset_val, false) FROM pg_settings WHERE name = '${YOUNGER}'`,
  ...ofAllVersions.map((name) => `RESET ${name}`),
].join('; ');

/** A session that lasts. Only those that this version of Postgres has. */
export const FREE_IDLE_SQL = `SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ('idle_session_timeout', '${YOUNGER}')`;

/** Keeps a connection that lasts for a run from limits that are meant for services. */
export async function freeSession(client: { query(sql: string): Promise<unknown> }): Promise<void> {
  await client.query(FREE_SQL);
  await client.query(FREE_IDLE_SQL);
}
