import type { IncomingDocument } from '../write-document.ts';

/** What a committed write means for the search index. */
export type IndexChange =
  | { readonly operation: 'index'; readonly resourceName: string; readonly uuid: string; readonly sourceJson: string }
  | { readonly operation: 'delete'; readonly resourceName: string; readonly uuid: string };

/**
 * Puts a document into the index, or its new body. `info` is the whole answer as text, which a list query passes on as
 * it is (as in Meadowlark); the identity and the body are what is searched.
 */
export function indexDocument({ description, bodyJson }: IncomingDocument, uuid: string): IndexChange {
  const { resourceName, identity } = description;
  // A body has at least its natural key, so there is a member before the id.
  const info = `${bodyJson.slice(0, -1)},"id":"${uuid}"}`;
  const sourceJson = `{"info":${JSON.stringify(info)},"identity":${JSON.stringify(identity)},"body":${bodyJson}}`;
  return { operation: 'index', resourceName, uuid, sourceJson };
}
