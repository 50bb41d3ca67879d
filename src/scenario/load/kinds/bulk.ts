import { resolve } from 'node:path';
import { z } from 'zod';
import {
  count,
  duration,
  list,
  options,
  strict,
  text,
  urlPath,
  withoutUndefined,
} from '../../../base/schema-values.ts';
import { builtInWorkloads, folderKey, sampleService, usualWorkload } from '../../../journal/sample.ts';
import type { BulkSpec, LoadLevel, WorkloadSpec } from '../../../journal/scenario-record.ts';
import { oneOf, requireFile } from '../../checks.ts';
import { generatedKeys, resolveGenerated, templateOf } from '../../generated-data.ts';
import { type Around, eachRefused, type KindOfLoad, type Written } from '../kind.ts';
import { sizesOf } from '../sizes.ts';

const schema = strict({
  ...generatedKeys,
  module: text
    .optional()
    .describe(
      'a module that yields the requests: export default function* ({ random, token, options }) { yield { path, body } }',
    ),
  options: options.optional().describe('values for module'),
  file: text.optional().describe('a file of JSON lines: requests, or with path their bodies'),
  path: urlPath.optional().describe('where each line of file is posted to'),
  check: strict({
    sql: text.describe('a query of one number, such as SELECT count(*) FROM items'),
    equals: z.int().min(0).optional().describe('what it should be; default as many as were accepted'),
  })
    .transform(withoutUndefined)
    .optional()
    .describe('the count that the database should have after the load'),
  connections: count(10_000).optional().describe('client connections; default 25'),
  inFlight: count(10_000)
    .optional()
    .describe('requests that wait for an answer at most; default as many as connections'),
  retries: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .describe('how often a document that was not accepted is sent again; default 3'),
  backoff: duration.optional().describe('the pause before the first repeat; it doubles with each; default 100ms'),
  update: z
    .boolean()
    .optional()
    .describe('load the data set once unmeasured before, so that the measured load is all updates; default false'),
});

const keys = {
  bulk: schema
    .optional()
    .describe(
      `send a whole data set once a round, each request after those that it needs: one of template, ${folderKey}, module, file`,
    ),
  reads: list(z.enum(builtInWorkloads), builtInWorkloads.length)
    .optional()
    .describe(`workloads that follow a bulk load, on what it has loaded, such as ${usualWorkload.reads}`),
};

type BulkDocument = Written<typeof keys>;
interface Sizes {
  readonly connections?: readonly number[] | undefined;
  readonly warmup?: unknown;
  readonly requests?: unknown;
  readonly module?: unknown;
}

export const bulk = {
  keys,
  takesOver: true,
  fixesSlices: true,
  fillsDatabase: true,
  alone: { reads: 'load.reads follow a load.bulk; expected workload' },
  refuses: {
    ...eachRefused(['rate', 'users'], (key) => `load.${key} does not go with load.bulk: expected connections`),
    ...eachRefused(
      ['workload', 'script'],
      (key) => `load.${key} does not go with load.bulk: expected reads, requests or module`,
    ),
    count: 'load.count does not go with load.bulk',
  },
  followedBy: ['requests', 'module'],
  notLive: 'load.bulk: a database is filled once, so nothing can be switched live in it',
  levels(load: BulkDocument & Sizes, around: Around) {
    checkAround(load, around);
    const spec = bulkSpec(load.bulk ?? {}, around);
    const sizes = sizesOf(load.connections ?? [spec.connections], 'connections', around.problems);
    // It comes first: the reads draw on what it has loaded.
    const first: LoadLevel = { connections: spec.connections, of: 'bulk' };
    const reads = (load.reads ?? []).flatMap((workload) => sizes.map((connections) => ({ connections, workload })));
    const own = ownReads(load) === undefined ? [] : sizes.map((connections) => ({ connections }));
    return { bulk: spec, levels: [first, ...reads, ...own] };
  },
  // Every level names its own; this one the generator falls back on.
  workload: ({ reads }: BulkDocument): WorkloadSpec => ({
    kind: 'built-in',
    workload: reads?.[0] ?? usualWorkload.reads,
  }),
} satisfies KindOfLoad;

/** The key of a user's own requests that follow the load. */
function ownReads({ requests, module }: Sizes): 'requests' | 'module' | undefined {
  if (requests !== undefined) return 'requests';
  return module === undefined ? undefined : 'module';
}

function checkAround(load: BulkDocument & Sizes, { target, problems }: Around): void {
  const { reads, warmup } = load;
  const own = ownReads(load);
  const problem = (key: string, message: string): void => void problems.push({ path: ['load'], key, message });
  if (target.kind === 'url')
    problem(
      'bulk',
      'load.bulk: a url target keeps what was loaded, so its second round would load nothing; use pgsweep bulk-load',
    );
  // A bulk load begins cold; what reads follow it is warmed for.
  if (reads === undefined && own === undefined && warmup !== undefined)
    problem('warmup', 'load.warmup does not go with load.bulk: expected reads, requests or module');
  if (reads !== undefined && own !== undefined) problem(own, `load: expected one of reads, ${own}, not both`);
  if (reads !== undefined && target.kind !== 'service')
    problem(
      'reads',
      `load.reads: these are for ${sampleService.title}; expected requests or module for your own service`,
    );
}

type Asked = z.output<typeof schema>;

/** The defaults of a bulk load, of a sweep and of pgsweep bulk-load alike. */
export const bulkDefaults = { connections: 25, retries: 3, backoffMs: 100, update: false };

/** The bulk load, with its defaults. */
function bulkSpec(asked: Asked, around: Around): BulkSpec {
  const connections = asked.connections ?? bulkDefaults.connections;
  const { check } = asked;
  return {
    dataset: datasetOf(asked, around),
    ...(check !== undefined && { check }),
    connections,
    inFlight: asked.inFlight ?? connections,
    retries: asked.retries ?? bulkDefaults.retries,
    backoffMs: asked.backoff ?? bulkDefaults.backoffMs,
    update: asked.update ?? bulkDefaults.update,
  };
}

function datasetOf(asked: Asked, { origin, problems }: Around): BulkSpec['dataset'] {
  const path = ['load', 'bulk'];
  const kind = oneOf(asked, ['template', folderKey, 'module', 'file'], path, problems);
  const generated = resolveGenerated(kind, asked, { path, origin, problems });
  if (kind !== 'file' && asked.path !== undefined)
    problems.push({ path, key: 'path', message: 'load.bulk.path goes with load.bulk.file' });
  if (kind !== 'module' && asked.options !== undefined)
    problems.push({ path, key: 'options', message: 'load.bulk.options goes with load.bulk.module' });
  if (kind === 'module') {
    const module = resolve(origin.folder, asked.module ?? '');
    requireFile(module, [...path, 'module'], problems);
    return { kind, module, ...(asked.options !== undefined && { options: asked.options }) };
  }
  if (kind === 'file') {
    const file = resolve(origin.folder, asked.file ?? '');
    requireFile(file, [...path, 'file'], problems);
    return { kind, file, ...(asked.path !== undefined && { path: asked.path }) };
  }
  return generated ?? templateOf(asked);
}
