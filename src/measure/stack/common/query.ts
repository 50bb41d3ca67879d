import pg from 'pg';

/** Runs one statement and returns its rows. */
export type RunSql = (sql: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;

const connectLimitMs = 15_000;

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
