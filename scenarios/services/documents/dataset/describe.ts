import { DatasetError } from '../errors.ts';
import { type DocumentDescription, describeDocument, InvalidDocumentError } from '../model/document.ts';
import type { Document } from './types.ts';

/** Description that the service would store. Throws DatasetError with the document's number. */
export function describeNumbered(document: Document, number: number): DocumentDescription {
  try {
    return describeDocument(document.resource, document.body);
  } catch (error) {
    if (!(error instanceof InvalidDocumentError)) throw error;
    throw new DatasetError(`Document ${number} (${document.resource}) is invalid: ${error.message}`, {
      cause: error,
    });
  }
}
