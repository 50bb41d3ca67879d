import { z } from 'zod';
import {
  BODY,
  budget,
  count,
  duration,
  env,
  factorValue,
  httpUrl,
  list,
  name,
  nameOf,
  onOff,
  percent,
  sentPath,
  strict,
  text,
  urlPath,
} from '../base/schema-values.ts';
import { folderKey, sampleService } from '../journal/sample.ts';
import { probeNames } from '../measure/probe/registry.ts';
import { treatmentShape } from '../measure/treatment/kinds.ts';
import { type JsonSchema, withExamples } from './examples.ts';
import { generatedKeys } from './generated-data.ts';
import { variantJob } from './load/job-source.ts';
import { cost, judge, keep, load } from './load-schema.ts';
import { against } from './resolve-against.ts';
import { opensearch, postgres } from './stack-schema.ts';
import { tune, type WrittenTune } from './tune/resolve-tune.ts';
import { partFactorShape, partShape, partShapeIn } from './variant-parts/parts.ts';

const metrics = strict({
  path: urlPath.optional().describe('where the service shows its metrics; default /metrics'),
  include: list(
    z
      .string()
      .regex(/^([a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_][a-zA-Z0-9_]*="[^"\\]*",?)*\})?|[a-zA-Z_:*][a-zA-Z0-9_:*]*)$/, {
        error:
          'expected the name of a metric such as go_goroutines, name{label="value"}, or store_* for all of that kind',
      }),
  )
    .optional()
    .describe(
      'metrics besides the usual ones of Node.js, Go and the JVM, such as go_goroutines or hits{code="500"}; store_* is all that begin so, * whatever is shown',
    ),
}).transform(({ path = '/metrics', include = [] }) => ({ path, include }));

const login = strict({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH']).optional().describe('default POST'),
  path: sentPath.describe('path and query'),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.json().optional().describe(`${BODY}; secrets by \${env NAME} or \${file PATH}`),
  token: text
    .optional()
    .describe('where the token stands in the JSON of the answer, such as $.data.token or access_token'),
  cookie: text.optional().describe('the cookie of the answer whose value is the token, such as sid'),
});

const startedProcess = {
  command: text.optional().describe('how to start your own service; run in the folder of this file'),
  cwd: z.string().optional().describe('where the command runs, from the folder of this file'),
  readyTimeout: duration
    .optional()
    .describe('how long the service may take to get ready when it starts alone; default 30s'),
  stopTimeout: duration.optional().describe('how long it may take to end after SIGTERM; default 10s'),
  portVariable: z.string().optional().describe('the variable that names the port to listen on; default PORT'),
  databaseUrlVariable: z.string().optional().describe('the variable that names the database; default DATABASE_URL'),
};

/** One of several services. */
const oneOfServices = strict({
  ...startedProcess,
  command: text.describe('how to start it; run in the folder of this file'),
  env: env.optional().describe('environment of this service'),
  ready: urlPath.optional().describe('the path that answers 2xx once it is ready; default: ready as soon as it runs'),
  after: list(name).optional().describe('services that have to be ready before it starts; default as listed'),
});

const target = strict({
  service: z.literal(sampleService.service).optional().describe(`${sampleService.title} that comes with the bench`),
  ...startedProcess,
  services: z
    .record(z.string(), oneOfServices)
    .meta({ minProperties: 1 })
    .optional()
    .describe('several services by name, started in this order; each knows the others by API_URL and API_PORT'),
  underLoad: name.optional().describe('which of the services gets the load; default the only one that has ready'),
  url: httpUrl.optional().describe('a service that already runs; nothing is started or reset'),
  env: env.optional().describe('environment for every variant, and for all services'),
  ready: urlPath
    .optional()
    .describe('the path that answers 2xx once the service is ready; default /health, and for a url any answer at all'),
  ...partShapeIn('target'),
  database: z
    .literal('none')
    .optional()
    .describe('none: the service has its own database, or needs none; nothing is copied for it'),
  reset: text.optional().describe("a command that puts the service's own data back, run before each start of an arm"),
  login: login
    .optional()
    .describe('a request that is sent once to each arm when it is ready; ${token} in load.requests is what it fetched'),
  pool: text
    .optional()
    .describe(
      "the environment variable that holds the size of the service's connection pool, such as DB_POOL_SIZE; default: the variable of the factor named pool",
    ),
  metrics: metrics.optional().describe("the service's own metrics, in the text format of Prometheus"),
});

const dataset = strict({
  ...generatedKeys,
  sql: z
    .union([z.string(), list(z.string())], { error: 'expected a file or a list of files' })
    .optional()
    .describe('SQL files that create and fill the tables of your service, each run as psql runs it'),
  singleTransaction: z
    .boolean()
    .optional()
    .describe('whether each SQL file is one transaction, as with psql --single-transaction; default false'),
  dump: text
    .optional()
    .describe('what pg_dump has written, in any of its formats: a file, gzipped or not, or a folder'),
  command: text
    .optional()
    .describe('a command that makes and fills the tables, such as npm run migrate; it gets DATABASE_URL'),
  role: text
    .max(63)
    .optional()
    .describe(
      'an ordinary role of the service, made where missing; it owns the tables, or has what the files grant it; default: the superuser',
    ),
}).meta({ minProperties: 1 });

