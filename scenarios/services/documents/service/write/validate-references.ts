import type { PoolClient } from 'pg';
import type { DocumentReference } from '../../model/document.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { bound, type Statement } from '../statements.ts';
import { ConflictError } from './conflict.ts';

/** Checks that every referenced document exists, and locks those documents' aliases until the transaction ends. */
export async function validateReferences(
  client: PoolClient,
  service: ServiceContext,
  references: readonly DocumentReference[],
): Promise<void> {
  if (!service.config.validateReferences || references.length === 0) return;
  const { findReferenced, aliasesExist } = service.statements;
  let missing = references.map((reference) => reference.documentId);
  missing = await withoutFound(client, findReferenced, missing);
  if (missing.length === 0) return;
  // A SELECT that has to lock leaves out a row that was rewritten since it began. A new statement sees the new row.
  missing = await withoutFound(client, findReferenced, missing);
  if (missing.length === 0) return;
  const stillMissing = await withoutFound(client, aliasesExist, missing);
  if (stillMissing.length < missing.length) throw new ConflictError('row_changed');
  throw unresolved(references.filter((reference) => stillMissing.includes(reference.documentId)));
}

async function withoutFound(client: PoolClient, find: Statement, ids: string[]): Promise<string[]> {
  const { rows } = await client.query<{ alias_id: string }>(bound(find, [ids]));
  // The aliases are unique, so as many rows as ids means that none is missing.
  if (rows.length === ids.length) return [];
  const found = new Set(rows.map((row) => row.alias_id));
  return ids.filter((id) => !found.has(id));
}

const namedMax = 3;

function unresolved(references: DocumentReference[]): ServiceError {
  const names = references.slice(0, namedMax).map((each) => `${each.resourceName} ${JSON.stringify(each.identity)}`);
  const more = references.length > namedMax ? ` and ${references.length - namedMax} more` : '';
  const message = `The document refers to documents that do not exist: ${names.join(', ')}${more}`;
  return new ServiceError(409, 'unresolved_references', message, {
    missing: references.map(({ resourceName, identity }) => ({ resource: resourceName, identity })),
  });
}
