import { z } from 'zod';
import { count, duration, list, strict } from '../../../base/schema-values.ts';
import {
  type BulkSpec,
  builtInWorkloads,
  type LoadLevel,
  type WorkloadSpec,
} from '../../../journal/scenario-record.ts';
import { durationOr, oneOf } from '../../checks.ts';
import { generatedKeys, resolveGenerated, templateOf } from '../../generated-data.ts';
import { type Around, eachRefused, type KindOfLoad, type Written } from '../kind.ts';
import { sizesOf } from '../sizes.ts';

const schema = strict({
  ...generatedKeys,
  connections: count(10_000).optional().describe('client connections; default 25'),
  inFlight: count(10_000)
    .optional()
    .describe('requests that wait for an answer at any time, at most; default as many as connections'),
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
  bulk: schema.optional().describe('post a whole data set once a round, in dependency order: one of template, edfi'),
  reads: list(z.enum(builtInWorkloads), builtInWorkloads.length)
    .optional()
    .describe('workloads that follow a bulk load, on what it has loaded, such as get-documents'),
};

type BulkDocument = Written<typeof keys>;
type Sizes = { readonly connections?: number | readonly number[] | undefined; readonly warmup?: unknown };

export const bulk = {
  keys,
  takesOver: true,
  fixesSlices: true,
  fillsDatabase: true,
  alone: { reads: 'load.reads follow a load.bulk; expected workload' },
  refuses: {
    ...eachRefused(['rate', 'users'], (key) => `load.${key} does not go with load.bulk: expected connections`),
    ...eachRefused(
      ['workload', 'requests', 'module', 'script'],
      (key) => `load.${key} does not go with load.bulk: expected reads`,
    ),
    count: 'load.count does not go with load.bulk',
  },
  notLive: 'load.bulk: a database is filled once, so nothing can be switched live in it',
  levels(load: BulkDocument & Sizes, around: Around) {
    checkAround(load, around);
    const spec = bulkSpec(load.bulk ?? {}, around);
    const sizes = sizesOf(load.connections ?? spec.connections, 'connections', around.problems);
    // It comes first: the reads draw on what it has loaded.
    const first: LoadLevel = { connections: spec.connections, of: 'bulk' };
    const reads = (load.reads ?? []).flatMap((workload) => sizes.map((connections) => ({ connections, workload })));
    return { bulk: spec, levels: [first, ...reads] };
  },
  // Every level names its own; this one the generator falls back on.
  workload: ({ reads }: BulkDocument): WorkloadSpec => ({ kind: 'built-in', workload: reads?.[0] ?? 'get-documents' }),
} satisfies KindOfLoad;

function checkAround({ reads, warmup }: BulkDocument & Sizes, { target, problems }: Around): void {
  const problem = (key: string, message: string): void => void problems.push({ path: ['load'], key, message });
  if (target.kind === 'url')
    problem(
      'bulk',
      'load.bulk: a url target keeps what was loaded, so its second round would load nothing; use pgsweep bulk-load',
    );
  // A bulk load begins cold; what reads follow it is warmed for.
  if (reads === undefined && warmup !== undefined)
    problem('warmup', 'load.warmup does not go with load.bulk: expected reads');
  if (reads !== undefined && target.kind !== 'service')
    problem('reads', 'load.reads: these are for the document service');
}

/** The bulk load, with its defaults. */
function bulkSpec(asked: z.output<typeof schema>, { origin, problems }: Around): BulkSpec {
  const connections = asked.connections ?? 25;
  const path = ['load', 'bulk'];
  const kind = oneOf(asked, ['template', 'edfi'], path, problems);
  return {
    dataset: resolveGenerated(kind, asked, { path, origin, problems }) ?? templateOf(asked),
    connections,
    inFlight: asked.inFlight ?? connections,
    retries: asked.retries ?? 3,
    backoffMs: durationOr(asked.backoff, 100),
    update: asked.update ?? false,
  };
}
