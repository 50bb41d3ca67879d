import type { Client } from 'pg';
import { DatasetError } from '../errors.ts';

/** How many of the offending documents an error names. */
const namedMax = 3;

const duplicateKeys = `
  SELECT resource_name, identity::text, count(*)::int AS times
  FROM public.documents GROUP BY document_id, resource_name, identity::text HAVING count(*) > 1 LIMIT ${namedMax}`;

const sharedAliases = `
  SELECT string_agg(d.resource_name || ' ' || d.identity::text, ' and ') AS documents
  FROM public.aliases a JOIN public.documents d USING (document_id)
  GROUP BY a.alias_id HAVING count(*) > 1 LIMIT ${namedMax}`;

const danglingReferences = `
  SELECT d.resource_name, d.identity::text, count(*)::int AS times
  FROM public."references" r
  JOIN public.documents d ON d.document_id = r.parent_document_id
  LEFT JOIN public.aliases a ON a.alias_id = r.referenced_document_id
  WHERE a.alias_id IS NULL
  GROUP BY d.resource_name, d.identity::text LIMIT ${namedMax}`;

interface CountedRow {
  resource_name: string;
  identity: string;
  times: number;
}

/** Natural keys must not come twice. Asked ahead of the unique indexes, which would tell hashes and not documents. */
export async function checkUnique(client: Client): Promise<void> {
  const keys = await client.query<CountedRow>(duplicateKeys);
  if (keys.rows.length > 0) {
    const named = keys.rows.map((row) => `${row.resource_name} ${row.identity} is there ${row.times} times`);
    throw new DatasetError(`Natural keys are not unique: ${named.join('; ')}`, {
      hint: 'Leave one document of each natural key in the data set.',
    });
  }
  const aliases = await client.query<{ documents: string }>(sharedAliases);
  if (aliases.rows.length > 0) {
    const named = aliases.rows.map((row) => row.documents);
    throw new DatasetError(`Documents share the id of their superclass: ${named.join('; ')}`, {
      hint: 'Education organizations of every kind share one range of ids: give each its own id.',
    });
  }
}

/** The service finds a document's references when it is updated, so each must be there. */
export async function checkReferences(client: Client): Promise<void> {
  const { rows } = await client.query<CountedRow>(danglingReferences);
  if (rows.length === 0) return;
  const named = rows.map((row) => `${row.resource_name} ${row.identity} (${row.times})`);
  throw new DatasetError(`Documents refer to others that are not in the data set: ${named.join('; ')}`, {
    hint: 'Add what they refer to: descriptors by their URI, other documents by their natural key.',
  });
}
