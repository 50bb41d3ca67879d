import { resolve } from 'node:path';
import { emptyTables, folderKey } from '../journal/sample.ts';
import type { DatasetSpec, Target } from '../journal/scenario-record.ts';
import { type Origin, oneOf, requireFile, requireThere } from './checks.ts';
import { resolveGenerated, templateOf } from './generated-data.ts';
import { askedKinds } from './load/kinds.ts';
import type { Problem } from './problem.ts';
import type { ScenarioDocument } from './schema.ts';

/** Data in the database before load starts; the sample service has a default. */
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
  if (dataset === undefined && askedKinds(document.load).some(({ fillsDatabase }) => fillsDatabase))
    return target.kind === 'service' ? emptyTables : { kind: 'none' };
  if (dataset === undefined) {
    return target.kind === 'service' ? templateOf({}) : { kind: 'none' };
  }
  const { role } = dataset;
  if (role !== undefined && Object.keys(dataset).length === 1) return { kind: 'none', role };
  const kind = oneOf(dataset, ['template', folderKey, 'sql', 'dump', 'command'], ['dataset'], problems);
  const generated = resolveGenerated(kind, dataset, { path: ['dataset'], origin, problems });
  if (kind !== 'sql' && dataset.singleTransaction !== undefined) {
    const message = 'dataset.singleTransaction belongs to a dataset with sql';
    problems.push({ path: ['dataset'], key: 'singleTransaction', message });
  }
  if (generated !== null) {
    const message = 'dataset.role belongs to your own data: sql, dump or command';
    if (role !== undefined) problems.push({ path: ['dataset'], key: 'role', message });
    return generated;
  }
  const ofRole = role === undefined ? {} : { role };
  if (kind === 'sql') {
    const files = [dataset.sql ?? []].flat().map((file) => resolve(origin.folder, file));
    files.forEach((file, index) => {
      requireFile(file, Array.isArray(dataset.sql) ? ['dataset', 'sql', index] : ['dataset', 'sql'], problems);
    });
    return { kind, files, ...(dataset.singleTransaction && { singleTransaction: true }), ...ofRole };
  }
  if (kind === 'dump') {
    const dump = resolve(origin.folder, dataset.dump ?? '');
    requireThere(dump, ['dataset', 'dump'], problems);
    return { kind, dump, ...ofRole };
  }
  return { kind: 'command', command: dataset.command ?? '', cwd: origin.folder, ...ofRole };
}
