import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type DocumentDescription, documentUuidOf } from '../model/document.ts';
import type { Document } from './types.ts';

/** The rows of some documents in the text format of COPY, one text a table. */
export interface RowBatch {
  documents: string[];
  aliases: string[];
  references: string[];
}

export function emptyBatch(): RowBatch {
  return { documents: [], aliases: [], references: [] };
}

/** Adds the rows that the service would write, had the document been posted. */
export function addRows(batch: RowBatch, { body }: Document, description: DocumentDescription): void {
  const { documentId, resourceName, identity, isDescriptor, aliasIds, references } = description;
  const uuid = documentUuidOf(documentId);
  const columns = [
    documentId,
    uuid,
    resourceName,
    JSON.stringify(identity),
    JSON.stringify(body),
    String(isDescriptor),
  ];
  batch.documents.push(`${columns.map(escapeColumn).join('\t')}\n`);
  for (const aliasId of aliasIds) batch.aliases.push(`${aliasId}\t${documentId}\t${uuid}\n`);
  for (const reference of references) batch.references.push(`${documentId}\t${reference.documentId}\n`);
}

/** One COPY a table, one after the other, since a connection can do one at a time; the next batch waits for it. */
export async function copyBatch(client: Client, batch: RowBatch): Promise<void> {
  const columns = 'document_id, document_uuid, resource_name, identity, body, is_descriptor';
  await copy(client, `COPY public.documents (${columns}) FROM STDIN`, batch.documents);
  await copy(client, 'COPY public.aliases (alias_id, document_id, document_uuid) FROM STDIN', batch.aliases);
  const references = 'COPY public."references" (parent_document_id, referenced_document_id) FROM STDIN';
  await copy(client, references, batch.references);
}

async function copy(client: Client, statement: string, rows: readonly string[]): Promise<void> {
  if (rows.length === 0) return;
  await pipeline(Readable.from([rows.join('')]), client.query(copyFrom(statement)));
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escapeColumn(text: string): string {
  return text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character);
}
