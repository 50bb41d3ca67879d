import pg from 'pg';
import { DatasetError, messageOf } from '../errors.ts';
import { schemaSql } from '../model/schema.ts';
import { checkReferences, checkUnique } from './check-loaded.ts';
import { addRows, copyBatch, emptyBatch } from './copy-rows.ts';
import { describeNumbered } from './describe.ts';
import { MOST_DESCRIPTORS } from './documents-of.ts';
import { createExamples } from './examples.ts';
import { createFingerprint } from './fingerprint.ts';
import type { DatasetSummary, Document } from './types.ts';

export interface LoadProgress {
  /** How many documents are in the database so far. */
  documents: number;
}

/** Large enough that a round trip does not count, small enough to keep little in memory. */
const batchDocuments = 1000;

/**
 * Fills an empty database with the service's schema and the documents, as if each had been posted to the service. All
 * or nothing: one transaction, with the indexes built and every reference checked at its end.
 */
export async function loadDocuments(
  databaseUrl: string,
  documents: Iterable<Document> | AsyncIterable<Document>,
  onProgress: (progress: LoadProgress) => void = () => {},
): Promise<DatasetSummary> {
  return withClient(databaseUrl, async (client) => {
    const summary = await loadInto(client, documents, onProgress);
    // Without it the first minutes of a measurement would pay for hint bits and plans made without statistics.
    await client.query('VACUUM (ANALYZE) public.documents, public."references", public.aliases');
    return summary;
  });
}

/** Makes the service's tables and indexes in an empty database, and nothing in them: what a bulk load starts from. */
export async function createSchema(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const { tables, indexes } = schemaStatements();
    await client.query('BEGIN');
    await requireEmpty(client);
    for (const statement of [...tables, ...indexes]) await client.query(statement);
    await client.query('COMMIT');
  });
}

async function withClient<T>(databaseUrl: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'pgsweep load' });
  // A lost connection also rejects the query that is under way; without a listener it would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    return await use(client);
  } catch (error) {
    throw loadError(error);
  } finally {
    await client.end();
  }
}

async function loadInto(
  client: pg.Client,
  documents: Iterable<Document> | AsyncIterable<Document>,
  onProgress: (progress: LoadProgress) => void,
): Promise<DatasetSummary> {
  const schema = schemaStatements();
  await client.query('BEGIN');
  await requireEmpty(client);
  for (const statement of schema.tables) await client.query(statement);
  const summary = await copyAll(client, documents, onProgress);
  if (summary.documents === 0) throw new DatasetError('The data set has no documents');
  await checkUnique(client);
  for (const statement of schema.indexes) await client.query(statement);
  await checkReferences(client);
  await client.query('COMMIT');
  return summary;
}

async function requireEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>(
    "SELECT to_regclass('public.documents') IS NOT NULL AS found",
  );
  if (rows[0]?.found !== true) return;
  throw new DatasetError('The database has a documents table already', {
    hint: 'Load into an empty database: createdb makes one.',
  });
}

async function copyAll(
  client: pg.Client,
  documents: Iterable<Document> | AsyncIterable<Document>,
  onProgress: (progress: LoadProgress) => void,
): Promise<DatasetSummary> {
  const fingerprint = createFingerprint();
  const examples = createExamples();
  const byResource: Record<string, number> = {};
  let total = 0;
  let descriptors = 0;
  let batch = emptyBatch();
  const flush = async (): Promise<void> => {
    await copyBatch(client, batch);
    batch = emptyBatch();
    onProgress({ documents: total });
  };
  for await (const document of documents) {
    const description = describeNumbered(document, total + 1);
    addRows(batch, document, description);
    fingerprint.add(document);
    if (description.isDescriptor) examples.add(document, 'descriptors', MOST_DESCRIPTORS);
    else examples.add(document, document.resource);
    byResource[document.resource] = (byResource[document.resource] ?? 0) + 1;
    total++;
    if (description.isDescriptor) descriptors++;
    if (total % batchDocuments === 0) await flush();
  }
  if (batch.documents.length > 0) await flush();
  return {
    documents: total,
    descriptors,
    byResource,
    fingerprint: fingerprint.finish(),
    examples: examples.list(),
  };
}

/** Postgres's classes 22 and 23 are bad data; all else that it says is about the server. */
function loadError(error: unknown): unknown {
  if (error instanceof DatasetError) return error;
  if (error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '')) {
    return new DatasetError(`The data set cannot be stored: ${error.message}`, { cause: error });
  }
  const isOfPostgres = error instanceof pg.DatabaseError || (error instanceof Error && 'code' in error);
  if (!isOfPostgres) return error;
  return new DatasetError(`Loading the data set failed: ${messageOf(error)}`, {
    hint: 'See the log of Postgres.',
    cause: error,
  });
}

/** The service's schema in two parts: what must be there for rows to come in, and what is cheaper to build after. */
interface SchemaStatements {
  tables: string[];
  indexes: string[];
}

/** Splits the service's own schema, so that a loaded database has exactly the indexes that the service would make. */
export function schemaStatements(sql: string = schemaSql): SchemaStatements {
  const statements = sql
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  const isIndex = (statement: string): boolean => /^CREATE\s+(UNIQUE\s+)?INDEX\b/i.test(statement);
  return { tables: statements.filter((each) => !isIndex(each)), indexes: statements.filter(isIndex) };
}
