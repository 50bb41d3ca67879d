import pg from 'pg';
import type { ServiceContext } from './context.ts';
import { databaseUnavailable } from './errors.ts';
import type { ListQuery } from './list-query.ts';
import { acquire } from './pool.ts';
import type { Statement } from './statements.ts';

interface DocumentRow {
  /** The document as JSON text, its id included. */
  readonly document: string;
}

/** The JSON text of a document, or null where the resource has none with that uuid. */
export async function getDocument(service: ServiceContext, resourceName: string, uuid: string): Promise<string | null> {
  const rows = await read(service, service.statements.getDocument, [uuid, resourceName]);
  return rows[0]?.document ?? null;
}

/** The JSON text of an array of documents, oldest first. */
export async function listDocuments(service: ServiceContext, resourceName: string, query: ListQuery): Promise<string> {
  const values: unknown[] = [resourceName, query.limit, query.offset];
  let conditions = '';
  for (const { members, path } of query.matches) {
    values.push(members, path);
    const [membersAt, pathAt] = [values.length - 1, values.length];
    conditions += ` AND (identity @> ANY($${membersAt}::jsonb[]) OR body @> ANY($${membersAt}::jsonb[])
                         OR jsonb_path_exists(body, $${pathAt}::jsonpath))`;
  }
  if (query.referencing !== null) {
    values.push(query.referencing);
    conditions += ` AND document_id IN (SELECT r.parent_document_id FROM public."references" r
                      JOIN public.aliases a ON a.alias_id = r.referenced_document_id WHERE a.document_uuid = $${values.length})`;
  }
  const name = `list_documents_${query.matches.length}${query.referencing === null ? '' : '_referencing'}`;
  const text = `SELECT (body || jsonb_build_object('id', document_uuid))::text AS document
    FROM public.documents WHERE resource_name = $1${conditions} ORDER BY id LIMIT $2 OFFSET $3`;
  const rows = await read(service, { name, text }, values);
  return `[${rows.map((row) => row.document).join(',')}]`;
}

/** Answers whether the database does. */
export async function pingDatabase(service: ServiceContext): Promise<void> {
  await read(service, { name: 'ping', text: 'SELECT 1' }, []);
}

async function read(service: ServiceContext, statement: Statement, values: unknown[]): Promise<DocumentRow[]> {
  const client = await acquire(service);
  let broken: Error | undefined;
  try {
    return (await client.query<DocumentRow>({ ...statement, values })).rows;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.severity !== 'FATAL') throw error;
    broken = error instanceof Error ? error : new Error(String(error));
    throw databaseUnavailable(error);
  } finally {
    client.release(broken);
  }
}
