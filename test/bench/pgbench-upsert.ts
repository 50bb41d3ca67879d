import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Document } from '../../scenarios/services/documents/dataset/types.ts';
import { type DocumentDescription, describeDocument } from '../../scenarios/services/documents/model/document.ts';
import { loadConfig } from '../../scenarios/services/documents/service/config.ts';
import { createStatements, type Statement } from '../../scenarios/services/documents/service/statements.ts';
import { findPostgresBinaries } from '../../src/measure/stack/embedded/find-binaries.ts';

/** This many documents of the data set, evenly spread over it, stand for all of them. */
const SAMPLE = 20;
/** The service's own session settings: see scenarios/services/documents/service/pool.ts. */
const SESSION = '-c enable_seqscan=off -c enable_bitmapscan=off -c jit=off';

/** The pgbench that belongs to the bench's Postgres; null where there is none. */
export async function findPgbench(): Promise<string | null> {
  const { folder } = await findPostgresBinaries();
  const file = join(folder, 'pgbench');
  return existsSync(file) ? file : null;
}

export interface PgbenchOptions {
  readonly pgbench: string;
  /** Of a database with the service's tables, empty. */
  readonly databaseUrl: string;
  readonly documents: readonly Document[];
  readonly clients: number;
  readonly transactions: number;
}

/** Runs the statements of that many upserts of new documents, as the service would, and returns how many a second. */
export async function pgbenchUpserts(options: PgbenchOptions): Promise<number> {
  const { pgbench, databaseUrl, clients, transactions } = options;
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-pgbench-'));
  try {
    const sample = sampleOf(options.documents);
    await insertReferenced(databaseUrl, sample);
    const scripts = sample.map(({ description }, index) => {
      const file = join(folder, `upsert-${index}.sql`);
      writeFileSync(file, scriptOf(description, index));
      return ['-f', file];
    });
    const variables = sample.flatMap(({ document, description }, index) => [
      ...['-D', `resource${index}=${description.resourceName}`],
      ...['-D', `identity${index}=${JSON.stringify(description.identity)}`],
      ...['-D', `body${index}=${JSON.stringify(document.body)}`],
      ...['-D', `refs${index}={${description.references.map(({ documentId }) => documentId).join(',')}}`],
    ]);
    const { hostname, port, username, password, pathname } = new URL(databaseUrl);
    const each = Math.ceil(transactions / clients);
    const { stdout } = await promisify(execFile)(
      pgbench,
      [
        ...['-n', '-M', 'prepared', '-c', String(clients), '-j', '2', '-t', String(each)],
        ...['-h', hostname, '-p', port, '-U', decodeURIComponent(username)],
        ...scripts.flat(),
        ...variables,
        pathname.slice(1),
      ],
      { env: { ...process.env, PGPASSWORD: decodeURIComponent(password), PGOPTIONS: SESSION }, maxBuffer: 1e8 },
    );
    const failed = /number of failed transactions: (\d+)/.exec(stdout)?.[1] ?? '0';
    const rate = Number(/^tps = ([\d.]+) \(without/m.exec(stdout)?.[1]);
    if (failed !== '0' || !(rate > 0)) throw new Error(`pgbench did not do what it should:\n${stdout}`);
    return rate;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Sampled {
  readonly document: Document;
  readonly description: DocumentDescription;
}

/** Those with a superclass make one statement more; they are few, and left out to pgbench's favour. */
function sampleOf(documents: readonly Document[]): Sampled[] {
  const described = documents
    .map((document) => ({ document, description: describeDocument(document.resource, document.body) }))
    .filter(({ description }) => description.aliasIds.length === 1);
  return Array.from(
    { length: SAMPLE },
    (_, index) => described[Math.floor(((index + 0.5) * described.length) / SAMPLE)],
  ).filter((sampled) => sampled !== undefined);
}

/** What the sample refers to must be there for the check to find it. */
async function insertReferenced(databaseUrl: string, sample: readonly Sampled[]): Promise<void> {
  const ids = new Set(sample.flatMap(({ description }) => description.references.map(({ documentId }) => documentId)));
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(
    `INSERT INTO aliases (alias_id, document_id, document_uuid)
     SELECT id, id, gen_random_uuid() FROM unnest($1::varchar[]) AS alias (id)`,
    [[...ids]],
  );
  await client.end();
}

/** The statements of scenarios/services/documents/service/write/upsert.ts for a document that is new, under an id that no other has. */
function scriptOf({ references, isDescriptor }: DocumentDescription, index: number): string {
  const statements = createStatements(loadConfig({ DATABASE_URL: 'postgres://127.0.0.1/x' }));
  const hex = 'to_hex(:id::bigint)';
  // The random digits in front: the service's ids are hashes, and come in no order.
  const id = `rpad(${hex}, 38, '0')`;
  const uuid = `rpad(${hex}, 32, '0')::uuid`;
  const refs = `:refs${index}`;
  const lines = [
    '\\set id random(1152921504606846976, 9223372036854775807)',
    statements.begin,
    filled(statements.findByDocumentId, id),
    ...(references.length === 0 ? [] : [filled(statements.findReferenced, refs)]),
    filled(
      statements.insertDocument,
      id,
      uuid,
      `:resource${index}`,
      `:identity${index}`,
      `:body${index}`,
      String(isDescriptor),
    ),
    filled(statements.insertAliases, `ARRAY[${id}]`, id, uuid),
    ...(references.length === 0 ? [] : [filled(statements.insertReferences, refs, id)]),
    'COMMIT',
  ];
  return lines.map((line) => (line.startsWith('\\') ? `${line}\n` : `${line};\n`)).join('');
}

function filled({ text }: Statement, ...values: string[]): string {
  return text.replaceAll(/\$(\d)/g, (_, number) => values[Number(number) - 1] ?? '').replaceAll(/\s+/g, ' ');
}
