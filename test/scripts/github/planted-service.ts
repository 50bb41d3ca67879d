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

/** A scenario that compares the checkout that it is in with the one beside it. */
export function baseAndHead({
  load,
  rounds,
}: {
  readonly load: string;
  readonly rounds: string;
}): Record<string, string> {
  return {
    'pull-request.yaml': `title: Is this pull request as fast as its base?
target: { command: node server.mjs, ready: /health }
variants:
  base: { cwd: ../base }
  head: {}
control: base
load: { ${load}, requests: [{ path: / }] }
rounds: { ${rounds} }
probes: { all: off }
`,
  };
}
