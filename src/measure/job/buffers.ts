import pg from 'pg';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import type { JobRecord } from '../../journal/job-spec.ts';
import { connectUntraced } from '../probe/postgres/sql-session.ts';

type Buffers = JobRecord['buffers'];

/** A server with the copy of an arm. */
export interface JobDatabase {
  adminUrl(database?: string): string;
  /** The name of the copy. */
  readonly database: string;
}

/** Tables, indexes and their TOAST, the smallest first, as many as shared_buffers holds. */
const WARM_SQL = `
  SELECT pg_prewarm(oid::regclass) FROM (
    SELECT oid, sum(pg_relation_size(oid)) OVER (ORDER BY pg_relation_size(oid), oid) AS together
    FROM pg_class WHERE relkind IN ('r', 'm', 'i', 't') AND relpersistence <> 't') AS relations
  WHERE together <= pg_size_bytes(current_setting('shared_buffers'))`;

const coldSql = (database: string): string => `
  SELECT pg_buffercache_evict(bufferid) FROM pg_buffercache
  WHERE reldatabase = (SELECT oid FROM pg_database WHERE datname = ${pg.escapeLiteral(database)})`;

/** Reading a database in may take as long as its disk needs. */
const limits = { statement_timeout: 600_000 };

/**
 * Reads the copy into shared_buffers, so that every run meets the same ones. Where the server has no pg_prewarm, or the role
 * may not have it, they stay as the copy left them.
 */
export async function warmBuffers({ adminUrl, database }: JobDatabase): Promise<Buffers> {
  const client = await connectUntraced(adminUrl(database), limits);
  return runAndForget(client, ['CREATE EXTENSION IF NOT EXISTS pg_prewarm', WARM_SQL]).then(
    () => 'warm',
    () => 'as copied',
  );
}

/** Takes the copy out of shared_buffers. Throws PgsweepError `stack` where the server cannot. */
export async function coolBuffers({ adminUrl, database }: JobDatabase): Promise<Buffers> {
  const client = await connectUntraced(adminUrl(), limits);
  // Changed pages are not evicted.
  const statements = ['CHECKPOINT', 'CREATE EXTENSION IF NOT EXISTS pg_buffercache', coldSql(database)];
  await runAndForget(client, statements).catch((cause: unknown) => {
    throw new PgsweepError('stack', `load.job.cold: this Postgres cannot empty its buffers: ${messageOf(cause)}`, {
      hint: 'It takes a superuser, the extension pg_buffercache, and Postgres 17 or later. Leave load.job.cold out otherwise.',
      cause,
    });
  });
  return 'cold';
}

/** Runs statements in a transaction that is rolled back, and closes the client: extensions go, which a job must not find. */
async function runAndForget(client: pg.Client, statements: readonly string[]): Promise<void> {
  try {
    for (const statement of ['BEGIN', ...statements]) await client.query(statement);
  } finally {
    await client.query('ROLLBACK').catch(() => {});
    await client.end();
  }
}
