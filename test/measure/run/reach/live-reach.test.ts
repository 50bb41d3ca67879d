import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkRun } from '../../../../src/measure/run/preflight/check.ts';
import { loadScenario, parseScenario } from '../../../../src/scenario/load-scenario.ts';
import { needs } from '../../../support/needs.ts';
import { withPostgres } from '../../stack/postgres.ts';

const linux = await needs('linux');
const server = withPostgres();

it('a look before a run sees whose database each variant uses, and from how many processes', linux.orSkip, async () => {
  // It answers SSLRequest as a Postgres that does not encrypt.
  const other = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end('N')));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const out = mkdtempSync(join(tmpdir(), 'pgsweep-reach-'));
  onTestFinished(() => {
    other.close();
    rmSync(out, { recursive: true });
  });
  const { port } = other.address() as AddressInfo;
  const scenario = parseScenario(
    `target: { command: node ${resolve('test/fixtures/services/pooled.mjs')}, pool: POOL_MAX }
dataset: { sql: [${resolve('test/fixtures/services/schema.sql')}] }
variants:
  Workers: { env: { WORKERS: 2, POOL_MAX: 3 } }
  Cached: { env: { CACHED: 1, POOL_MAX: 3 } }
  Same server: { env: { ELSEWHERE: '${server.postgres.adminUrl()}' } }
  Other server: { env: { RAW: ${port} } }
control: Workers
load: { connections: 12, requests: [{ path: /items }] }
`,
    'test.yaml',
  );
  const { findings, error } = await checkRun({
    scenario,
    stackChoice: { kind: 'external', postgresUrl: server.postgres.adminUrl() },
    out: join(out, 'run'),
    watchMs: 1,
    everyVariant: true,
    emit: () => {},
    signal: new AbortController().signal,
  });
  const ofDatabase = findings.filter(({ name }) => name === 'database');
  expect(ofDatabase).toMatchObject([
    { state: 'ok', found: expect.stringMatching(/^"Workers" uses its copy: [4-6] sessions from 2 processes as \w+$/) },
    { state: 'warning', found: expect.stringMatching(/^"Cached" used its copy for none of the requests/) },
  ]);
  expect(findings.filter(({ name }) => name === 'target').map(({ found }) => found)).toEqual([
    expect.stringMatching(/^After GET \/items "Same server" is connected to the database \w+ of the same Postgres, /),
    expect.stringContaining(
      `As soon as it is ready "Other server" is connected to another Postgres at 127.0.0.1:${port}, `,
    ),
  ]);
  expect(error?.exitCode).toBe(2);
});

it(
  'sees the sessions of a service whose name in Postgres begins as the bench does, as the sample service is',
  linux.orSkip,
  async () => {
    const out = mkdtempSync(join(tmpdir(), 'pgsweep-reach-'));
    onTestFinished(() => rmSync(out, { recursive: true }));
    const { findings } = await checkRun({
      scenario: loadScenario('scenarios/pool-size.yaml'),
      stackChoice: { kind: 'external', postgresUrl: server.postgres.adminUrl() },
      out: join(out, 'run'),
      watchMs: 1,
      everyVariant: false,
      emit: () => {},
      signal: new AbortController().signal,
    });
    const [{ found = '' } = {}] = findings.filter(({ name }) => name === 'database');
    expect(found).toMatch(/^"pool=10" uses its copy: [1-9]\d* sessions? as \w+$/);
  },
);
