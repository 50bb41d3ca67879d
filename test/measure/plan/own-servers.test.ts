import { expect, it } from 'vitest';
import { armsWithCopies, arrangementFor, needOfOwnServers } from '../../../src/measure/plan/own-servers.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';

const MB = 2 ** 20;

function scenario(variants: string, more = ''): ReturnType<typeof parseScenario> {
  return parseScenario(
    `title: servers
target: { command: x }
variants: { Control: {}, ${variants} }
control: Control
load: { connections: 1, requests: [{ path: / }] }
${more}`,
    'test.yaml',
  );
}

it('servers are apart where one variant needs its own, or rounds.restart asks, and not for what a database can have', () => {
  expect(needOfOwnServers(scenario('B: { settings: { work_mem: 8MB } }'))).toBeNull();
  expect(needOfOwnServers(scenario('B: { settings: { shared_buffers: 1GB } }'))).toBe('variants');
  expect(needOfOwnServers(scenario('B: { postgres: { version: 17 } }'))).toBe('variants');
  // All databases of a server would have what it changes, the control's, too.
  expect(
    needOfOwnServers(scenario('B: { sql: { apply: ALTER SYSTEM SET jit = off, undo: ALTER SYSTEM RESET jit } }')),
  ).toBe('variants');
  expect(needOfOwnServers(scenario('B: { sql: ANALYZE }'))).toBeNull();
  expect(needOfOwnServers(scenario('B: {}', 'rounds: { restart: server }'))).toBe('restart');
});

it.each([
  'ALTER ROLE app SET work_mem = 1',
  'ANALYZE; /* all */ create user app',
  'DROP ROLE app',
  'ALTER SYSTEM SET jit = off',
  'CREATE TABLESPACE fast LOCATION $$/fast$$',
  'SELECT pg_reload_conf()',
  'GRANT pg_read_all_data TO app WITH ADMIN OPTION',
  'REVOKE reader FROM app',
  'ALTER DATABASE other SET work_mem = 1',
])('%s is of the whole server: each arm has its own, also where nothing undoes it', (sql) => {
  expect(needOfOwnServers(scenario(`B: { sql: "${sql}" }`))).toBe('variants');
});

it.each([
  'ALTER ROLE app IN DATABASE x SET work_mem = 1',
  'GRANT SELECT (n) ON t TO app WITH GRANT OPTION',
  'REVOKE ALL ON SCHEMA public FROM app',
  'CREATE USER MAPPING FOR app SERVER other',
  'INSERT INTO log VALUES ($$ALTER SYSTEM$$)',
  'ALTER TABLE role ADD COLUMN n int',
])('%s is of its database alone', (sql) => {
  expect(needOfOwnServers(scenario(`B: { sql: "${sql}" }`))).toBeNull();
});

it('the arms with copies are all, the control twice; of settings that are switched live, the first', () => {
  const names = (variants: string): string[] => armsWithCopies(scenario(variants)).map(({ name }) => name);
  expect(names('B: { settings: { work_mem: 8MB } }')).toEqual(['Control', 'Control (A/A)', 'B']);
  expect(names('B: { database: none }')).toEqual(['Control', 'Control (A/A)']);
  expect(names('B: { live: { settings: { work_mem: 8MB } } }')).toEqual(['Control']);
});

it('copies share a server while all of them fit in its shared_buffers together', () => {
  const room = { copies: 4, copyBytes: 60 * MB, bufferBytes: 256 * MB, memoryBytes: 8192 * MB, diskBytes: 8192 * MB };
  expect(arrangementFor(room)).toEqual({ own: null });
  // One alone fits, all do not; and none fits.
  expect(arrangementFor({ ...room, copyBytes: 70 * MB })).toEqual({ own: 'shared buffers' });
  expect(arrangementFor({ ...room, copyBytes: 400 * MB })).toEqual({ own: 'shared buffers' });
  expect(arrangementFor({ ...room, copies: 1, copyBytes: 400 * MB })).toEqual({ own: null });
});

it('they share one all the same where it is external, or the machine has no room for more: and say so', () => {
  const room = { copies: 4, copyBytes: 400 * MB, bufferBytes: 256 * MB, memoryBytes: 8192 * MB, diskBytes: 8192 * MB };
  expect(arrangementFor({ ...room, memoryBytes: null })).toEqual({ own: null, lacks: 'external' });
  expect(arrangementFor({ ...room, memoryBytes: 2048 * MB })).toEqual({ own: null, lacks: 'memory' });
  expect(arrangementFor({ ...room, diskBytes: 3000 * MB })).toEqual({ own: null, lacks: 'disk' });
  expect(arrangementFor({ ...room, diskBytes: null })).toEqual({ own: 'shared buffers' });
});
