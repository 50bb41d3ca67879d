import pg from 'pg';

/** Runs one statement and returns its rows. */
export type RunSql = (sql: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;

const connectLimitMs = 15_000;

/** Settings that databases and roles have for services, and that would end or refuse the bench's own statements. */
export const freedSettings = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'default_transaction_read_only',
] as const;

const FREE_SQL = `${freedSettings.map((name) => `SET ${name} = 0`).join('; ')}`;

/** The session then has the settings of its database and its role again. */
export const AS_SERVICE_SQL = freedSettings.map((name) => `RESET ${name}`).join('; ');

/** Only those that this version has. */
export const FREE_IDLE_SQL = `SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ('idle_session_timeout', 'transaction_timeout')`;

/** Keeps a connection that lasts for a run from limits that are meant for services. */
export async function freeSession(client: pg.Client): Promise<void> {
  await client.query(FREE_SQL);
  await client.query(FREE_IDLE_SQL);
}

/**
 * Opens a connection for the bench's own statements, which no limit ends that is meant for services. Not for the address of a
 * pooler: its other clients would have these settings, too.
 */
export function withOwnConnection<T>(url: string, use: (run: RunSql) => Promise<T>): Promise<T> {
  return withConnection(url, async (run, client) => {
    await client.query(FREE_SQL);
    return use(run);
  });
}

/** Opens a connection for as long as `use` takes. Throws pg's own errors. */
export async function withConnection<T>(url: string, use: (run: RunSql, client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectLimitMs,
    application_name: 'pgsweep',
  });
  // A server that goes away also tells an idle client, by an event that would end the bench.
  client.on('error', () => {});
  try {
    await client.connect();
    return await use(async (sql, values = []) => (await client.query(sql, [...values])).rows, client);
  } finally {
    await client.end();
  }
}

/** Runs one statement on its own connection, and returns its rows. Throws pg's own error. */
export function query(url: string, sql: string, values?: readonly unknown[]): ReturnType<RunSql> {
  return withConnection(url, (run) => run(sql, values));
}
