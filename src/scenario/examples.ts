import { isObject } from '../base/json-path.ts';
import { folderKey, usualWorkload } from '../journal/sample.ts';

/** Part of a JSON Schema, as far as examples need it. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema | readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly examples?: readonly unknown[];
}

/**
 * Examples of values by key, or by `ABOVE.KEY`; a key that takes several types has one for each. `KEY.*` stands for any name below
 * the key, or any place in its list.
 */
const examplesByKey: Readonly<Record<string, readonly unknown[]>> = {
  title: ['Which pool size?'],
  target: [{ command: 'node server.mjs' }],
  command: ['node server.mjs'],
  cwd: ['../other-branch'],
  portVariable: ['PORT'],
  databaseUrlVariable: ['DATABASE_URL'],
  services: [{ api: { command: 'node api.mjs' } }],
  'services.*': [{ command: 'node api.mjs' }],
  after: [['api']],
  underLoad: ['api'],
  url: ['http://127.0.0.1:3000'],
  env: [{ POOL_MAX: 10 }, 'POOL_MAX'],
  ready: ['/health'],
  reset: ['npm run reset'],
  login: [{ path: '/login', body: { user: 'ann' }, token: '$.token' }],
  token: ['$.token'],
  cookie: ['sid'],
  headers: [{ accept: 'text/html' }],
  'headers.*': ['text/html'],
  pool: ['DB_POOL_SIZE'],
  metrics: [{ include: ['go_goroutines'] }],
  include: [['go_goroutines']],
  dataset: [{ sql: 'schema.sql' }],
  [folderKey]: [`data/${folderKey}`],
  sql: ['ANALYZE items'],
  'dataset.sql': ['schema.sql'],
  dump: ['backup.dump'],
  role: ['app_user'],
  sweep: [{ pool: { env: 'POOL_MAX', levels: [10, 20] } }],
  'sweep.*': [{ env: 'POOL_MAX', levels: [10, 20] }],
  tune: [{ pool: { env: 'POOL_MAX', range: [1, 100] } }],
  'tune.*': [{ env: 'POOL_MAX', range: [1, 100] }],
  keep: [{ p99_ms: 200, failed: '1%' }],
  range: [[1, 100]],
  setting: ['work_mem'],
  levels: [[10, 20]],
  live: [{ request: { path: '/pool' } }],
  request: [{ path: '/pool' }],
  verify: [{ sql: 'SHOW work_mem', expect: '64MB' }],
  rtt: [['0', '1ms'], '1ms'],
  jitter: [['0', '1ms'], '1ms'],
  bandwidth: [['100mbit', '1gbit'], '100mbit'],
  poolerSize: [[10, 20]],
  poolerMode: [['session', 'transaction']],
  instances: [[1, 2], 2],
  variants: [{ small: { env: { POOL_MAX: 10 } }, large: { env: { POOL_MAX: 50 } } }],
  'variants.*': [{ env: { POOL_MAX: 10 } }],
  postgres: [{ version: 17 }],
  image: ['postgres:17'],
  settings: [{ work_mem: '64MB' }],
  dropIndex: ['items_name_idx'],
  hideIndex: ['items_name_idx'],
  createIndex: ['CREATE INDEX items_name_idx ON items (name)'],
  against: ['main', ['main'], { ref: 'main' }],
  ref: ['main'],
  carry: ['.env'],
  prepare: ['npm run build'],
  own: [['dataset']],
  apply: ['ALTER SYSTEM SET jit = off; SELECT pg_reload_conf()'],
  undo: ['ALTER SYSTEM RESET jit; SELECT pg_reload_conf()'],
  distance: [{ rtt: '1ms' }],
  pooler: [{ pgbouncer: { size: 20 } }],
  pgbouncer: [{ size: 20 }],
  ignoreStartupParameters: ['extra_float_digits'],
  connectQuery: ['SET jit = off'],
  factors: [{ release: 'v2' }],
  control: [{ pool: 10 }],
  load: [{ connections: 25, requests: [{ path: '/items' }] }],
  requests: [[{ path: '/items' }]],
  'requests.*': [{ path: '/items' }],
  path: ['/items'],
  file: ['documents.ndjson'],
  check: [{ sql: 'SELECT count(*) FROM items' }],
  graphql: [{ query: '{ items { id } }' }],
  query: ['{ items { id } }'],
  variables: [{ first: 10 }],
  expect: [[200, 201]],
  status: [[200, 201]],
  json: [{ '$.id': 'present' }],
  text: ['done'],
  capture: [{ id: 'json $.id' }],
  'capture.*': ['json $.id'],
  module: ['./requests.ts'],
  options: [{ items: 1000 }],
  bulk: [{ documents: 1000 }],
  job: [{ sql: 'report.sql' }],
  reads: [[usualWorkload.reads]],
  connections: [[1, 25], '10..2000'],
  rate: [[100, 400], '50..5000'],
  users: [[10, 100], '10..2000'],
  capacity: [{ connections: '10..2000', until: { p95_ms: 200 } }],
  until: [{ p95_ms: 200 }],
  script: [[{ path: '/items' }], 'load.k6.js'],
  'script.*': [{ path: '/items' }],
  choose: [[{ path: '/items' }]],
  'choose.*': [{ path: '/items' }],
  steps: [[{ path: '/items' }]],
  'steps.*': [{ path: '/items' }],
  data: ['users.csv'],
  think: [{ exponential: '2s' }],
  k6: ['load.k6.js'],
  exec: ['browse'],
  urlVariable: ['BASE_URL'],
  tokenVariable: ['TOKEN'],
  autocannon: [{ pipelining: 2 }],
  rounds: [{ budget: '10m' }],
  probes: [{ plans: 'off' }],
  cost: [{ small: 1, large: 2.5 }],
  stack: [{ postgres: { version: 17 } }],
  cpuset: ['0,2'],
  memory: ['2g'],
  heap: ['512m'],
  opensearch: [{ version: '2.19.6' }],
};

/** The schema with the examples of its keys, for editors and for messages. */
export function withExamples<Schema extends JsonSchema>(schema: Schema): Schema {
  return exampled(schema, '', '') as Schema;
}

function exampled(schema: JsonSchema, key: string, above: string): JsonSchema {
  const { properties, additionalProperties, items, anyOf } = schema;
  const below = key.endsWith('.*') ? '' : `${key}.*`;
  const known = examplesByKey[`${above}.${key}`] ?? examplesByKey[key] ?? [];
  const examples = known.filter((example) => fits(schema, example)).slice(0, 1);
  return {
    ...schema,
    ...(properties !== undefined && { properties: mapped(properties, (value, name) => exampled(value, name, key)) }),
    ...(isObject(additionalProperties) && { additionalProperties: exampled(additionalProperties, below, key) }),
    ...(isObject(items) && { items: exampled(items, below, key) }),
    // The members keep examples of their keys; the union has those of the value.
    ...(anyOf !== undefined && { anyOf: anyOf.map((member) => withoutOwn(exampled(member, key, above))) }),
    ...(examples.length > 0 && { examples }),
  };
}

function withoutOwn({ examples: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

function mapped<T>(map: Readonly<Record<string, T>>, each: (value: T, key: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, each(value, key)]));
}

/** True if an example is of a type that the schema allows. */
function fits({ type, anyOf }: JsonSchema, example: unknown): boolean {
  if (anyOf !== undefined) return anyOf.some((member) => fits(member, example));
  const own = Array.isArray(example) ? 'array' : typeof example;
  return [type ?? []].flat().some((one) => one === own || (one === 'integer' && own === 'number'));
}
