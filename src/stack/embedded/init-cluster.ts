import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PgsweepError } from '../../base/errors.ts';
import { type SpawnOptions, spawnWatched } from '../../base/process/child-process.ts';
import type { Reaper } from '../../base/process/reaper.ts';
import { giveTo } from '../common/server-folder.ts';
import type { ServerUser } from './server-user.ts';

export const superuser = 'pgsweep';

/** Where and as whom the server's programs run. */
export interface ServerContext {
  binFolder: string;
  folder: string;
  user: ServerUser | undefined;
  reaper: Reaper;
}

// C.UTF-8 plans as production's locales do (LIKE 'x%' needs an index of its own, which it does not under C) and is the
// same on every Linux. Elsewhere the system may not have it.
const locale = process.platform === 'linux' ? 'C.UTF-8' : 'C';

/** How a program of the server is started: as its user, in its folder, without the caller's PG* variables. */
export function serverProgram(context: ServerContext, program: string, args: readonly string[]): SpawnOptions {
  const { binFolder, folder, user, reaper } = context;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^PG|^LC_|^LANG/.test(name)));
  return {
    command: [join(binFolder, program), ...args],
    reaper,
    // The caller's own folder may be out of the user's reach, which initdb does not forgive.
    cwd: folder,
    env: { ...env, HOME: folder, LC_ALL: locale },
    ...(user && { uid: user.uid, gid: user.gid }),
  };
}

/**
 * Makes a cluster in the folder's `data`, with the superuser `pgsweep` and scram for every connection.
 * Returns the data folder. Throws PgsweepError('stack') with initdb's last lines.
 */
export async function initCluster(context: ServerContext, password: string, settings: string): Promise<string> {
  const data = join(context.folder, 'data');
  const passwordFile = join(context.folder, 'password');
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  await giveTo(context.user, passwordFile);
  const initdb = await spawnWatched(
    serverProgram(context, 'initdb', [
      `--pgdata=${data}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      `--locale=${locale}`,
      // What a power cut takes is thrown away at the end of the run anyway.
      '--no-sync',
    ]),
  );
  const { code, signal } = await initdb.exited;
  await rm(passwordFile, { force: true });
  if (code !== 0) {
    throw new PgsweepError('stack', `initdb failed (${signal ?? `exit ${code}`}):\n${initdb.tail().join('\n')}`, {
      hint: 'Often a full disk or a folder that the user cannot enter: set PGSWEEP_TMP to another one.',
    });
  }
  await appendFile(join(data, 'postgresql.conf'), settings);
  return data;
}
