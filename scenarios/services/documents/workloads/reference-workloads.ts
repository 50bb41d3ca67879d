import type { ExampleDocument, NextRequest, WorkloadContext } from '../../../../src/measure/load/workload-module.ts';
import { DatasetError } from '../errors.ts';
import { describeDocument, type JsonObject } from '../model/document.ts';

/** The kinds of request that go by id and by reference: what a document store's indexes are for. */
const referenceKinds = ['get document by id', 'list by reference', 'delete referenced document'] as const;

export type ReferenceKind = (typeof referenceKinds)[number];

export function isReferenceKind(kind: string): kind is ReferenceKind {
  return (referenceKinds as readonly string[]).includes(kind);
}

/** A document that others refer to, and the resource of one of these. */
interface Referenced {
  readonly id: string;
  readonly resource: string;
  readonly by: string;
}

/**
 * Requests for documents drawn from those that were loaded. A delete of a document that others refer to is refused: 409
 * is what is expected of it. Throws DatasetError where there are no such documents.
 */
export function referenceWorkload(name: ReferenceKind, { documents, random }: WorkloadContext): NextRequest {
  if (name === 'get document by id') {
    if (documents.length === 0) throw noDocuments(name);
    return () => {
      const { resource, id } = random.pick(documents);
      return { path: `/ed-fi/${resource}/${id}`, name };
    };
  }
  const referenced = referencedAmong(documents);
  if (referenced.length === 0) throw noDocuments(name);
  if (name === 'list by reference') {
    return () => {
      const { id, by } = random.pick(referenced);
      return { path: `/ed-fi/${by}?referencing=${id}&limit=25`, name };
    };
  }
  return () => {
    const { resource, id } = random.pick(referenced);
    return { method: 'DELETE', path: `/ed-fi/${resource}/${id}`, name, expect: [409] };
  };
}

/** One entry for each example that another example refers to, with the resource of the first that does. */
function referencedAmong(documents: readonly ExampleDocument[]): Referenced[] {
  const described = documents.map((document) => ({
    document,
    description: describeDocument(document.resource, document.body as JsonObject),
  }));
  const byAlias = new Map(
    described.flatMap(({ document, description }) => description.aliasIds.map((alias) => [alias, document] as const)),
  );
  const found = new Map<ExampleDocument, Referenced>();
  for (const { document, description } of described) {
    for (const { documentId } of description.references) {
      const target = byAlias.get(documentId);
      if (target !== undefined && !found.has(target)) {
        found.set(target, { id: target.id, resource: target.resource, by: document.resource });
      }
    }
  }
  return [...found.values()];
}

function noDocuments(kind: ReferenceKind): DatasetError {
  return new DatasetError(`no loaded document can serve the request "${kind}"`, {
    hint: 'Use a template, or a folder of Ed-Fi XML with documents that refer to each other.',
  });
}
