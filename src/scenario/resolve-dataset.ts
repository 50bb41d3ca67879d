import { resolve } from 'node:path';
import {
  type DatasetSpec,
  defaultTemplateDocuments,
  type Target,
  type TemplateSpec,
} from '../journal/scenario-record.ts';
import { type Origin, oneOf, requireFile, requireFolder, requireThere } from './checks.ts';
import type { Problem } from './problems.ts';
import type { ScenarioDocument } from './schema.ts';

/** Data in the database before load starts; the document service has a default. */
export function resolveDataset(
  document: ScenarioDocument,
  target: Target,
  origin: Origin,
  problems: Problem[],
): DatasetSpec {
  const { dataset } = document;
  if (target.kind === 'url') {
    if (dataset !== undefined)
      problems.push({
        path: [],
        key: 'dataset',
        message: 'dataset: a url target has its own database; nothing is loaded',
      });
    return { kind: 'none' };
  }
  // A bulk load fills the database itself.
  if (dataset === undefined && document.load.bulk !== undefined)
    return { kind: target.kind === 'service' ? 'schema' : 'none' };
  if (dataset === undefined) {
    return target.kind === 'service' ? templateOf({}) : { kind: 'none' };
  }
  const kind = oneOf(dataset, ['template', 'edfi', 'sql', 'dump', 'command'], ['dataset'], problems);
  for (const key of kind === 'template' ? [] : (['documents', 'seed'] as const)) {
    if (dataset[key] !== undefined)
      problems.push({ path: ['dataset'], key, message: `dataset.${key} belongs to a dataset with template` });
  }
  if (kind !== 'sql' && dataset.singleTransaction !== undefined) {
    const message = 'dataset.singleTransaction belongs to a dataset with sql';
    problems.push({ path: ['dataset'], key: 'singleTransaction', message });
  }
  if (kind === 'edfi') {
    const folder = resolve(origin.folder, dataset.edfi ?? '');
    requireFolder(folder, ['dataset', 'edfi'], problems);
    return { kind, folder };
  }
  if (kind === 'sql') {
    const files = [dataset.sql ?? []].flat().map((file) => resolve(origin.folder, file));
    files.forEach((file, index) => {
      requireFile(file, Array.isArray(dataset.sql) ? ['dataset', 'sql', index] : ['dataset', 'sql'], problems);
    });
    return { kind, files, ...(dataset.singleTransaction && { singleTransaction: true }) };
  }
  if (kind === 'dump') {
    const dump = resolve(origin.folder, dataset.dump ?? '');
    requireThere(dump, ['dataset', 'dump'], problems);
    return { kind, dump };
  }
  if (kind === 'command') return { kind, command: dataset.command ?? '', cwd: origin.folder };
  return templateOf(dataset);
}

/** A template with the defaults for what is left out. */
export function templateOf(
  dataset: Pick<NonNullable<ScenarioDocument['dataset']>, 'template' | 'documents' | 'seed'>,
): TemplateSpec {
  const template = dataset.template ?? 'partial-grand-bend';
  const documents = dataset.documents ?? defaultTemplateDocuments[template];
  return { kind: 'template', template, documents, seed: dataset.seed ?? 1 };
}
