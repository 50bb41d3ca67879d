import { readFileSync } from 'node:fs';
import { starterScenario } from '../../src/cli/init/starter-scenario.ts';

/** What the scenarios of the repository leave out: together with them they have every key. */
const others = [
  `title: A command with everything
x-common: &common { A: b }
target:
  command: node items.mjs
  cwd: .
  env: { <<: *common }
  ready: /health
  readyTimeout: 30s
  stopTimeout: 10s
  portVariable: PORT
  databaseUrlVariable: DATABASE_URL
  login: { method: POST, path: /login, headers: { A: b }, body: { user: bench }, token: data.token }
  pool: POOL_MAX
  metrics: { path: /metrics, include: ['hits{code="500"}'] }
dataset: { command: npm run migrate }
variants:
  A:
    env: { POOL_MAX: 4 }
    settings: { work_mem: 8MB }
    postgres: { version: "17", image: "postgres:17", stack: docker }
    dropIndex: [a]
    hideIndex: b
    createIndex: CREATE INDEX c ON d (e)
    sql: { apply: SELECT 1, undo: SELECT 2 }
    command: node items.mjs
    cwd: .
  B: {}
control: B
load:
  connections: [1, 4]
  slice: 2s
  turn: 500ms
  drop: 50ms
  warmup: 1s
  timeout: 5s
  maxFailedRate: 1%
  transactionsPerRequest: 1
  uniqueFrom: 7
  requests:
    - { name: list, path: "/items?limit=10", headers: { Authorization: "Bearer \${token}" }, weight: 4, expect: [200, 404] }
    - { method: POST, path: /items, body: { id: "\${unique}" } }
    - { path: /graphql, graphql: { query: "query item { item { id } }", variables: { id: 7 } } }
    - { path: /items/7, expect: { status: [200], json: { $.error: absent, $.id: 7 }, text: item } }
rounds: { min: 4, max: 8, budget: 10m, restart: server }
probes: { processes: off, backend-bytes: off, network: off, pressure: off, plans: off, table-use: off, postgres-io: off, postgres-log: off, pg-stat-database: off, pg-stat-monitor: off, pg-stat-statements: off, service-metrics: off, wait-events: off, opensearch: off }
margin: 5%
question: best
judge: p99_ms
stack:
  postgres: { version: "17", image: "postgres:17", housekeeping: on, port: 54321, cpus: 1.5, cpuset: "0", memory: 1g, settings: { work_mem: 8MB } }
  opensearch: { version: 2.19.6, image: opensearchproject/opensearch, cpus: 1, cpuset: "1", memory: 2g, heap: 512m }
`,
  `title: A space of every kind
target: { command: node items.mjs }
tune:
  pool: { env: POOL_MAX, range: [1, 100] }
  memory: { setting: work_mem, range: [1MB, 256MB] }
  jit: { setting: jit, levels: [on, off] }
  index: { hideIndex: ix_items_owner }
control: { pool: 10, memory: 4MB }
keep: { p99_ms: 200, failed: 1% }
load: { connections: 4, requests: [{ path: / }] }
`,
  `title: A space that is switched live
target: { command: node items.mjs }
tune:
  jit: { live: { setting: jit }, levels: [on, off] }
  index: { live: { hideIndex: ix_items_owner } }
control: { jit: on }
load: { connections: 4, requests: [{ path: / }] }
`,
  `title: Services that already run
target: { url: "http://127.0.0.1:3000", ready: /health, login: { path: /login, cookie: sid } }
variants: { A: {}, B: { url: "http://127.0.0.1:3001" } }
control: A
load: { connections: 1, module: ../workload.mjs, options: { items: 7 } }
probes: { all: off }
`,
  `title: Factors that are switched live
target: { command: node server.js }
sweep:
  pool:
    live:
      request: { method: PUT, path: /admin/pool, headers: { A: b }, body: { max: "\${level}" } }
      verify: { path: /admin/pool, expect: { max: "\${level}" } }
    levels: [10, 25]
  commit: { live: { setting: synchronous_commit }, levels: [on, off] }
  index: { live: { hideIndex: ix_items_name }, levels: [shown, hidden] }
  mode:
    live: { sql: "UPDATE flags SET value = '\${level}'", reconnect: true, verify: { sql: SELECT value FROM flags, expect: "\${level}" } }
    levels: [a, b]
control: { pool: 10, commit: on, index: shown, mode: a }
load: { connections: 25, settle: 100ms, requests: [{ path: / }] }
`,
  `title: Variants that are switched live
target: { command: node server.js }
variants:
  Safe: { live: { sql: [SELECT 0] } }
  Quick: { live: { settings: { synchronous_commit: off }, hideIndex: [a], sql: [SELECT 1] } }
control: Safe
load: { connections: 25, requests: [{ path: / }] }
`,
  `title: A bulk load with everything
target: { service: documents, env: { A: b } }
sweep:
  pool: { env: POOL_MAX, levels: [1, 4] }
  memory: { setting: work_mem, levels: [4MB, 8MB] }
control: { pool: 1, memory: 4MB }
load:
  bulk: { template: southridge, documents: 2000, seed: 1, connections: 25, inFlight: 50, retries: 3, backoff: 100ms, update: true }
  reads: [get-documents]
  connections: 25
`,
  `title: A file of requests
target: { command: node server.js }
dataset: { sql: schema.sql }
variants: { A: {}, B: { env: { POOL_MAX: 4 } } }
control: A
load:
  bulk: { file: ../../../docs/examples/items/items.ndjson, path: /items, check: { sql: SELECT count(*) FROM items, equals: 10 } }
  requests: [{ path: '/items/\${loaded}' }]
  connections: 5
`,
  `title: Jobs of variants
dataset: { sql: mistaken.sql }
variants:
  A: {}
  B: { job: { command: node import.js, cwd: . } }
control: A
load: { job: { sql: mistaken.sql, timeout: 5m, repeat: 3, cold: false, check: { sql: SELECT count(*) FROM items, equals: 7 } } }
`,
  `title: Ed-Fi XML
target: { service: documents }
variants: { A: {}, B: { env: { POOL_MAX: 4 } } }
control: A
load: { bulk: { edfi: ../edfi } }
`,
  `title: Reads of Ed-Fi XML
target: { service: documents }
dataset: { edfi: ../edfi }
variants: { A: {}, B: { env: { POOL_MAX: 4 } } }
control: A
load: { connections: 25, workload: get-documents }
`,
  `title: Users
target: { command: node server.js, login: { path: /login, token: data.token } }
variants: { A: {}, B: { env: { POOL_MAX: 4 } } }
control: A
load:
  users: [5, 8]
  for: 10s
  sessions: new
  think: { exponential: 200ms }
  data: ../../../docs/examples/items/users.csv
  script:
    - { name: log in, method: POST, path: /login, body: { email: "\${data email}" }, once: true, think: none }
    - { name: list, path: /items, headers: { Authorization: "Bearer \${token}" }, capture: { id: "json $[0].id" }, think: 1s }
    - choose:
        - { weight: 3, name: look, path: "/items/\${captured id}", expect: [200, 404] }
        - { steps: [{ path: /items, think: { from: 100ms, to: 300ms } }, { path: / }] }
`,
  `title: A dump, and a database of its own
target: { command: node server.js }
dataset: { dump: mistaken.sql }
variants:
  A: { factors: { database: Postgres } }
  B: { factors: { database: another }, database: none, reset: npm run reset }
control: A
cost: { A: 2, B: 1 }
load: { connections: 1, requests: [{ path: /, capture: { id: "json $.id" } }, { path: "/\${captured id}" }] }
`,
  `title: Several services
dataset: { sql: ../../../docs/examples/items/schema.sql, singleTransaction: true }
target:
  services:
    api:
      command: node api.mjs
      cwd: .
      env: { DB_MAX: 5 }
      ready: /health
      readyTimeout: 20s
      stopTimeout: 5s
      portVariable: HTTP_PORT
      databaseUrlVariable: PG_URL
    worker: { command: node worker.mjs, after: [api] }
    proxy: { command: node proxy.mjs, ready: /health }
  underLoad: proxy
  env: { A: b }
  pool: DB_MAX
variants: { A: {}, B: { services: { api: { command: node next.mjs, cwd: ., env: { DB_MAX: 4 } } } } }
control: A
load: { connections: 1, requests: [{ path: / }] }
`,
  `title: Rates
target: { command: node server.js }
variants: { A: {}, B: { env: { POOL_MAX: 4 } } }
control: A
load: { rate: [200, 400], arrivals: constant, inFlight: 800, requests: [{ path: / }] }
`,
  `title: So many requests and no more
target: { command: node server.js }
variants: { A: {}, B: { env: { POOL_MAX: 4 } } }
control: A
load: { connections: [10, 30], count: 900, limit: 2m, requests: [{ path: / }] }
`,
  `title: A script of k6
target: { command: node server.js, login: { path: /login, token: data.token } }
variants: { A: {}, B: { env: { POOL_MAX: 4 } } }
control: A
load:
  k6: { script: ../../../docs/examples/items/load.k6.js, exec: browse, env: { TENANT: seven }, urlVariable: TARGET, tokenVariable: KEY }
  rate: [50, 100]
  inFlight: 200
`,
  `title: Connections of autocannon
target: { command: node server.js }
variants: { A: {}, B: { env: { POOL_MAX: 4 } } }
control: A
load: { autocannon: { pipelining: 2, workers: 2 }, connections: [10, 30], requests: [{ path: / }] }
`,
  `title: How much each bears
target: { command: node server.js }
variants: { A: {}, B: { env: { POOL_MAX: 4 } } }
control: A
load: { capacity: { rate: 50..2000, until: { p95_ms: 200, failed: 1%, service_cpu: 85% } }, arrivals: poisson, requests: [{ path: / }] }
`,
  `title: How many connections each bears
target: { command: node server.js }
variants: { A: {}, B: { env: { POOL_MAX: 4 } } }
control: A
load: { capacity: { connections: 10..2000, until: { p95_ms: 200ms } }, requests: [{ path: / }] }
`,
  `title: PgBouncer in all its keys
target: { command: node server.js }
variants:
  direct: { pooler: off }
  pooled:
    pooler:
      pgbouncer:
        mode: transaction
        size: 5
        minSize: 1
        reserveSize: 2
        maxClientConn: 400
        maxPreparedStatements: 100
        queryWaitTimeout: 5s
        ignoreStartupParameters: [extra_float_digits, statement_timeout]
        connectQuery: SET jit = off
        image: edoburu/pgbouncer
        settings: { server_idle_timeout: 60 }
control: direct
load: { connections: 10, requests: [{ path: / }] }
`,
  `title: Distance and instances
target: { command: node server.js, instances: 2 }
variants:
  near: {}
  far: { distance: { rtt: 1ms, jitter: 100us, bandwidth: 100mbit } }
  many: { instances: 4 }
control: near
stack: { distance: { bandwidth: 1gbit } }
load: { connections: 10, requests: [{ path: / }] }
`,
  `title: My branch against main
against: { ref: main, tip: true, carry: items.mjs, prepare: npm run build, own: [dataset] }
target: { command: node server.js }
dataset: { sql: ../../../docs/examples/items/schema.sql }
load: { connections: 10, requests: [{ path: / }] }
rounds: { budget: 10m, settleWithin: 20m }
`,
  `title: Connections of PgBouncer
target: { command: node server.js }
sweep: { bouncer: { poolerSize: [5, 20] } }
control: { bouncer: 5 }
load: { connections: 10, requests: [{ path: / }] }
`,
];

/** Scenarios that are right, and together have every key of the language. */
export const scenarioSources: readonly string[] = [
  ...[
    'index-and-lock',
    'pool-size',
    'pool-size-live',
    'search-indexing',
    'pool-size-with-search',
    'docker-overhead',
    'pgbouncer',
  ].map((name) => readFileSync(new URL(`../../scenarios/${name}.yaml`, import.meta.url), 'utf8')),
  readFileSync(new URL('../fixtures/services/items.yaml', import.meta.url), 'utf8'),
  starterScenario,
  ...others,
];
