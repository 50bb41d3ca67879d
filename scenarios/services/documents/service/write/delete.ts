import type { PoolClient } from 'pg';
import type { ServiceContext } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { ConflictError } from './conflict.ts';
import { findByUuid } from './find-by-uuid.ts';
import { deleteAliases } from './write-document.ts';
import type { Written } from './write-transaction.ts';

export interface DeleteInput {
  readonly resourceName: string;
  readonly uuid: string;
}

interface ReferencingDocument {
  readonly resource_name: string;
  readonly identity: unknown;
  readonly document_uuid: string;
}

const namedMax = 5;

/** Deletes a document that no other document refers to. */
export async function deleteDocument(
  client: PoolClient,
  service: ServiceContext,
  { resourceName, uuid }: DeleteInput,
): Promise<Written<void>> {
  const { statements } = service;
  const { document_id: documentId } = await findByUuid(client, service, resourceName, uuid);
  // The aliases go first. A write that refers to this document locks them, so from here on there can be no new one, and
  // those that have committed are seen below.
  const aliasIds = await deleteAliases(client, service, documentId);
  const { rows } = await client.query<ReferencingDocument>({
    ...statements.findReferencing,
    values: [aliasIds, documentId, namedMax],
  });
  if (rows.length > 0) throw stillReferenced(resourceName, rows);
  await client.query({ ...statements.deleteReferences, values: [documentId] });
  const deleted = await client.query({ ...statements.deleteDocument, values: [documentId, uuid] });
  if (deleted.rowCount === 0) throw new ConflictError('row_changed');
  return { output: undefined };
}

function stillReferenced(resourceName: string, rows: ReferencingDocument[]): ServiceError {
  const names = rows.map((row) => `${row.resource_name} ${JSON.stringify(row.identity)}`);
  const more = rows.length === namedMax ? ', and maybe more' : '';
  const message = `This ${resourceName} cannot be deleted while other documents refer to it: ${names.join(', ')}${more}`;
  return new ServiceError(409, 'still_referenced', message, {
    referencedBy: rows.map((row) => ({ resource: row.resource_name, identity: row.identity, id: row.document_uuid })),
  });
}
