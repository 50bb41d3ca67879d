import pg from 'pg';

/** PgBouncer's console, over one connection that stays: each new one would cost it a proof of the password. */
export interface Console {
  /** The rows of SHOW STATS, SHOW POOLS, SHOW CONFIG. Throws pg's own errors. */
  show(what: 'STATS' | 'POOLS' | 'CONFIG'): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

const CONNECT_LIMIT_MS = 5000;

/** Throws pg's own errors. */
export async function openConsole(url: string): Promise<Console> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_LIMIT_MS });
  // A PgBouncer that goes away also tells an idle client, by an event that would end the bench.
  client.on('error', () => {});
  await client.connect();
  return {
    show: async (what) => (await client.query(`SHOW ${what}`)).rows,
    close: () => client.end(),
  };
}
