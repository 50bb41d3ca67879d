import pg from 'pg';
import { messageOf, PgsweepError } from '../base/errors.ts';
import { schemaSql } from '../service/schema.ts';

/** Gives an empty database the tables and indexes of the document service. Throws PgsweepError `stack`. */
export async function createSchema(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(schemaSql);
  } catch (cause) {
    throw new PgsweepError('stack', `the tables of the document service cannot be made: ${messageOf(cause)}`, {
      cause,
    });
  } finally {
    await client.end();
  }
}
