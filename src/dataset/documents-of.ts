import type { EdFiSpec, TemplateSpec } from '../journal/scenario-record.ts';
import { type ReadEdFiOptions, readEdFiFolder } from './edfi-xml/read-folder.ts';
import { generateTemplate } from './templates/generate-template.ts';
import type { Document } from './types.ts';

/** The documents of a data set in dependency order, one at a time: generated, or read from Ed-Fi XML. */
export function documentsOf(
  spec: TemplateSpec | EdFiSpec,
  options: ReadEdFiOptions,
): Iterable<Document> | AsyncIterable<Document> {
  return spec.kind === 'template' ? generateTemplate(spec) : readEdFiFolder(spec.folder, options);
}
