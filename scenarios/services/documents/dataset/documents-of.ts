import type { Data, TemplateData } from './data-options.ts';
import { type ReadEdFiOptions, readEdFiFolder } from './edfi-xml/read-folder.ts';
import { generateDistrict } from './templates/grand-bend/generate.ts';
import { profiles } from './templates/grand-bend/profiles.ts';
import { generatePartialGrandBend } from './templates/partial-grand-bend/generate.ts';
import type { Document } from './types.ts';

/** At most this many descriptors are kept as examples: there are 200 kinds of them, and the load hardly touches any. */
export const MOST_DESCRIPTORS = 50;

/**
 * The documents of a data set as a stream, each after all that it refers to: generated, or read from Ed-Fi XML. It can
 * be asked for again and gives the same. `onIndexed` gets how many will come, ahead of the first. Throws DatasetError,
 * at once or while it is read.
 */
export function documentsOf(data: Data, options: ReadEdFiOptions = {}): Iterable<Document> | AsyncIterable<Document> {
  if ('edfi' in data) return readEdFiFolder(data.edfi, options);
  const documents = generateTemplate(data);
  options.onIndexed?.(data.documents);
  return documents;
}

/**
 * The documents of a template, each after all that it refers to: exactly as many as are asked for, one at a time, and
 * the same ones for the same seed. Throws DatasetError where they are too few for the template.
 */
export function generateTemplate({ template, documents, seed }: TemplateData): Iterable<Document> {
  if (template === 'partial-grand-bend') return generatePartialGrandBend({ documents, seed });
  return generateDistrict({ documents, seed }, profiles[template]);
}
