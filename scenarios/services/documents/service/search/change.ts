import type { IncomingDocument } from '../request.ts';

/** Change of the search index by a committed write. */
export type IndexChange =
  | { readonly operation: 'index'; readonly resourceName: string; readonly uuid: string; readonly sourceJson: string }
  | { readonly operation: 'delete'; readonly resourceName: string; readonly uuid: string };

/** A document as JSON texts. */
export interface StoredDocument {
  readonly uuid: string;
  readonly identityJson: string;
  readonly bodyJson: string;
}

/** Puts a document into the index, or its new body. */
export function indexDocument({ description, bodyJson }: IncomingDocument, uuid: string): IndexChange {
  const { resourceName, identity } = description;
  const sourceJson = sourceOf({ uuid, identityJson: JSON.stringify(identity), bodyJson });
  return { operation: 'index', resourceName, uuid, sourceJson };
}

/**
 * A document as the index holds it: `info` is the whole answer as text, which a list query passes on as it is (as in
 * Meadowlark); identity and body are searched.
 */
export function sourceOf({ uuid, identityJson, bodyJson }: StoredDocument): string {
  // A body has at least its natural key, so there is a member before the id.
  const info = `${bodyJson.slice(0, -1)},"id":"${uuid}"}`;
  return `{"info":${JSON.stringify(info)},"identity":${identityJson},"body":${bodyJson}}`;
}
