import { PgsweepError } from '../base/errors.ts';
import type { LoadedDataset, Sample } from '../measure/sample.ts';
import { openBulkLoad } from './bulk/bulk-load.ts';
import { checkBulk } from './bulk/check-bulk.ts';
import { documentsOf, nameOfDataset } from './dataset/documents-of.ts';
import { createSchema, loadDocuments } from './dataset/load.ts';
import { describeDocument, documentUuidOf } from './model/document.ts';
import { documentWorkload } from './workloads/workloads.ts';

/** Everything that the measuring half asks of the sample service. */
export const sample: Sample = {
  createSchema,
  loadDataset,
  workload: documentWorkload,
  async firstRequest(spec) {
    for await (const { resource, body } of documentsOf(spec)) {
      const headers = { 'content-type': 'application/json' };
      return { method: 'POST', path: `/ed-fi/${resource}`, headers, body: JSON.stringify(body), name: 0 };
    }
    throw new PgsweepError('dataset', `the template ${spec.template} has no documents`);
  },
  openBulkLoad,
  checkBulk,
};

async function loadDataset(
  ...[spec, databaseUrl, { onProgress, signal }]: Parameters<Sample['loadDataset']>
): Promise<LoadedDataset> {
  const start = performance.now();
  const name = nameOfDataset(spec);
  onProgress(`loading ${name}`);
  const documents = documentsOf(spec, { onNotice: onProgress });
  const summary = await loadDocuments(databaseUrl, name, documents, () => signal.throwIfAborted());
  const loadMs = performance.now() - start;
  const { byResource, fingerprint } = summary;
  const examples = summary.examples.map(({ resource, body }) => ({
    id: documentUuidOf(describeDocument(resource, body).documentId),
    resource,
    body,
  }));
  return { record: { name, documents: summary.documents, byResource, fingerprint, loadMs }, examples };
}
