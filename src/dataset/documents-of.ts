import { basename } from 'node:path';
import { PgsweepError } from '../base/errors.ts';
import type { EdFiSpec, TemplateSpec } from '../journal/scenario-record.ts';
import { readEdFiFolder } from './edfi-xml/read-folder.ts';
import { generatePartialGrandBend } from './partial-grand-bend/generate.ts';
import type { Document } from './types.ts';

export interface DocumentsOptions {
  /** Told what was done beyond reading. */
  readonly onNotice?: (message: string) => void;
  /** Told how many documents there are, ahead of the first of them. */
  readonly onTotal?: (documents: number) => void;
}

/**
 * The documents of a data set as a stream, each after all that it refers to. It can be asked for again and gives the
 * same. Throws PgsweepError `dataset`, at once or while it is read.
 */
export function documentsOf(
  spec: TemplateSpec | EdFiSpec,
  { onNotice, onTotal }: DocumentsOptions = {},
): Iterable<Document> | AsyncIterable<Document> {
  if (spec.kind === 'edfi') {
    return readEdFiFolder(spec.folder, { ...(onNotice && { onNotice }), ...(onTotal && { onTotal }) });
  }
  onTotal?.(spec.documents);
  return generate(spec);
}

/** A data set for people: `partial-grand-bend, 2000 documents, seed 1`. */
export function nameOfDataset(spec: TemplateSpec | EdFiSpec): string {
  if (spec.kind === 'edfi') return `Ed-Fi XML in ${basename(spec.folder)}`;
  return `${spec.template}, ${spec.documents} documents, seed ${spec.seed}`;
}

function generate({ template, documents, seed }: TemplateSpec): Iterable<Document> {
  switch (template) {
    case 'partial-grand-bend':
      return generatePartialGrandBend({ documents, seed });
    default:
      throw new PgsweepError('dataset', `the template ${template} cannot be generated yet`, {
        hint: 'Use partial-grand-bend.',
      });
  }
}