const factor = strict({
  env: text.optional().describe('the environment variable that this factor sets'),
  setting: text.optional().describe('the Postgres setting that this factor sets'),
  levels: list(factorValue).optional().describe('its values; every combination with the other factors is a variant'),
  ...partFactorShape,
});

const variant = strict({
  env: env.optional().describe('environment of the service in this variant'),
  ...treatmentShape,
  ...partShape,
  command: text.optional().describe('another command for this variant, such as another release'),
  cwd: z
    .string()
    .optional()
    .describe('another folder for this variant, such as a checkout of another branch; from the folder of this file'),
  services: z
    .record(
      z.string(),
      strict({
        command: text.optional().describe('another command for this service'),
        cwd: z.string().optional().describe('another folder for this service; from the folder of this file'),
        env: env.optional().describe('environment of this service alone'),
      }),
    )
    .optional()
    .describe('what is another in some of several services, by name'),
  url: httpUrl.optional().describe('another running service for this variant'),
  database: z
    .literal('none')
    .optional()
    .describe('none: in this variant the service has its own database, such as MySQL or Redis, or needs none'),
  reset: text.optional().describe("a command that puts this variant's own data back, run before each start of an arm"),
  job: variantJob,
  factors: z
    .record(z.string(), factorValue)
    .optional()
    .describe(
      'what this variant stands for, such as { release: v2, database: mariadb }: two of them make a two-way table',
    ),
});

const rounds = strict({
  min: count(1000)
    .optional()
    .describe('fewest rounds before an early stop; default 4, under which there is no verdict'),
  max: count(1000).optional().describe('most rounds; default 40, the last with an early stop'),
  budget: budget.optional().describe('time limit of a session; a resumed run has it again; default 10m'),
  settleWithin: budget.optional().describe('longer limit while more rounds should settle what is open'),
  restart: z
    .enum(['service', 'server'])
    .optional()
    .describe('what is started fresh in every round: the service, or also a Postgres for each arm; default service'),
});

/** Those that are off. */
const probes = strict(Object.fromEntries(['all', ...probeNames].map((name) => [name, onOff.optional()]))).transform(
  (asked): 'all' | string[] =>
    asked.all === false ? 'all' : Object.keys(asked).filter((name) => asked[name] === false),
);

export const scenarioSchema = strict({
  title: text.optional().describe("the question, as a headline of the report; default the file's name"),
  target: target.describe('the service under test: one of service, command, services, url; none for a job alone'),
  dataset: dataset.optional().describe(`data before load starts: one of template, ${folderKey}, sql, dump, command`),
  sweep: z
    .record(z.string(), factor)
    .meta({ minProperties: 1 })
    .optional()
    .describe('a grid of factors; every combination is a variant'),
  tune: tune.optional(),
  keep: keep.optional(),
  against: against.optional(),
  variants: z
    .record(
      z.string(),
      variant.nullable().transform((written): z.output<typeof variant> => written ?? {}),
    )
    .meta({ minProperties: 1 })
    .optional()
    .describe('named variants, each compared with the control'),
  control: z
    .union([nameOf, z.record(z.string(), factorValue)], {
      error: 'expected the name of a variant, or a level for each factor',
    })
    .describe('what the others are compared with: a variant by name, or a level of each factor'),
  load: load.describe('connections, and what they send: one of requests, module, workload; or a bulk load, or a job'),
  rounds: rounds.optional().describe('how many rounds, and how long they may take'),
  probes: probes
    .optional()
    .describe('samples beside the load, to explain a delta; each is on, and off by its name, or all of them'),
  question: z
    .enum(['best', 'changes'])
    .optional()
    .describe(
      'what ends a run. best: it is decided which setting to take; changes: each change has its verdict; default best for a grid (sweep), else changes',
    ),
  judge: judge.optional(),
  cost: cost.optional(),
  margin: percent
    .optional()
    .describe('differences within this count as the same (20%: -16.7 to +20 %); default 5%, of work per request 1%'),
  stack: strict({
    postgres: postgres.optional().describe('the Postgres of all arms'),
    ...partShapeIn('stack'),
    opensearch: opensearch
      .optional()
      .describe(
        'whether OpenSearch runs too; the service gets OPENSEARCH_URL and OPENSEARCH_INDEX_PREFIX; default off',
      ),
  })
    .optional()
    .describe('the servers beside the service'),
});

/** A scenario as written, and one whose space names its factors. */
export type WrittenScenario = z.infer<typeof scenarioSchema>;
export type ScenarioDocument = Omit<WrittenScenario, 'tune'> & { readonly tune?: WrittenTune | undefined };

/** Keys that say what varies: a grid, variants or a space to search, each with a control; or commits, also with the first two. */
const whatVaries = [
  {
    anyOf: [...['sweep', 'variants', 'tune'].map((key) => ({ required: [key, 'control'] })), { required: ['against'] }],
  },
  ...[['sweep', 'variants'], ...['sweep', 'variants', 'against'].map((key) => ['tune', key])].map((required) => ({
    not: { required },
  })),
];

/** The JSON Schema of the scenario language, for editors. */
export function scenarioJsonSchema(): object {
  const { $schema, required, ...schema } = z.toJSONSchema(scenarioSchema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
  });
  return {
    $schema,
    title: 'pgsweep scenario',
    ...withExamples(schema as JsonSchema),
    // A job needs no target, and commits alone need no control.
    required: required?.filter((key) => key !== 'target' && key !== 'control'),
    allOf: whatVaries,
    patternProperties: { '^x-': {} },
  };
}
