import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from '../../../base/async/once.ts';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import type { StopOptions } from '../../../base/process/child-process.ts';
import { readFileTail } from '../../../base/process/child-process-tail.ts';
import type { PostgresOptions, PostgresStart, PreparedPostgres, StartedPostgres } from '../common/postgres.ts';
import { createExtensions, findPreloads } from '../common/preload.ts';
import { makeServerFolder, type ServerFolder } from '../common/server-folder.ts';
import { mergeSettings, settingsBelow, settingsFile } from '../common/settings.ts';
import { cannotStart, type ServerProcess, startServer, superuserUrl } from '../common/start-postgres.ts';
import { copyFolder } from './copy-folder.ts';
import { findPostgresBinaries } from './find-binaries.ts';
import { initCluster, type ServerContext } from './init-cluster.ts';
import { ensurePostgresVersion } from './postgres-set-up.ts';
import { prepareBinaries } from './prepare-binaries.ts';
import { findServerUser } from './server-user.ts';

/** A cluster on disk, and the programs that run it. */
interface Cluster {
  readonly context: ServerContext;
  readonly folder: ServerFolder;
  readonly data: string;
  /** The text of its postgresql.conf; a start may have settings over it. */
  readonly conf: string;
  readonly version: string;
  readonly source: string;
  readonly password: string;
  readonly preload: readonly string[];
}

const CONF = 'postgresql.conf';

/** SIGINT, a fast shutdown: the data is used again, and a start after any other would first have to recover it. */
const cleanly: StopOptions = { signal: 'SIGINT', graceMs: 60_000 };

/**
 * Prepares its own Postgres from programs on this machine: a new cluster in a temporary folder, on 127.0.0.1,
 * with a random password, to be started as often as wanted. Throws PgsweepError('stack') saying what to
 * do; nothing is then left on disk.
 */
export async function prepareEmbeddedPostgres(options: PostgresOptions): Promise<PreparedPostgres> {
  const cluster = await makeCluster(options);
  let copies = 0;
  return {
    start: (start = {}) => startCluster(cluster, start),
    async copy() {
      const data = await copyCluster(cluster.context, cluster.data, `data-${++copies}`);
      return { start: (start = {}) => startCluster({ ...cluster, data }, start) };
    },
    remove: () => cluster.folder.remove(),
  };
}

async function makeCluster(options: PostgresOptions): Promise<Cluster> {
  const { reaper, onProgress = () => {}, server, signal } = options;
  // Complaints about the settings come before anything is started.
  mergeSettings(options.settings);
  if (server?.image !== undefined) throw imageNeedsDocker(server.image);
  const binaries =
    options.binaries ??
    (server?.version === undefined
      ? findPostgresBinaries()
      : await ensurePostgresVersion(server.version, { reaper, env: process.env, onProgress, signal }));
  const user = await findServerUser();
  const folder = await makeServerFolder(user, reaper);
  try {
    const { folder: binFolder, version } = await prepareBinaries(binaries, folder.path, user, {
      ...process.env,
      ...reaper.mark,
    });
    onProgress(`starting Postgres ${version} (${binaries.source})`);
    const context = { binFolder, folder: folder.path, user, reaper };
    const preload = findPreloads(options.preload ?? [], binFolder, onProgress);
    const settings = mergeSettings(options.settings, settingsBelow(options), preload);
    const password = randomBytes(18).toString('base64url');
    const data = await initCluster(context, {
      password,
      settings: settingsFile(settings),
      binaries: { folder: binaries.folder, version },
    });
    const conf = await readFile(join(data, CONF), 'utf8');
    return { context, folder, data, conf, version, source: binaries.source, password, preload };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

/** The error where an image is asked for and no container can be had. */
export function imageNeedsDocker(image: string): PgsweepError {
  return new PgsweepError('stack', `the image ${image} is asked for, and the stack is embedded: it has no images`, {
    hint: 'Use containers: --stack docker; or remove the image from the scenario.',
  });
}

async function startCluster(
  cluster: Cluster,
  { settings = {}, port, logFile, onProgress = () => {} }: PostgresStart,
): Promise<StartedPostgres> {
  const { context, data, conf, password, version, preload } = cluster;
  const own = mergeSettings(settings, {});
  // Its list replaces that of the cluster, the bench's libraries included.
  const withLibraries = 'shared_preload_libraries' in own ? mergeSettings(own, {}, preload) : own;
  await writeFile(join(data, CONF), conf + settingsFile(withLibraries));
  const log = logFile ?? join(context.folder, 'postgres.log');
  const server = await startServer(context, { data, password, port, logFile: log });
  const { address } = server;
  try {
    await createExtensions(superuserUrl(address, password), preload);
  } catch (cause) {
    await server.process.stop(cleanly);
    throw cannotStart(`has no extensions (${messageOf(cause)})`, server.process.tail(), address.port);
  }
  onProgress(`Postgres ${version} is ready on port ${address.port}`);
  return started(cluster, server);
}

function started({ version, source, password }: Cluster, server: ServerProcess): StartedPostgres {
  const { address, process, logFile } = server;
  const adminUrl = (database?: string): string => superuserUrl(address, password, database);
  const stop = once(async () => void (await process.stop(cleanly)));
  return {
    kind: 'embedded',
    own: true,
    version,
    binaries: source,
    port: address.port,
    pid: process.pid,
    logFile,
    exited: process.exited,
    adminUrl,
    logTail: async (lines = 40) => readFileTail(logFile, lines).join('\n'),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * Copies the data folder of a server that is down to `name` beside it, and returns the copy. It has the same rows in the same places, which loading the data set again would not give. Throws
 * PgsweepError('stack').
 */
async function copyCluster(context: ServerContext, data: string, name: string): Promise<string> {
  const copy = join(context.folder, name);
  try {
    const { user, reaper } = context;
    await copyFolder(data, copy, { user, env: { ...process.env, ...reaper.mark } });
    return copy;
  } catch (cause) {
    throw new PgsweepError('stack', `cannot copy the data of Postgres to ${copy}: ${messageOf(cause)}`, {
      hint: 'Each variant with settings of the server has a copy. Set PGSWEEP_TMP to a folder with room for the data.',
      cause,
    });
  }
}
