import type { QueryConfig } from 'pg';
import type { ServiceConfig } from './config.ts';
import { lockClause } from './lock-mode.ts';

/** SQL that is parsed and planned once per connection, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/**
 * A statement with its values, as pg takes it. It inherits the statement and does not spread it: pg copies what is a
 * query's own property by property, which was measured as a twentieth of the service's work on an upsert.
 */
export function bound(statement: Statement, values: unknown[]): QueryConfig {
  const query: { values?: unknown[] } = Object.create(statement);
  query.values = values;
  return query as QueryConfig;
}

export type Statements = ReturnType<typeof createStatements>;

/**
 * The statements of a service that locks as its configuration says. The lock is in their names: a connection that has
 * prepared one text under a name takes no other.
 */
export function createStatements(
  config: Pick<ServiceConfig, 'isolation' | 'lockByDocumentId' | 'lockByDocumentUuid' | 'lockReferences'>,
) {
  return {
    ...writeStatements,
    begin: config.isolation === 'serializable' ? 'BEGIN ISOLATION LEVEL SERIALIZABLE' : 'BEGIN',
    findByDocumentId: statement(
      `find_by_document_id ${config.lockByDocumentId}`,
      `SELECT a.document_uuid FROM public.aliases a WHERE a.document_id = $1
       ${lockClause(config.lockByDocumentId)}`,
    ),
    findByDocumentUuid: statement(
      `find_by_document_uuid ${config.lockByDocumentUuid}`,
      `SELECT a.document_id, d.resource_name, d.identity
       FROM public.aliases a JOIN public.documents d ON d.document_id = a.document_id
       WHERE a.document_uuid = $1
       ${lockClause(config.lockByDocumentUuid)}`,
    ),
    findReferenced: statement(
      `find_referenced ${config.lockReferences}`,
      `SELECT a.alias_id FROM public.aliases a WHERE a.alias_id = ANY($1::varchar[])
       ${lockClause(config.lockReferences)}`,
    ),
  };
}

const writeStatements = {
  aliasesExist: statement(
    'aliases_exist',
    'SELECT a.alias_id FROM public.aliases a WHERE a.alias_id = ANY($1::varchar[])',
  ),
  uuidExists: statement('uuid_exists', 'SELECT 1 FROM public.documents WHERE document_uuid = $1'),
  findAliasClaim: statement(
    'find_alias_claim',
    'SELECT a.document_id FROM public.aliases a WHERE a.alias_id = ANY($1::varchar[]) AND a.document_id <> $2 LIMIT 1',
  ),
  describeDocument: statement(
    'describe_document',
    'SELECT resource_name, identity, document_uuid FROM public.documents WHERE document_id = $1',
  ),
  insertDocument: statement(
    'insert_document',
    `INSERT INTO public.documents (document_id, document_uuid, resource_name, identity, body, is_descriptor)
     VALUES ($1, $2, $3, $4, $5, $6)`,
  ),
  // By uuid too: without locks, the document that was found may be gone by now and another have its natural key.
  updateDocument: statement(
    'update_document',
    `UPDATE public.documents SET body = $3, last_modified_at = now()
     WHERE document_id = $1 AND document_uuid = $2`,
  ),
  deleteDocument: statement(
    'delete_document',
    'DELETE FROM public.documents WHERE document_id = $1 AND document_uuid = $2',
  ),
  // NOWAIT, since two writers that both hold FOR SHARE would otherwise wait for each other until deadlock_timeout.
  deleteAliases: statement(
    'delete_aliases',
    `DELETE FROM public.aliases
     WHERE id IN (SELECT id FROM public.aliases WHERE document_id = $1 FOR UPDATE NOWAIT)
     RETURNING alias_id`,
  ),
  insertAliases: statement(
    'insert_aliases',
    `INSERT INTO public.aliases (alias_id, document_id, document_uuid)
     SELECT alias_id, $2, $3 FROM unnest($1::varchar[]) AS alias (alias_id)`,
  ),
  deleteReferences: statement('delete_references', 'DELETE FROM public."references" WHERE parent_document_id = $1'),
  insertReferences: statement(
    'insert_references',
    `INSERT INTO public."references" (parent_document_id, referenced_document_id)
     SELECT $2, referenced_id FROM unnest($1::varchar[]) AS reference (referenced_id)`,
  ),
  findReferencing: statement(
    'find_referencing',
    `SELECT d.resource_name, d.identity, d.document_uuid
     FROM public."references" r JOIN public.documents d ON d.document_id = r.parent_document_id
     WHERE r.referenced_document_id = ANY($1::varchar[]) AND r.parent_document_id <> $2
     LIMIT $3`,
  ),
  // The body goes out as the text that it comes in; parsing it here only to write it again would double a read's work.
  getDocument: statement(
    'get_document',
    `SELECT (body || jsonb_build_object('id', document_uuid))::text AS document
     FROM public.documents WHERE document_uuid = $1 AND resource_name = $2`,
  ),
} as const;

function statement(name: string, text: string): Statement {
  return { name, text };
}
