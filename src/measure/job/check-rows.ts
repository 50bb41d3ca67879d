import { messageOf } from '../../base/errors.ts';
import { oneLine } from '../../base/visible.ts';
import type { JobCheck } from '../../journal/job-spec.ts';
import { connectUntraced } from '../probe/postgres/sql-session.ts';

const MOST = 200;
const LIMIT_MS = 600_000;

/** Rows of a check's query, of several the last, each value as Postgres writes it. Throws pg's own errors. */
export async function rowsOfCheck(sql: string, databaseUrl: string): Promise<readonly (readonly (string | null)[])[]> {
  const client = await connectUntraced(databaseUrl, { statement_timeout: LIMIT_MS });
  try {
    // Several statements have a list of results, of which the types of pg do not know.
    const found = await client.query({ text: sql, rowMode: 'array', types: { getTypeParser: () => String } });
    return [found].flat().at(-1)?.rows ?? [];
  } finally {
    await client.end().catch(() => {});
  }
}

/** Why the rows are not those that a job must leave, in words; null where they are. */
export async function wrongRows({ sql, equals }: JobCheck, databaseUrl: string): Promise<string | null> {
  try {
    const rows = await rowsOfCheck(sql, databaseUrl);
    const [found = null, ...others] = rows.flat();
    if (others.length > 0) return `load.job.check found ${sizeOf(rows)} where one row with one value is expected`;
    if (found !== null && isEqual(found, equals)) return null;
    return `load.job.check found ${found === null ? 'nothing' : oneLine(found, MOST)} where ${oneLine(String(equals), MOST)} is expected`;
  } catch (error) {
    return `load.job.check failed: ${messageOf(error)}`;
  }
}

function sizeOf(rows: readonly (readonly unknown[])[]): string {
  return rows.length > 1 ? `${rows.length} rows` : `${rows[0]?.length} columns`;
}

/** Postgres writes true as `t`, and 2 of a numeric column as `2.00`. */
function isEqual(found: string, equals: JobCheck['equals']): boolean {
  if (typeof equals === 'boolean') return found === (equals ? 't' : 'f');
  return typeof equals === 'number' ? Number(found) === equals : found === equals;
}
