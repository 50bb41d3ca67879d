import { readFileSync } from 'node:fs';
import type { Pool } from 'pg';

/** Everything the service needs in an empty database: three tables and their indexes, in the public schema. */
export const schemaSql: string = readFileSync(new URL('./schema.sql', import.meta.url), 'utf8');

/** The key of the advisory lock under which services that start at once take turns; any fixed number will do. */
const schemaLockKey = 7_041_776;

/** Creates the schema where there is no `documents` table; otherwise leaves everything as it is, dropped indexes too. */
export async function ensureSchema(pool: Pool): Promise<void> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [schemaLockKey]);
    const { rows } = await client.query<{ found: boolean }>(
      "SELECT to_regclass('public.documents') IS NOT NULL AS found",
    );
    if (rows[0]?.found !== true) await client.query(schemaSql);
    await client.query('COMMIT');
  } catch (error) {
    // Closing the connection rolls back, whatever state it is in.
    broken = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.release(broken);
  }
}
