import type { EdFiSpec, TemplateSpec } from '../journal/scenario-record.ts';
import { type ReadEdFiOptions, readEdFiFolder } from './edfi-xml/read-folder.ts';
import { generateTemplate } from './templates/generate-template.ts';
import type { Document } from './types.ts';

/**
 * The documents of a data set, each after all that it refers to, one at a time: generated, or read from Ed-Fi XML.
 * `onIndexed` is told how many will come, ahead of the first.
 */
export function documentsOf(
  spec: TemplateSpec | EdFiSpec,
  options: ReadEdFiOptions,
): Iterable<Document> | AsyncIterable<Document> {
  if (spec.kind === 'edfi') return readEdFiFolder(spec.folder, options);
  const documents = generateTemplate(spec);
  options.onIndexed?.(spec.documents);
  return documents;
}
