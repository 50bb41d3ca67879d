import type { PoolClient } from 'pg';
import type { DocumentDescription } from '../../model/document.ts';
import type { ServiceContext } from '../context.ts';
import type { IncomingDocument } from '../request.ts';
import { bound } from '../statements.ts';
import { ConflictError } from './conflict.ts';
import { type Send, sendAll } from './send-all.ts';

/** Statements that insert a document with its aliases and references. */
export function insertDocument(
  client: PoolClient,
  service: ServiceContext,
  { description, bodyJson }: IncomingDocument,
  uuid: string,
): Send[] {
  const { documentId, resourceName, identity, isDescriptor } = description;
  const values = [documentId, uuid, resourceName, identity, bodyJson, isDescriptor];
  return [
    () => client.query(bound(service.statements.insertDocument, values)),
    insertAliases(client, service, description, uuid),
    ...insertReferences(client, service, description),
  ];
}

/** Writes the new body of a document that exists; resolves to what writes its aliases and references again. */
export async function updateDocument(
  client: PoolClient,
  service: ServiceContext,
  { description, bodyJson }: IncomingDocument,
  uuid: string,
): Promise<Send[]> {
  const { documentId } = description;
  const { statements } = service;
  // The document's row comes first: of two writers that both hold FOR SHARE, one waits here while the other finds the
  // aliases locked and gives way. The other way round both would give way.
  const [updated] = await sendAll(client, service, [
    () => client.query(bound(statements.updateDocument, [documentId, uuid, bodyJson])),
    () => deleteAliases(client, service, documentId),
  ]);
  if (updated.rowCount === 0) throw new ConflictError('row_changed');
  return [
    insertAliases(client, service, description, uuid),
    () => client.query(bound(statements.deleteReferences, [documentId])),
    ...insertReferences(client, service, description),
  ];
}

/** Deletes a document's aliases and resolves to their ids. No other transaction can refer to the document any more. */
export async function deleteAliases(
  client: PoolClient,
  service: ServiceContext,
  documentId: string,
): Promise<string[]> {
  const { rows } = await client.query<{ alias_id: string }>(bound(service.statements.deleteAliases, [documentId]));
  // Rewritten since the statement began: the new rows would stay behind.
  if (rows.length === 0) throw new ConflictError('row_changed');
  return rows.map((row) => row.alias_id);
}

function insertAliases(
  client: PoolClient,
  service: ServiceContext,
  { aliasIds, documentId }: DocumentDescription,
  uuid: string,
): Send {
  return () => client.query(bound(service.statements.insertAliases, [aliasIds, documentId, uuid]));
}

/** Nothing where there are no references. */
function insertReferences(
  client: PoolClient,
  service: ServiceContext,
  { references, documentId }: DocumentDescription,
): Send[] {
  if (references.length === 0) return [];
  const ids = references.map((reference) => reference.documentId);
  return [() => client.query(bound(service.statements.insertReferences, [ids, documentId]))];
}
