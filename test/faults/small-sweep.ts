import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const services = resolve('test/fixtures/services');

/** Turns have their length from the scenario, so that the plan of a round depends on the seed alone. */
const scenario = `title: Pool size of the items service
target: { command: node items.mjs, cwd: ${services} }
dataset: { sql: ${join(services, 'schema.sql')} }
sweep:
  pool: { env: POOL_MAX, levels: [1, 4] }
control: { pool: 4 }
load:
  connections: [1, 4]
  slice: 400ms
  turn: 100ms
  drop: 20ms
  warmup: 200ms
  requests:
    - { name: list, path: /items, weight: 2 }
    - { name: create, method: POST, path: /items, body: { id: "\${unique}", name: "item \${integer 1 9}" } }
`;

/** A sweep of three short rounds; the same seed gives the same plan. */
export function sweepArgs(folder: string): string[] {
  const file = join(tmpdir(), `pgsweep-faults-${process.pid}.yaml`);
  writeFileSync(file, scenario);
  return ['sweep', file, '--out', folder, '--rounds', '3', '--seed', '7', '--stack', 'embedded'];
}
