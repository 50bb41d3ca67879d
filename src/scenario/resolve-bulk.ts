import { resolve } from 'node:path';
import type { BulkSpec, EdFiSpec, Target, TemplateSpec } from '../journal/scenario-record.ts';
import { durationOr, type Origin, oneOf, requireFolder } from './checks.ts';
import type { Problem } from './problems.ts';
import { templateOf } from './resolve-dataset.ts';
import type { ScenarioDocument } from './schema.ts';

type LoadDocument = ScenarioDocument['load'];

/** The bulk load, with its defaults. */
export function resolveBulk(
  bulk: NonNullable<LoadDocument['bulk']>,
  load: LoadDocument,
  target: Target,
  origin: Origin,
  problems: Problem[],
): BulkSpec {
  if (target.kind === 'url') {
    problems.push({
      path: ['load'],
      key: 'bulk',
      message:
        'load.bulk: a url target keeps what was loaded, so its second round would load nothing; use pgsweep bulk-load',
    });
  }
  // A bulk load begins cold; what reads follow it is warmed for.
  const warmup = load.reads === undefined ? (['warmup'] as const) : [];
  for (const key of ['workload', 'requests', 'module', ...warmup] as const) {
    if (load[key] !== undefined)
      problems.push({ path: ['load'], key, message: `load.${key} does not go with load.bulk: expected reads` });
  }
  if (load.reads !== undefined && target.kind !== 'service')
    problems.push({ path: ['load'], key: 'reads', message: 'load.reads: these are for the document service' });
  const connections = bulk.connections ?? 25;
  return {
    dataset: resolveBulkDataset(bulk, origin, problems),
    connections,
    inFlight: bulk.inFlight ?? connections,
    retries: bulk.retries ?? 3,
    backoffMs: durationOr(bulk.backoff, 100),
    update: bulk.update ?? false,
  };
}

function resolveBulkDataset(
  bulk: NonNullable<LoadDocument['bulk']>,
  origin: Origin,
  problems: Problem[],
): TemplateSpec | EdFiSpec {
  const path = ['load', 'bulk'];
  const kind = oneOf(bulk, ['template', 'edfi'], path, problems);
  if (kind === 'edfi') {
    for (const key of ['documents', 'seed'] as const) {
      if (bulk[key] !== undefined)
        problems.push({ path, key, message: `load.bulk.${key} belongs to a bulk load with template` });
    }
    const folder = resolve(origin.folder, bulk.edfi ?? '');
    requireFolder(folder, [...path, 'edfi'], problems);
    return { kind, folder };
  }
  return templateOf(bulk);
}
