import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const services = resolve('test/fixtures/services');

/** Turns have their length from the scenario, so that the plan of a round depends on the seed alone. */
function scenario([pool1, pool4, list, create]: readonly string[]): string {
  return `title: Pool size of the items service
target: { command: node items.mjs, cwd: ${services} }
dataset: { sql: ${join(services, 'schema.sql')} }
variants:
  ${JSON.stringify(pool1)}: { env: { POOL_MAX: "1" } }
  ${JSON.stringify(pool4)}: { env: { POOL_MAX: "4" } }
control: ${JSON.stringify(pool4)}
load:
  connections: [1, 4]
  slice: 400ms
  turn: 100ms
  drop: 20ms
  warmup: 200ms
  requests:
    - { name: ${JSON.stringify(list)}, path: /items, weight: 2 }
    - { name: ${JSON.stringify(create)}, method: POST, path: /items, body: { id: "\${unique}", name: "item \${integer 1 9}" } }
`;
}

const PLAIN = ['pool=1', 'pool=4', 'list', 'create'];

/** A sweep of three short rounds; the same seed gives the same plan. `names`: of its two variants and two requests. */
export function sweepArgs(folder: string, names: readonly string[] = PLAIN): string[] {
  const file = join(tmpdir(), `pgsweep-faults-${process.pid}.yaml`);
  writeFileSync(file, scenario(names));
  return ['sweep', file, '--out', folder, '--rounds', '3', '--seed', '7', '--stack', 'embedded'];
}
