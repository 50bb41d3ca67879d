import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const services = resolve('test/fixtures/services');

/** Turns have their length from the scenario, so that the plan of a round depends on the seed alone. */
function scenario({ names: [pool1, pool4, list, create], probes, service }: SmallSweep): string {
  return `title: Pool size of the items service
target: { command: ${JSON.stringify(service.command)}, cwd: ${service.cwd} }
dataset: { sql: ${join(services, 'schema.sql')} }
variants:
  ${JSON.stringify(pool1)}: { env: { POOL_MAX: "1" } }
  ${JSON.stringify(pool4)}: { env: { POOL_MAX: "4" } }
control: ${JSON.stringify(pool4)}
load:
  connections: [1, 4]
  slice: 200ms
  turn: 100ms
  drop: 20ms
  warmup: 200ms
  requests:
    - { name: ${JSON.stringify(list)}, path: /items, weight: 2 }
    - { name: ${JSON.stringify(create)}, method: POST, path: /items, body: { id: "\${unique}", name: "item \${integer 1 9}" } }
${probes ? '' : 'probes: { all: off }\n'}`;
}

interface SmallSweep {
  /** Of its two variants and two requests. */
  readonly names: readonly string[];
  readonly probes: boolean;
  readonly service: { readonly command: string; readonly cwd: string };
}

const usual: SmallSweep = {
  names: ['pool=1', 'pool=4', 'list', 'create'],
  probes: true,
  service: { command: 'node items.mjs', cwd: services },
};

/** A sweep of three short rounds, its scenario beside its folder; the same seed gives the same plan, with probes and without. */
export function sweepArgs(folder: string, options: Partial<SmallSweep> = {}): string[] {
  const file = `${folder}.yaml`;
  writeFileSync(file, scenario({ ...usual, ...options }));
  return ['sweep', file, '--out', folder, '--rounds', '3', '--seed', '7', '--stack', 'embedded'];
}
