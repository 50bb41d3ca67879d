import { z } from 'zod';
import { count, env, name, onOff, strict, versionLike, withoutUndefined } from '../base/schema-values.ts';
import type { OpenSearchSpec, PostgresSpec } from '../journal/scenario-record.ts';
import { releaseShape } from '../measure/treatment/kinds/release.ts';

const limits = {
  cpus: z.number().positive().optional().describe('CPU time of its container, in CPUs: 1.5'),
  cpuset: z
    .string()
    .regex(/^\d+(-\d+)?(,\d+(-\d+)?)*$/, { error: 'expected CPUs such as "0,2" or "0-3"' })
    .optional()
    .describe('the CPUs of its container, such as "0,2" or "0-3"'),
  memory: z
    .string()
    .regex(/^\d+[bkmg]$/i, { error: 'expected a size such as 512m or 2g' })
    .optional()
    .describe('memory of its container, such as 2g'),
};

/** Its housekeeping is in part a matter of variants. */
export type AskedPostgres = Omit<PostgresSpec, 'housekeeping'> & { readonly housekeeping?: boolean };

export const postgres = strict({
  ...releaseShape,
  housekeeping: onOff
    .optional()
    .describe(
      "Postgres's own housekeeping. off: no autovacuum, and a checkpoint a day; on: Postgres's defaults; default off, and on where a variant sets what decides it",
    ),
  ...limits,
  settings: env.optional().describe('server settings for all arms'),
  port: count(65_535).optional().describe('a fixed port; default a free one'),
}).transform(({ settings = {}, version, ...rest }): AskedPostgres => withoutUndefined({ settings, version, ...rest }));

/** OpenSearch: its settings, or whether it runs. */
export const opensearch = z
  .union(
    [
      z.enum(['on', 'off']),
      z.boolean(),
      strict({
        version: versionLike(/^\d+(\.\d+){0,2}$/, '2.19.6')
          .optional()
          .describe('such as 2.19.6'),
        image: name.optional().describe('the image of its container'),
        ...limits,
        heap: z
          .string()
          .regex(/^\d+[mg]$/i, { error: 'expected a size such as 512m or 1g' })
          .transform((size) => Number.parseInt(size, 10) * (/g$/i.test(size) ? 1024 : 1))
          .optional()
          .describe('the Java heap; default 512m'),
      }),
    ],
    { error: 'expected on, off, or { version, image, cpus, cpuset, memory, heap }' },
  )
  .transform((asked): boolean | OpenSearchSpec => {
    if (typeof asked !== 'object') return asked === 'on' || asked === true;
    const { version, heap: heapMb, ...rest } = asked;
    return withoutUndefined({ version, heapMb, ...rest });
  });
