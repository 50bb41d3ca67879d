import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { ConflictError } from './conflict.ts';
import type { ServiceContext } from './context.ts';
import type { DocumentDescription } from './document.ts';

/** A document as it comes from a request: what is known of it, and its body as JSON text. */
export interface IncomingDocument {
  readonly description: DocumentDescription;
  readonly bodyJson: string;
}

/** Inserts a document with its aliases and references. Resolves to its new uuid. */
export async function insertDocument(
  client: PoolClient,
  service: ServiceContext,
  { description, bodyJson }: IncomingDocument,
): Promise<string> {
  const { documentId, resourceName, identity, isDescriptor } = description;
  const uuid = randomUUID();
  const values = [documentId, uuid, resourceName, identity, bodyJson, isDescriptor];
  await client.query({ ...service.statements.insertDocument, values });
  await insertAliases(client, service, description, uuid);
  await insertReferences(client, service, description);
  return uuid;
}

/** Writes the new body of a document that exists, and its aliases and references anew. */
export async function updateDocument(
  client: PoolClient,
  service: ServiceContext,
  { description, bodyJson }: IncomingDocument,
  uuid: string,
): Promise<void> {
  const { documentId } = description;
  const { statements } = service;
  // The document's row comes first: of two writers that both hold FOR SHARE, one waits here while the other finds the
  // aliases locked and gives way. The other way round both would give way.
  const updated = await client.query({ ...statements.updateDocument, values: [documentId, bodyJson] });
  if (updated.rowCount === 0) throw new ConflictError('row_changed');
  await deleteAliases(client, service, documentId);
  await insertAliases(client, service, description, uuid);
  await client.query({ ...statements.deleteReferences, values: [documentId] });
  await insertReferences(client, service, description);
}

/** Deletes a document's aliases and resolves to their ids. No other transaction can refer to the document any more. */
export async function deleteAliases(
  client: PoolClient,
  service: ServiceContext,
  documentId: string,
): Promise<string[]> {
  const { rows } = await client.query<{ alias_id: string }>({
    ...service.statements.deleteAliases,
    values: [documentId],
  });
  // Rewritten since the statement began: the new rows would stay behind.
  if (rows.length === 0) throw new ConflictError('row_changed');
  return rows.map((row) => row.alias_id);
}

async function insertAliases(
  client: PoolClient,
  service: ServiceContext,
  { aliasIds, documentId }: DocumentDescription,
  uuid: string,
): Promise<void> {
  await client.query({ ...service.statements.insertAliases, values: [aliasIds, documentId, uuid] });
}

async function insertReferences(
  client: PoolClient,
  service: ServiceContext,
  { references, documentId }: DocumentDescription,
): Promise<void> {
  if (references.length === 0) return;
  const ids = references.map((reference) => reference.documentId);
  await client.query({ ...service.statements.insertReferences, values: [ids, documentId] });
}
