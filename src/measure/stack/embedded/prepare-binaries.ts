import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import type { PostgresBinaries } from '../common/postgres.ts';
import { giveTo } from '../common/server-folder.ts';
import { copyFolder } from './copy-folder.ts';
import { makeLibraryLinks } from './npm-binaries.ts';
import type { ServerUser } from './server-user.ts';

/** Programs that the server's user can run, and their version. */
export interface ReadyBinaries {
  folder: string;
  version: string;
}

const run = promisify(execFile);
/** Files of a Postgres besides its programs. The folder above may be anything, /usr or a user's home. */
const partsBeside = ['lib', 'lib64', 'share'];

/**
 * Makes sure that the server's user can run the programs: by a try. Where it cannot (below a 0700 home folder, or links
 * missing in a read-only folder), they are copied into `serverFolder` by a program that has this environment. Throws PgsweepError('stack') when nothing helps.
 */
export async function prepareBinaries(
  binaries: PostgresBinaries,
  serverFolder: string,
  user: ServerUser | undefined,
  env: NodeJS.ProcessEnv,
): Promise<ReadyBinaries> {
  try {
    if (binaries.links) await makeLibraryLinks(binaries.links);
    return { folder: binaries.folder, version: await versionOf(binaries.folder, serverFolder, user) };
  } catch (firstError) {
    if (!isOutOfReach(firstError)) throw cannotRun(binaries, user, firstError);
    try {
      const copy = await copyBinaries(binaries, serverFolder, user, env);
      return { folder: copy, version: await versionOf(copy, serverFolder, user) };
    } catch (cause) {
      throw cannotRun(binaries, user, cause);
    }
  }
}

async function versionOf(folder: string, cwd: string, user: ServerUser | undefined): Promise<string> {
  const options = { cwd, timeout: 10_000, ...(user && { uid: user.uid, gid: user.gid }) };
  const { stdout } = await run(join(folder, 'postgres'), ['--version'], options);
  return /\(PostgreSQL\) (\S+)/.exec(stdout)?.[1] ?? stdout.trim();
}

/** The program, its folder or a library of it is not for this user, or the package's folder cannot be written. */
function isOutOfReach(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return true;
  return /permission denied|cannot open shared object file|library not loaded/i.test(messageOf(error));
}

async function copyBinaries(
  { folder, links }: PostgresBinaries,
  serverFolder: string,
  user: ServerUser | undefined,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const from = dirname(folder);
  // The npm package's list of links counts from the folder above `native`.
  const to = join(serverFolder, 'binaries', 'native');
  const parts = [basename(folder), ...partsBeside, ...(links ? [basename(links)] : [])];
  await mkdir(to, { recursive: true });
  for (const part of parts.filter((name) => existsSync(join(from, name)))) {
    await copyFolder(join(from, part), join(to, part), { env });
  }
  if (links) await makeLibraryLinks(join(to, basename(links)));
  await giveTo(user, join(serverFolder, 'binaries'));
  return join(to, basename(folder));
}

function cannotRun(binaries: PostgresBinaries, user: ServerUser | undefined, cause: unknown): PgsweepError {
  const as = user ? ` as user ${user.name}` : '';
  return new PgsweepError('stack', `cannot run ${join(binaries.folder, 'postgres')}${as}: ${messageOf(cause).trim()}`, {
    hint: 'Set PG_BIN to the folder of a Postgres that runs on this machine.',
    cause,
  });
}
