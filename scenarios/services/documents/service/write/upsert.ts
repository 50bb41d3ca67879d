import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { DocumentDescription } from '../../model/document.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceError } from '../errors.ts';
import type { IncomingDocument } from '../request.ts';
import { bound } from '../statements.ts';
import { sendAll } from './send-all.ts';
import { validateReferences } from './validate-references.ts';
import { insertDocument, updateDocument } from './write-document.ts';
import type { Written } from './write-transaction.ts';

export interface UpsertResult {
  readonly uuid: string;
  readonly isNew: boolean;
}

/** Writes a document under its natural key: a new one, or the new body of the one that has that key. */
export async function upsert(
  client: PoolClient,
  service: ServiceContext,
  document: IncomingDocument,
): Promise<Written<UpsertResult>> {
  const { description } = document;
  const { findByDocumentId } = service.statements;
  // Where both are sent at once and fail, the first is what is thrown: the other fails only because of it.
  const [found] = await sendAll(client, service, [
    () => client.query<{ document_uuid: string }>(bound(findByDocumentId, [description.documentId])),
    () => validateReferences(client, service, description.references),
  ]);
  const existing = found.rows[0];
  if (existing) {
    const uuid = existing.document_uuid;
    return { output: { uuid, isNew: false }, last: await updateDocument(client, service, document, uuid) };
  }
  if (description.aliasIds.length > 1) await requireUnclaimedAliases(client, service, description);
  const uuid = randomUUID();
  return { output: { uuid, isNew: true }, last: insertDocument(client, service, document, uuid) };
}

/** A School is an EducationOrganization too: it cannot take the id of one that exists, be it a School or not. */
async function requireUnclaimedAliases(
  client: PoolClient,
  service: ServiceContext,
  { aliasIds, documentId, resourceName, identity }: DocumentDescription,
): Promise<void> {
  const { findAliasClaim, describeDocument } = service.statements;
  const claim = await client.query<{ document_id: string }>(bound(findAliasClaim, [aliasIds, documentId]));
  if (!claim.rows[0]) return;
  const claiming = await client.query<{ resource_name: string; identity: unknown; document_uuid: string }>({
    ...describeDocument,
    values: [claim.rows[0].document_id],
  });
  const other = claiming.rows[0];
  const name = other ? `the ${other.resource_name} ${JSON.stringify(other.identity)}` : 'another document';
  const message = `The identity ${JSON.stringify(identity)} of this ${resourceName} is taken by ${name}`;
  const claimedBy = other && { resource: other.resource_name, identity: other.identity, id: other.document_uuid };
  throw new ServiceError(409, 'identity_claimed', message, { claimedBy: claimedBy ?? null });
}
