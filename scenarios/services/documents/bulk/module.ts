import type { BulkModule } from '../../../../src/measure/load/workload-module.ts';
import { dataOf } from '../dataset/data-options.ts';
import { describeNumbered } from '../dataset/describe.ts';
import { documentsOf, MOST_DESCRIPTORS } from '../dataset/documents-of.ts';

export { check } from './check.ts';

/** Requests that post every document of a data set, each to wait for all that it refers to. Reading them throws DatasetError. */
const bulkRequests: BulkModule = async function* ({ options, total }) {
  let number = 0;
  for await (const document of documentsOf(dataOf(options), { onIndexed: total })) {
    const { resource, body } = document;
    const { isDescriptor, aliasIds, identity, references } = describeNumbered(document, ++number);
    yield {
      path: `/ed-fi/${resource}`,
      body,
      resource,
      ...(isDescriptor && { name: 'descriptors', keep: MOST_DESCRIPTORS }),
      identity,
      ids: aliasIds,
      after: references.map(({ documentId }) => documentId),
    };
  }
};

export default bulkRequests;
