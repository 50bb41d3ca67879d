import { execFile } from 'node:child_process';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PgsweepError } from '../../../base/errors.ts';
import { type SpawnOptions, spawnWatched } from '../../../base/process/child-process.ts';
import type { Reaper } from '../../../base/process/reaper.ts';
import { giveTo } from '../common/server-folder.ts';
import { type KeptCluster, keptCluster } from './kept-cluster.ts';
import type { ServerUser } from './server-user.ts';

export const superuser = 'pgsweep';

/** Where and as whom the server's programs run. */
export interface ServerContext {
  binFolder: string;
  folder: string;
  user: ServerUser | undefined;
  reaper: Reaper;
}

// C.UTF-8 plans as production's locales do (LIKE 'x%' needs its own index, which it does not under C) and is the
// same on every Linux. Elsewhere the system may not have it.
const locale = process.platform === 'linux' ? 'C.UTF-8' : 'C';

interface ServerProgram extends Pick<SpawnOptions, 'uid' | 'gid'> {
  readonly command: readonly [program: string, ...args: string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * How a program of the server is started: as its user, in its folder, without the caller's PG* variables, and marked as
 * one of this bench, so that the guard ends it before it removes the folder.
 */
export function serverProgram(context: ServerContext, program: string, args: readonly string[]): ServerProgram {
  const { binFolder, folder, user, reaper } = context;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^PG|^LC_|^LANG/.test(name)));
  return {
    command: [join(binFolder, program), ...args],
    // The caller's own folder may be out of the user's reach, which initdb does not forgive.
    cwd: folder,
    env: { ...env, HOME: folder, LC_ALL: locale, ...reaper.mark },
    ...(user && { uid: user.uid, gid: user.gid }),
  };
}

/** A cluster that is wanted. */
export interface NewCluster {
  readonly password: string;
  /** The text of its settings. */
  readonly settings: string;
  /** The programs as they were found, which may not be those that run. */
  readonly binaries: { readonly folder: string; readonly version: string };
}

const options = [
  `--username=${superuser}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  `--locale=${locale}`,
  // What a power cut takes is thrown away at the end of the run anyway.
  '--no-sync',
];

/**
 * Makes a cluster in the folder's `data`, with the superuser `pgsweep` and scram for every connection: a copy of one that
 * was made before for the same programs, or a new one. Returns the data folder. Throws PgsweepError('stack') with
 * initdb's last lines.
 */
export async function initCluster(context: ServerContext, wanted: NewCluster): Promise<string> {
  const { binaries, password, settings } = wanted;
  const data = join(context.folder, 'data');
  const making = { binFolder: binaries.folder, version: binaries.version, user: context.user, options };
  const kept = keptCluster(making, { ...process.env, ...context.reaper.mark });
  if (kept === null || !(await takeCopy(context, kept, data, password))) {
    await runInitdb(context, data, password);
    await kept?.keep(data);
  }
  await appendFile(join(data, 'postgresql.conf'), settings);
  return data;
}

/** True if a copy was made. */
async function takeCopy(context: ServerContext, kept: KeptCluster, data: string, password: string): Promise<boolean> {
  if (!(await kept.copyTo(data))) return false;
  try {
    await setPassword(context, data, password);
    return true;
  } catch {
    // Damaged, or made by programs that have changed: initdb makes another, or says what is wrong.
    await rm(data, { recursive: true, force: true });
    await kept.forget();
    return false;
  }
}

/** Sets it in a cluster that is down, by a server that nobody can connect to. */
async function setPassword(context: ServerContext, data: string, password: string): Promise<void> {
  const settings = ['fsync=off', 'exit_on_error=on'].flatMap((setting) => ['-c', setting]);
  const { command, ...rest } = serverProgram(context, 'postgres', ['--single', '-D', data, ...settings, 'postgres']);
  const [program, ...args] = command;
  const running = promisify(execFile)(program, args, { ...rest, timeout: 60_000 });
  // One that ends before it has read this says why by its exit code.
  running.child.stdin?.on('error', () => {}).end(`ALTER ROLE ${superuser} PASSWORD '${password}'\n`);
  await running;
}

async function runInitdb(context: ServerContext, data: string, password: string): Promise<void> {
  const passwordFile = join(context.folder, 'password');
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  await giveTo(context.user, passwordFile);
  const initdb = await spawnWatched({
    ...serverProgram(context, 'initdb', [`--pgdata=${data}`, `--pwfile=${passwordFile}`, ...options]),
    reaper: context.reaper,
  });
  const { code, signal } = await initdb.exited;
  await rm(passwordFile, { force: true });
  if (code === 0) return;
  throw new PgsweepError('stack', `initdb failed (${signal ?? `exit ${code}`}):\n${initdb.tail().join('\n')}`, {
    hint: 'Often a full disk or a folder that the user cannot enter: set PGSWEEP_TMP to another one.',
  });
}
