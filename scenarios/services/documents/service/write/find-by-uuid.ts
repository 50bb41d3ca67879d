import type { PoolClient } from 'pg';
import type { ServiceContext } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { ConflictError } from './conflict.ts';

export interface FoundDocument {
  readonly document_id: string;
  readonly resource_name: string;
  readonly identity: unknown;
}

/** Finds the document that a put or a delete addresses, and locks its aliases. Throws a 404 where there is none. */
export async function findByUuid(
  client: PoolClient,
  service: ServiceContext,
  resourceName: string,
  uuid: string,
): Promise<FoundDocument> {
  const { findByDocumentUuid, uuidExists } = service.statements;
  const { rows } = await client.query<FoundDocument>({ ...findByDocumentUuid, values: [uuid] });
  const found = rows[0];
  if (found) {
    if (found.resource_name !== resourceName) throw notFound(resourceName, uuid);
    return found;
  }
  // A SELECT that has to lock leaves out a row that was rewritten since it began.
  const { rowCount } = await client.query({ ...uuidExists, values: [uuid] });
  if (rowCount !== 0) throw new ConflictError('row_changed');
  throw notFound(resourceName, uuid);
}

/** The answer to an id that no document of the resource has. */
export function notFound(resourceName: string, uuid: string): ServiceError {
  return new ServiceError(404, 'document_not_found', `There is no ${resourceName} with the id ${uuid}`);
}
