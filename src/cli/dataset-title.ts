import { basename } from 'node:path';
import { isGenerated } from '../journal/sample.ts';
import type { BulkSpec } from '../journal/scenario-record.ts';
import { templateTitle } from './template-option.ts';

/** The data set as the report's users call it: its template's, or the name of its folder, module or file. */
export function datasetTitle(dataset: BulkSpec['dataset']): string {
  if (isGenerated(dataset)) return templateTitle(dataset.template);
  switch (dataset.kind) {
    case 'module':
      return basename(dataset.module);
    case 'file':
      return basename(dataset.file);
    default:
      return basename(dataset.folder);
  }
}
