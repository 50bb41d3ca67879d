import type { PoolClient } from 'pg';
import type { ServiceContext } from '../context.ts';
import { ServiceError } from '../errors.ts';
import type { IncomingDocument } from '../request.ts';
import { findByUuid } from './find-by-uuid.ts';
import { validateReferences } from './validate-references.ts';
import { updateDocument } from './write-document.ts';
import type { Written } from './write-transaction.ts';

export interface PutInput {
  readonly uuid: string;
  readonly document: IncomingDocument;
}

/** Writes the new body of the document that has this uuid. */
export async function put(
  client: PoolClient,
  service: ServiceContext,
  { uuid, document }: PutInput,
): Promise<Written<void>> {
  const { description } = document;
  const existing = await findByUuid(client, service, description.resourceName, uuid);
  if (existing.document_id !== description.documentId) {
    const [now, wanted] = [JSON.stringify(existing.identity), JSON.stringify(description.identity)];
    const message = `The natural key of a document cannot change: it is ${now}, and the body has ${wanted}`;
    throw new ServiceError(400, 'identity_change', message);
  }
  await validateReferences(client, service, description.references);
  return { output: undefined, last: await updateDocument(client, service, document, uuid) };
}
