import type { Socket } from 'node:net';
import { basename } from 'node:path';
import pg from 'pg';
import { applications } from '../../base/application-names.ts';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { FREE_SQL } from '../../base/free-session.ts';
import type { LeftOut } from '../../journal/run/provenance-record.ts';
import { eachLeftOut } from './left-out.ts';
import { hintOfSaid, isOfYounger } from './sql-hints.ts';
import { FailedAt, SqlSession } from './sql-session.ts';
import { bytesOfSqlFile } from './sql-text.ts';

export interface RunSqlOptions {
  /** True if the whole file is one transaction, as with psql --single-transaction. */
  readonly singleTransaction?: boolean | undefined;
  readonly signal: AbortSignal;
}

/**
 * Runs an SQL file, gzipped or not, as `psql --set ON_ERROR_STOP=1` does: each statement by itself, outside of a transaction
 * unless the file opens one, in the encoding that the session has by then. Takes what pg_dump of 13 to 18 writes in its plain
 * format as well: rows after COPY ... FROM stdin, \\restrict. Returns settings that this Postgres lacks, and roles whose
 * ownership and privileges were left out. Throws PgsweepError `dataset` with the file's line.
 */
export async function runSqlFile(
  file: string,
  databaseUrl: string,
  { singleTransaction = false, signal }: RunSqlOptions,
): Promise<LeftOut[]> {
  signal.throwIfAborted();
  const bytes = await bytesOfSqlFile(file);
  // A round trip for each would take minutes for INSERTs.
  const client = new pg.Client({ connectionString: databaseUrl, application_name: applications.load, pipeline: true });
  // A lost connection also rejects the query that is under way; without a listener it would end the process.
  client.on('error', () => {});
  const session = new SqlSession(client, bytes);
  await client.connect();
  try {
    const leftOut = await session.runAll(singleTransaction, signal);
    return eachLeftOut(leftOut.map((one) => ({ file: basename(file), ...one })));
  } catch (thrown) {
    signal.throwIfAborted();
    throw asDatasetError(thrown, { file, bytes, serverVersion: session.serverVersion });
  } finally {
    await client.end();
  }
}

/** A script on a connection that is open. */
export interface SqlScript {
  /** Runs it as psql does, up to its first error, which is returned: its message begins with the file's line. Null without one. */
  run(signal: AbortSignal): Promise<PgsweepError | null>;
  close(): Promise<void>;
}

/** A database as a script connects to it, and as the bench does: past any pooler, mostly as a superuser. */
export interface ScriptDatabase {
  readonly databaseUrl: string;
  readonly adminUrl: string;
}

/** How long the server may take to end an interrupted script, before its connection is cut. */
const MOST_END_MS = 3000;

/** Reads an SQL file and connects. Throws PgsweepError `dataset` for what is no SQL, and pg's own error. */
export async function openSqlScript(file: string, { databaseUrl, adminUrl }: ScriptDatabase): Promise<SqlScript> {
  const bytes = await bytesOfSqlFile(file);
  const client = new pg.Client({ connectionString: databaseUrl, application_name: applications.job, pipeline: true });
  client.on('error', () => {});
  const session = new SqlSession(client, bytes, 'load.job');
  await client.connect();
  return {
    async run(signal) {
      let cut: NodeJS.Timeout | undefined;
      const end = (): void => {
        endSessions(adminUrl).catch(() => {});
        cut = setTimeout(() => cutConnection(client), MOST_END_MS);
      };
      signal.addEventListener('abort', end, { once: true });
      try {
        await session.runAll(false, signal);
        return null;
      } catch (thrown) {
        return asDatasetError(thrown, { file, bytes, serverVersion: session.serverVersion });
      } finally {
        signal.removeEventListener('abort', end);
        clearTimeout(cut);
      }
    },
    close: () => client.end(),
  };
}

/** Ends the sessions of jobs in a database, by their name: a pooler gives its clients other process ids than the server's. */
async function endSessions(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl, application_name: applications.bench });
  client.on('error', () => {});
  try {
    await client.connect();
    // A statement runs on when its client has gone.
    const ofJob = 'datname = current_database() AND application_name = $1';
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${ofJob}`, [applications.job]);
  } finally {
    await client.end();
  }
}

/** Ends a connection at once: all that waits for an answer of it fails. */
function cutConnection(client: pg.Client): void {
  const { connection } = client as unknown as { readonly connection: { readonly stream: Socket } };
  connection.stream.destroy();
}

/**
 * As after loading by any other way: no plan is made without statistics, and no first read has hint bits to write. Throws
 * PgsweepError `dataset`.
 */
export async function vacuumAll(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: applications.load });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(FREE_SQL);
    await client.query('VACUUM (ANALYZE)');
  } catch (cause) {
    throw new PgsweepError('dataset', `VACUUM (ANALYZE) after loading failed: ${messageOf(cause)}`, { cause });
  } finally {
    await client.end();
  }
}

/** Where pg_dump says which Postgres it was. */
const HEAD_BYTES = 1000;

interface Source {
  readonly file: string;
  readonly bytes: Buffer;
  readonly serverVersion: string;
}

function asDatasetError(thrown: unknown, { file, bytes, serverVersion }: Source): PgsweepError {
  const { offset, cause, statement, hint } =
    thrown instanceof FailedAt ? thrown : { offset: null, cause: thrown, statement: '', hint: null };
  const line = offset === null ? '' : `:${lineAt(bytes, offset)}`;
  const error = messageOf(cause);
  const ofYounger = isOfYounger(bytes.toString('latin1', 0, HEAD_BYTES), serverVersion);
  const said = hint ?? hintOfSaid({ error, statement, ofYounger }) ?? 'psql --set ON_ERROR_STOP=1 stops here, too.';
  const where = cause instanceof pg.DatabaseError && cause.where ? `${cause.where.split('\n')[0]}\n` : '';
  return new PgsweepError('dataset', `${file}${line}: ${error}`, { hint: `${where}${said}`, cause });
}

/** The line of a byte, from 1. */
function lineAt(bytes: Buffer, offset: number): number {
  let line = 1;
  for (let at = bytes.indexOf('\n'); at >= 0 && at < offset; at = bytes.indexOf('\n', at + 1)) line++;
  return line;
}
