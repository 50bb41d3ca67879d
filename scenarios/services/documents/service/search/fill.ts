import type { Client } from '@opensearch-project/opensearch';
import type { Pool } from 'pg';
import { type StoredDocument, sourceOf } from './change.ts';
import { failureOfAnswer, type SearchFailure } from './failure.ts';

interface Row extends StoredDocument {
  /** bigint, as text. */
  readonly id: string;
}

interface CreateAnswer {
  readonly create: { readonly status: number; readonly error?: unknown };
}

/** About 1 MB of the usual documents. */
const pageSize = 500;

const storedSql = `
  SELECT id, document_uuid AS uuid, identity::text AS "identityJson", body::text AS "bodyJson"
  FROM public.documents WHERE resource_name = $1 AND id > $2 ORDER BY id LIMIT $3`;

/**
 * Indexes the documents of a resource that are in the database already, such as a data set that was loaded before the service
 * started. Without it queries would find only later documents. Tells `fail` of each document that OpenSearch
 * refuses; throws where the database or OpenSearch does not answer.
 */
export async function fillIndex(
  { pool, client }: { readonly pool: Pool; readonly client: Client },
  { resourceName, index }: { readonly resourceName: string; readonly index: string },
  fail: (failure: SearchFailure) => void,
): Promise<void> {
  for (let after = '0'; ; ) {
    const { rows } = await pool.query<Row>(storedSql, [resourceName, after, pageSize]);
    const last = rows.at(-1);
    if (last === undefined) break;
    // `create` keeps documents that another service has indexed meanwhile: they are newer than those read here.
    const lines = rows.map((row) => `{"create":{"_id":"${row.uuid}"}}\n${sourceOf(row)}\n`);
    const path = `/${encodeURIComponent(index)}/_bulk`;
    const { body } = await client.transport.request({ method: 'POST', path, bulkBody: lines.join('') });
    for (const { create } of body.items as CreateAnswer[]) {
      if (create.error && create.status !== 409) fail(failureOfAnswer(create.status, create.error));
    }
    after = last.id;
  }
  await client.indices.refresh({ index });
}
