import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PgsweepError } from '../../../src/base/errors.ts';
import { startReaper } from '../../../src/base/process/reaper.ts';
import type { PostgresRelease } from '../../../src/journal/scenario-record.ts';
import { requireDockerSpace } from '../../../src/measure/stack/common/disk-space.ts';
import { findDocker } from '../../../src/measure/stack/docker/engine.ts';
import { postgresFolder } from '../../../src/measure/stack/docker/image.ts';
import { chooseStack, type StackChoice } from '../../../src/measure/stack/stack.ts';
import { needs } from '../../support/needs.ts';

const linux = await needs('linux');

/** A machine with nothing on its PATH but what a test plants. */
let machine: string;
beforeEach(() => {
  machine = mkdtempSync(join(tmpdir(), 'pgsweep-machine-'));
  mkdirSync(join(machine, 'bin'));
  vi.stubEnv('PATH', join(machine, 'bin'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(machine, { recursive: true });
});

function plant(name: string, script: string): void {
  const file = join(machine, 'bin', name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

const facts = { ServerVersion: '27.1.0', OperatingSystem: 'Debian', DockerRootDir: '/nowhere' };

/** A docker that answers as an engine would. */
function plantDocker({ compose = 'echo 2.29.1', image = 'echo "no such image" >&2; exit 1', info = facts } = {}): void {
  plant(
    'docker',
    `case "$1" in info) echo '${JSON.stringify(info)}';; compose) ${compose};; image) ${image};; *) exit 9;; esac`,
  );
}

interface Asked {
  readonly opensearch?: boolean;
  /** Of the second variant; the first has that of the stack. */
  readonly own?: PostgresRelease;
}

const choose = (kind: StackChoice['kind'], { opensearch = false, own }: Asked = {}) => {
  const treatment = {
    settings: {},
    dropIndex: [],
    createIndex: [],
    hideIndex: [],
    sql: [],
    ...(own && { postgres: own }),
  };
  const variants = [
    { name: 'A', factors: {}, env: {} },
    { name: 'B', factors: {}, env: {}, treatment },
  ];
  return chooseStack({ kind }, { stack: { postgres: { settings: {} }, opensearch }, variants });
};

async function failure(action: Promise<unknown>): Promise<PgsweepError> {
  const error = await action.catch((reason: unknown) => reason);
  if (error instanceof PgsweepError) return error;
  throw new Error(`expected a PgsweepError, got ${String(error)}`);
}

it("drops the session settings of the user's shell, but for how an external server is connected to", async () => {
  const shell = { PGOPTIONS: '-c work_mem=9MB', PGCLIENTENCODING: 'LATIN1', PGSSLMODE: 'require', PGUSER: 'me' };
  const left = (): string[] => Object.keys(shell).filter((name) => process.env[name] !== undefined);
  for (const [name, value] of Object.entries(shell)) vi.stubEnv(name, value);
  await choose('external');
  expect(left()).toEqual(['PGSSLMODE', 'PGUSER']);
  await choose('embedded');
  expect(left()).toEqual(['PGUSER']);
});

describe('without a Docker that can be used', () => {
  it.each([
    ['no program', () => {}, 'no Docker engine', 'there is no program docker'],
    [
      'no engine',
      () => plant('docker', 'echo "Cannot connect to the Docker daemon" >&2; exit 1'),
      'no Docker engine',
      'Cannot connect to the Docker daemon',
    ],
    [
      'an engine without compose',
      () => plantDocker({ compose: 'echo "unknown command: docker compose" >&2; exit 1' }),
      'Docker 27.1.0 has no compose v2',
      'docker compose version fails',
    ],
    ['compose 1', () => plantDocker({ compose: 'echo 1.29.2' }), 'Docker 27.1.0 has no compose v2', 'found 1.29.2'],
  ])('auto is embedded and says why, and docker is an error: %s', async (_, prepare, why, detail) => {
    prepare();
    expect(await choose('auto')).toMatchObject({ kind: 'embedded', reason: why });
    const { message, hint, code } = await failure(choose('docker'));
    expect(message).toBe(`${why}: ${detail}`);
    expect(hint).toContain('--stack embedded');
    expect(code).toBe('stack');
  });

  it('names the compose that is too old', async () => {
    plantDocker({ compose: 'exit 1' });
    plant('docker-compose', 'echo 1.29.2');
    expect((await failure(choose('docker'))).message).toBe(
      'Docker 27.1.0 has no compose v2: found docker-compose 1.29.2',
    );
  });

  it('does not wait for an engine that does not answer', async () => {
    plant('docker', 'exec /bin/sleep 60');
    const { message } = await failure(choose('docker'));
    expect(message).toBe('no Docker engine: no answer within 3 s');
  });
});

describe('with Docker', () => {
  it('auto pulls nothing', async () => {
    plantDocker();
    expect(await choose('auto')).toMatchObject({
      kind: 'embedded',
      reason: 'image postgres:17 not at hand: docker pull postgres:17',
    });
  });

  it.each([
    ['of this machine', {}, true],
    ['that is rootless', { SecurityOptions: ['name=seccomp,profile=builtin', 'name=rootless'] }, false],
    ['of Docker Desktop', { OperatingSystem: 'Docker Desktop' }, false],
  ])('an engine %s: whether containers can use the host network', linux.orSkip, async (_, more, hostNetwork) => {
    plantDocker({ info: { ...facts, ...more } });
    expect(await findDocker()).toMatchObject({ version: '27.1.0', hostNetwork });
  });

  it('auto takes it with the images at hand', async () => {
    const only = `case "$5" in postgres:*) echo '{"Id":"sha256:1"}';; *) echo "No such image" >&2; exit 1;; esac`;
    plantDocker({ image: only });
    expect(await choose('auto')).toMatchObject({
      kind: 'docker',
      reason: 'Docker 27.1.0, compose 2.29.1, images at hand',
    });
    expect((await choose('auto', { opensearch: true })).reason).toMatch(/^image opensearchproject\/\S+ not at hand/);
    expect((await choose('embedded')).kind).toBe('embedded');
  });

  it.each<[string, PostgresRelease, string]>([
    ['another version', { version: '15' }, 'image postgres:15 not at hand: docker pull postgres:15'],
    ['another image', { image: 'percona:17' }, 'image percona:17 not at hand: docker pull percona:17'],
    ['a kind of its own', { version: '15', stack: 'embedded' }, 'Docker 27.1.0, compose 2.29.1, images at hand'],
  ])('auto looks also for what a variant with %s asks for', async (_, own, reason) => {
    plantDocker({
      image: `case "$5" in postgres:17) echo '{"Id":"sha256:1"}';; *) echo "No such image" >&2; exit 1;; esac`,
    });
    expect((await choose('auto', { own })).reason).toBe(reason);
  });
});

it.each([
  ['postgres:17', ['/var/lib/postgresql/data'], '/var/lib/postgresql/data', '/var/lib/postgresql/data'],
  ['postgres:18', ['/var/lib/postgresql'], '/var/lib/postgresql/18/docker', '/var/lib/postgresql'],
  ['percona:17', ['/backrestrepo', '/data/db', '/pgdata', '/pgwal'], '/data/db', '/data/db'],
  ['one without a volume', [], '/srv/postgres', '/srv/postgres'],
  ['one that says nothing', [], undefined, '/var/lib/postgresql/data'],
])('the data of %s has a volume', (_, volumes, data, folder) => {
  expect(postgresFolder({ volumes, env: data === undefined ? {} : { PGDATA: data } })).toBe(folder);
});

it('an external stack needs its URLs, and cannot start servers again', async () => {
  const reaper = startReaper();
  const stack = await choose('external');
  const { message, hint } = await failure(stack.preparePostgres({ reaper }));
  expect(message).toBe('--stack external needs the URL of Postgres');
  expect(hint).toBe('Give it by --postgres URL, or as DATABASE_URL.');
  const given = { kind: 'external', postgresUrl: 'postgres://127.0.0.1:1' } as const;
  const known = await chooseStack(given, { stack: { postgres: { settings: {} } }, variants: [] });
  const server = await known.preparePostgres({ reaper });
  expect((await failure(server.copy())).code).toBe('scenario');
  await reaper.close();
});

it('a disk without room for containers is told before anything is made', linux.orSkip, () => {
  // It has no room for anything.
  expect(() => requireDockerSpace({ dataFolder: '/proc' }, 'run Postgres')).toThrow(
    'the disk of /proc has 0 MB free; to run Postgres takes 300 MB',
  );
  expect(() => requireDockerSpace({ dataFolder: null }, 'run Postgres')).not.toThrow();
});

it('programs of this machine have no images', async () => {
  const reaper = startReaper();
  const stack = await choose('embedded');
  const { message } = await failure(stack.preparePostgres({ reaper, server: { image: 'percona:17' } }));
  expect(message).toContain('the image percona:17 is asked for');
  await reaper.close();
});
