import { z } from 'zod';
import { count, duration, factorValue, strict, text } from '../../../base/schema-values.ts';
import type { JobSpec } from '../../../journal/job-spec.ts';
import type { LoadLevel } from '../../../journal/load-record.ts';
import type { Variant } from '../../../journal/scenario-record.ts';
import type { Problem } from '../../problem.ts';
import { jobSourceKeys, resolveJobSource } from '../job-source.ts';
import { type Around, eachRefused, type KindOfLoad, type Written } from '../kind.ts';

const LIMIT_MS = 600_000;

const check = strict({
  sql: text.describe('a query'),
  equals: factorValue.describe('its first value; another is a failure'),
});

const schema = strict({
  ...jobSourceKeys,
  timeout: duration.optional().describe('most of one run; default 10m'),
  repeat: count(1000).optional().describe('runs on one copy; their mean counts; default 1'),
  cold: z
    .boolean()
    .optional()
    .describe('empty shared_buffers before (Postgres 17), not the cache of files; default false: read all in'),
  check: check.optional().describe('rows that it must leave'),
});

const keys = {
  job: schema
    .optional()
    .describe('work whose time is judged: one of sql, command; with connections and requests it runs beside them'),
};

type JobDocument = Written<typeof keys> & {
  readonly connections?: readonly number[] | undefined;
};

/** Sources of requests, which a job alone has no use for. */
const sources = ['requests', 'module', 'workload'] as const;

/** A migration, a report, an import: its time on a fresh copy is judged, alone or beside requests, which are judged too. */
export const job = {
  keys,
  takesOver: true,
  fixesSlices: true,
  runsAlone: isAlone,
  isWhole: () => true,
  notLive: 'load.job: each run has its own copy of the database, so nothing can be switched live in it',
  refuses: eachRefused(
    ['rate', 'users', 'count', 'for', 'capacity', 'bulk', 'reads', 'script', 'k6', 'autocannon'],
    (key) => `load.${key} does not go with load.job, which runs alone or beside connections`,
  ),
  levels(load: JobDocument, around: Around) {
    const { job: asked = {} } = load;
    const { origin, problems, target } = around;
    problems.push(...(isAlone(load) ? aloneProblems(load) : besideProblems(load, around)));
    if (target.kind === 'url')
      problems.push({ path: ['load'], key: 'job', message: 'load.job: a url target has no database of the bench' });
    const { sql, command, cold, check: wanted } = asked;
    if (cold === true && (asked.repeat ?? 1) > 1) {
      const message = 'load.job.repeat: only its first run would be cold: leave load.job.cold or repeat out';
      problems.push({ path: ['load', 'job'], key: 'repeat', message });
    }
    const hasSource = sql !== undefined || command !== undefined;
    const spec: JobSpec = {
      ...(hasSource && { source: resolveJobSource(asked, origin.folder, ['load', 'job'], problems) }),
      ...(wanted !== undefined && { check: wanted }),
      ...(cold === true && { cold }),
    };
    const [connections] = load.connections ?? [];
    const level: LoadLevel =
      connections === undefined ? { connections: asked.repeat ?? 1, of: 'job' } : { connections, of: 'beside' };
    return { job: spec, levels: [level] };
  },
  bounds: ({ job: asked }: JobDocument) => ({
    bounded: { count: asked?.repeat ?? 1, limitMs: asked?.timeout ?? LIMIT_MS },
  }),
  mistakes({ load }: { readonly load: JobDocument }, variants: readonly Variant[]): Problem[] {
    const { sql, command } = load.job ?? {};
    const without = variants.find((variant) => variant.job === undefined);
    if (sql !== undefined || command !== undefined || without === undefined) return [];
    const message = `load.job: "${without.name}" has nothing to run: expected sql or command here, or job in each variant`;
    return [{ path: ['load', 'job'], message }];
  },
} satisfies KindOfLoad;

function isAlone({ connections }: JobDocument): boolean {
  return connections === undefined;
}

function aloneProblems(load: JobDocument & Partial<Record<string, unknown>>): Problem[] {
  return sources
    .filter((key) => load[key] !== undefined)
    .map((key) => ({ path: ['load'], key, message: `load.${key} beside load.job: expected connections too` }));
}

function besideProblems({ job: { repeat, cold } = {}, connections }: JobDocument, { target }: Around): Problem[] {
  const problem = (path: string[], key: string, message: string): Problem => ({ path, key, message });
  const inJob = (key: string, why: string): Problem =>
    problem(['load', 'job'], key, `load.job.${key} does not go with load.connections: ${why}`);
  return [
    ...(connections !== undefined && connections.length > 1
      ? [
          problem(
            ['load'],
            'connections',
            'load.connections beside load.job: expected one number, since the job runs once on each copy',
          ),
        ]
      : []),
    ...(target.kind === 'none'
      ? [
          problem(
            ['load'],
            'connections',
            'load.connections beside load.job: expected a target, whose service gets the requests',
          ),
        ]
      : []),
    ...((repeat ?? 1) > 1 ? [inJob('repeat', 'requests are compared beside one run')] : []),
    ...(cold === true ? [inJob('cold', 'the requests read the tables in')] : []),
  ];
}
