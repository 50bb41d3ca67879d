import { z } from 'zod';
import { count, duration, env, list, name, names, strict, withoutUndefined } from '../../base/schema-values.ts';
import { defaultPoolerSize, type PoolerSpec, poolerModes, poolerSettingsOfBench } from '../../journal/link/pooler.ts';
import { sampleService } from '../../journal/sample.ts';
import type { FactorValue, Target, Variant } from '../../journal/scenario-record.ts';
import { readTreatment } from '../../measure/treatment/kinds.ts';
import type { VariantPart } from './part.ts';

const most = count(100_000);

const pgbouncer = strict({
  mode: z
    .enum(poolerModes)
    .optional()
    .describe('what a client has a connection of the database for: session, transaction or statement; default session'),
  size: most
    .optional()
    .describe(`connections of the database for all clients (default_pool_size); default ${defaultPoolerSize}`),
  minSize: most.optional().describe('how many of them are kept open (min_pool_size); default none'),
  reserveSize: most
    .optional()
    .describe('how many more once a client has waited for reserve_pool_timeout (reserve_pool_size); default none'),
  maxClientConn: most.optional().describe("how many clients may connect (max_client_conn); PgBouncer's default is 100"),
  maxPreparedStatements: z
    .int()
    .min(0)
    .max(100_000)
    .optional()
    .describe('named prepared statements that it keeps for each connection of the database (PgBouncer 1.21 and later)'),
  queryWaitTimeout: duration
    .optional()
    .describe("how long a query may wait for a connection (query_wait_timeout); PgBouncer's default is 120s"),
  ignoreStartupParameters: names
    .optional()
    .describe(
      'parameters of a connection that are dropped, such as extra_float_digits; else it refuses what it does not know',
    ),
  connectQuery: name
    .optional()
    .describe('SQL that is run on each new connection of the database, such as SET jit = off'),
  image: name
    .optional()
    .describe(
      'the image of a container that it runs in, which has a program pgbouncer; default a program of this machine',
    ),
  settings: env.optional().describe("all else of pgbouncer.ini, by PgBouncer's names, such as server_idle_timeout: 60"),
});

const schema = z
  .union(
    [
      z.enum(['off']),
      z.literal(false),
      strict({ pgbouncer: pgbouncer.describe('settings of PgBouncer: each arm has its own') }),
    ],
    {
      error: 'expected off, or { pgbouncer: { mode, size } }',
    },
  )
  .describe('what pools the connections between the service and Postgres; off: nothing');
type Written = z.output<typeof schema>;

const modeLevel = z.enum([...poolerModes, 'off']);

/** The pooler of connections between services and their database. */
export const pooler = {
  schema,
  forAllIn: 'stack',
  factors: {
    poolerSize: {
      schema: list(most),
      at: ['pgbouncer', 'size'],
      written: (level: FactorValue): Written => ({ pgbouncer: { size: Number(level) } }),
    },
    poolerMode: {
      schema: list(modeLevel),
      at: ['pgbouncer', 'mode'],
      written(level: FactorValue): Written {
        const mode = modeLevel.parse(level);
        return mode === 'off' ? mode : { pgbouncer: { mode } };
      },
    },
  },
  needsPostgres: true,
  notLive: 'the connections of a running service go through the pooler that they were opened through',
  resolve: (layers: readonly Written[]) => resolvePooler(layers),
  mistake: mistakeIn,
  complete: withSessionsOfSample,
} satisfies VariantPart<'pooler', typeof schema>;

/** Off wins: in a grid the levels of a size stand beside it. */
function resolvePooler(layers: readonly Written[]): PoolerSpec | undefined {
  const asked = layers.flatMap((layer) => (typeof layer === 'object' ? [layer.pgbouncer] : []));
  if (asked.length === 0 || asked.length < layers.length) return undefined;
  let written: z.output<typeof pgbouncer> = {};
  for (const layer of asked) written = { ...written, ...layer, settings: { ...written.settings, ...layer.settings } };
  const { mode, size, queryWaitTimeout, ignoreStartupParameters, settings = {}, ...rest } = written;
  return withoutUndefined({
    kind: 'pgbouncer',
    mode: mode ?? 'session',
    size: size ?? defaultPoolerSize,
    queryWaitTimeoutMs: queryWaitTimeout,
    ignoreStartupParameters,
    settings,
    ...rest,
  }) as PoolerSpec;
}

function mistakeIn({
  size,
  minSize = 0,
  ignoreStartupParameters = [],
  connectQuery = '',
  settings,
}: PoolerSpec): string | null {
  if (minSize > size) return `minSize ${minSize} is more than size ${size}`;
  for (const [setting, value] of Object.entries(settings)) {
    if (!/^[a-z][a-z0-9_]*$/.test(setting)) return `"${setting}" is no name of a setting of PgBouncer`;
    const why = poolerSettingsOfBench[setting];
    if (why !== undefined) return `the setting ${setting} cannot be given: ${why}`;
    if (isSeveralLines(value)) return `the value of ${setting} has more than one line`;
  }
  const odd = ignoreStartupParameters.find((parameter) => !/^[A-Za-z_][\w.]*$/.test(parameter));
  if (odd !== undefined) return `"${odd}" is no name of a parameter`;
  return isSeveralLines(connectQuery) ? 'connectQuery has more than one line' : null;
}

function isSeveralLines(value: string): boolean {
  return /[\r\n\0]/.test(value);
}

/**
 * The sample service gives settings of its sessions when it connects, which PgBouncer does not hand on: the variant's
 * database has them instead. What PgBouncer sets itself (connect_query) is gone once it has reset a session.
 */
function withSessionsOfSample(variant: Variant, { kind }: Target): Variant {
  const { pooler, treatment } = variant;
  const { treatment: ofSample } = readTreatment({ settings: sampleService.sessionSettings });
  if (kind !== 'service' || pooler === undefined || ofSample === undefined) return variant;
  const settings = { ...ofSample.settings, ...treatment?.settings };
  const ignoreStartupParameters = [...new Set(['options', ...(pooler.ignoreStartupParameters ?? [])])];
  return {
    ...variant,
    treatment: { ...ofSample, ...treatment, settings },
    pooler: { ...pooler, ignoreStartupParameters },
  };
}
