import { readFileSync } from 'node:fs';

/** Of one thread and bound by it: 1,000 thousand steps take about 1.5 ms. */
const service = 'test/bench/services/busy.mjs';
const name = { name: 'service', version: '1.0.0' };

/** The files of a service that does this many thousand steps of work before it answers, whatever its environment says. */
export function plantedService(thousands: number): Record<string, string> {
  const source = readFileSync(service, 'utf8');
  const own = source.replace('Number(process.env.WORK)', String(thousands));
  if (own === source) throw new Error(`${service} does not read WORK`);
  return {
    'server.mjs': own,
    'package.json': JSON.stringify(name),
    'package-lock.json': JSON.stringify({ ...name, lockfileVersion: 3, requires: true, packages: { '': name } }),
  };
}

/** A scenario that says nothing of what the checkout is compared with. */
export function scenarioOfService({
  load,
  rounds,
}: {
  readonly load: string;
  readonly rounds: string;
}): Record<string, string> {
  return {
    'pgsweep.yaml': `title: Is this pull request as fast as its base?
target: { command: node server.mjs, ready: /health }
sweep: { pool: { env: POOL_MAX, levels: [10, 20] } }
control: { pool: 10 }
load: { ${load}, requests: [{ path: / }] }
rounds: { ${rounds} }
probes: { all: off }
`,
  };
}
