import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readFileTail } from '../base/child-process-tail.ts';
import { findPostgresBinaries } from './find-binaries.ts';
import { initCluster } from './init-cluster.ts';
import type { PostgresOptions, StartedPostgres } from './postgres.ts';
import { createExtensions, findPreloads } from './preload.ts';
import { prepareBinaries } from './prepare-binaries.ts';
import { query } from './query.ts';
import { makeServerFolder, type ServerFolder } from './server-folder.ts';
import { findServerUser } from './server-user.ts';
import { mergeSettings, nonDefaultSettingsSql, settingsFile } from './settings.ts';
import { type ServerProcess, startServer, superuserUrl } from './start-server.ts';

interface RunningServer {
  server: ServerProcess;
  folder: ServerFolder;
  version: string;
  source: string;
  password: string;
}

/**
 * Starts a Postgres of its own from programs on this machine: a new cluster in a temporary folder, on 127.0.0.1, with a
 * random password. Throws PgsweepError('stack') saying what to do; nothing is then left running or on disk.
 */
export async function startEmbeddedPostgres(options: PostgresOptions): Promise<StartedPostgres> {
  const { reaper, port, onProgress = () => {} } = options;
  // Complaints about the settings come before anything is started.
  mergeSettings(options.settings);
  const binaries = options.binaries ?? findPostgresBinaries();
  const user = await findServerUser();
  const folder = await makeServerFolder(user, reaper);
  try {
    const { folder: binFolder, version } = await prepareBinaries(binaries, folder.path, user);
    onProgress(`starting Postgres ${version} (${binaries.source})`);
    const context = { binFolder, folder: folder.path, user, reaper };
    const preload = findPreloads(options.preload ?? [], binFolder, onProgress);
    const settings = mergeSettings(options.settings, preload);
    const password = randomBytes(18).toString('base64url');
    const data = await initCluster(context, password, settingsFile(settings));
    const logFile = options.logFile ?? join(folder.path, 'postgres.log');
    const server = await startServer(context, { data, password, port, logFile });
    await createExtensions(superuserUrl(server.port, password), preload);
    onProgress(`Postgres ${version} is ready on port ${server.port}`);
    return started({ server, folder, version, source: binaries.source, password });
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

function started({ server, folder, version, source, password }: RunningServer): StartedPostgres {
  const { port, process, logFile } = server;
  const adminUrl = (database?: string): string => superuserUrl(port, password, database);
  const stopAll = async (): Promise<void> => {
    // SIGQUIT, an immediate shutdown: a fast one writes a last checkpoint (1.6 s after 1 GB of changes) of what the
    // next line throws away. The postmaster itself kills children that are stuck, after 5 s.
    await process.stop({ signal: 'SIGQUIT', graceMs: 7000 });
    await folder.remove();
  };
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= stopAll();
    return stopping;
  };
  return {
    kind: 'embedded',
    version,
    binaries: source,
    port,
    pid: process.pid,
    logFile,
    exited: process.exited,
    adminUrl,
    async nonDefaultSettings() {
      const rows = await query(adminUrl(), nonDefaultSettingsSql);
      return Object.fromEntries(rows.map(({ name, value }) => [String(name), String(value)]));
    },
    logTail: async (lines = 40) => readFileTail(logFile, lines).join('\n'),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
