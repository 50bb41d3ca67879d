import { basename } from 'node:path';
import type { EdFiSpec, TemplateSpec } from '../../journal/scenario-record.ts';
import { type ReadEdFiOptions, readEdFiFolder } from './edfi-xml/read-folder.ts';
import { generateDistrict } from './templates/grand-bend/generate.ts';
import { profiles } from './templates/grand-bend/profiles.ts';
import { generatePartialGrandBend } from './templates/partial-grand-bend/generate.ts';
import type { Document } from './types.ts';

/**
 * The documents of a data set as a stream, each after all that it refers to: generated, or read from Ed-Fi XML. It can
 * be asked for again and gives the same. `onIndexed` gets how many will come, ahead of the first. Throws PgsweepError
 * `dataset`, at once or while it is read.
 */
export function documentsOf(
  spec: TemplateSpec | EdFiSpec,
  options: ReadEdFiOptions = {},
): Iterable<Document> | AsyncIterable<Document> {
  if (spec.kind === 'edfi') return readEdFiFolder(spec.folder, options);
  const documents = generateTemplate(spec);
  options.onIndexed?.(spec.documents);
  return documents;
}

/** A data set for people: `partial-grand-bend, 2000 documents, seed 1`. */
export function nameOfDataset(spec: TemplateSpec | EdFiSpec): string {
  if (spec.kind === 'edfi') return `Ed-Fi XML in ${basename(spec.folder)}`;
  return `${spec.template}, ${spec.documents} documents, seed ${spec.seed}`;
}

/**
 * The documents of a template, each after all that it refers to: exactly as many as are asked for, one at a time, and
 * the same ones for the same seed. Throws PgsweepError `dataset` where they are too few for the template.
 */
export function generateTemplate({ template, documents, seed }: TemplateSpec): Iterable<Document> {
  if (template === 'partial-grand-bend') return generatePartialGrandBend({ documents, seed });
  return generateDistrict({ documents, seed }, profiles[template]);
}
