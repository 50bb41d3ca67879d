import { DATASET_LINE } from '../../scenario/import/write.ts';

/** Scenario that `pgsweep init` writes. Each commented line shows a default or an alternative. */
export const starterScenario = `# A pgsweep scenario: what varies, against which control, under which load, for how long.
# Paths are taken from the folder of this file. Check it with: pgsweep plan FILE --check
title: Which pool size suits my service? # default: the file's name

# Your service is started once per variant and round, on a free port and a fresh copy of the database, and ends on SIGTERM.
target:
  command: node server.js # gets PORT and DATABASE_URL, and the variant's environment
  ready: /health # the path that answers 2xx once it is ready
  # cwd: ..
  # env: { LOG_LEVEL: error }
  # portVariable: PORT
  # databaseUrlVariable: DATABASE_URL
  # pool: POOL_MAX # the variable of its pool's size, where no factor is named pool

# What is in the database before load starts. Loaded once; every arm gets a copy. Leave it out for an empty database.
${DATASET_LINE}
# dataset: { command: npm run migrate } # gets DATABASE_URL
#   role: app # an ordinary role for the service; without it DATABASE_URL is a superuser's, and row-level security does not apply

# A grid: every combination is a variant. Or name the variants:
#   variants:
#     Control: {}
#     Pool 25: { env: { POOL_MAX: 25 } }
#     New release: { cwd: ../service-next }
#     Without an index: { dropIndex: ix_items_name } # or hideIndex, createIndex, sql
#     Commit async: { settings: { synchronous_commit: off } } # shared_buffers and the like: each arm gets its own server
#   control: Control
sweep:
  pool: { env: POOL_MAX, levels: [10, 20, 40] }
control: { pool: 10 }

load:
  connections: [1, 25] # load levels: variants are compared within each
  requests:
    - { path: /items?limit=10, weight: 4 }
    - name: create item
      method: POST
      path: /items
      body: { id: "\${unique}", name: "item \${integer 1 1000}", colour: "\${pick red green blue}" }
  # module: ./requests.js # instead of requests: export default ({ random, unique }) => () => ({ method, path, body })
  # uniqueFrom: 1000000000 # the first number of \${unique}
  # slice: 5s # how long each variant is under load at a load level in a round; default: set by the run
  # warmup: 5s # how long a fresh process is warmed; default: set by the run

# rounds: { min: 4, max: 40, budget: 10m } # verdicts start at 4 rounds
# margin: 5% # differences within this count as the same
# stack: { postgres: { settings: { shared_buffers: 1GB } } }
`;
