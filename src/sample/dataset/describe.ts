import { PgsweepError } from '../../base/errors.ts';
import { type DocumentDescription, describeDocument, InvalidDocumentError } from '../model/document.ts';
import type { Document } from './types.ts';

/** What the service would store of a document. Throws PgsweepError `dataset` naming it by its number in the data set. */
export function describeNumbered(document: Document, number: number): DocumentDescription {
  try {
    return describeDocument(document.resource, document.body);
  } catch (error) {
    if (!(error instanceof InvalidDocumentError)) throw error;
    throw new PgsweepError('dataset', `Document ${number} (${document.resource}) is invalid: ${error.message}`, {
      cause: error,
    });
  }
}
