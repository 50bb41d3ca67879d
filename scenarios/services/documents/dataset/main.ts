import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { DatasetReport } from '../../../../src/measure/load/workload-module.ts';
import { DatasetError, messageOf } from '../errors.ts';
import { describeDocument, documentUuidOf } from '../model/document.ts';
import { dataOf } from './data-options.ts';
import { documentsOf } from './documents-of.ts';
import { createSchema, loadDocuments } from './load.ts';

/** Fills the empty database of DATABASE_URL with a data set; without options with the service's tables alone. */
try {
  report(await load());
} catch (error) {
  const hint = error instanceof DatasetError && error.hint !== '' ? { hint: error.hint } : {};
  report({ error: { message: messageOf(error), ...hint } });
  process.stderr.write(`${error instanceof DatasetError ? error.message : String(Object(error).stack ?? error)}\n`);
  process.exitCode = 1;
}

async function load(): Promise<DatasetReport> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { template: text, documents: text, seed: text, edfi: text } });
  const { DATABASE_URL: url = '' } = process.env;
  if (Object.keys(values).length === 0) {
    await createSchema(url);
    return {};
  }
  const notes: string[] = [];
  const documents = documentsOf(dataOf({ ...values }), { onNotice: (note) => notes.push(note) });
  const loaded = await loadDocuments(url, documents);
  const examples = loaded.examples.map(({ resource, body }) => ({
    id: documentUuidOf(describeDocument(resource, body).documentId),
    resource,
    body,
  }));
  const { byResource, fingerprint } = loaded;
  return { documents: loaded.documents, byResource, fingerprint, examples, notes };
}

function report(content: DatasetReport): void {
  const { PGSWEEP_DATASET_REPORT: file } = process.env;
  if (file !== undefined) writeFileSync(file, JSON.stringify(content));
}
