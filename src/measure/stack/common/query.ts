import pg from 'pg';
import { applications } from '../../../base/application-names.ts';
import { FREE_SQL } from '../../../base/free-session.ts';

/** Runs one statement and returns its rows. */
export type RunSql = (sql: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;

const connectLimitMs = 15_000;

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
    application_name: applications.bench,
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
