import { mkdtempSync } from 'node:fs';
import { chown, lchown, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import type { Reaper } from '../../../base/process/reaper.ts';
import type { ServerUser } from '../embedded/server-user.ts';

/** A temporary folder for one server: data, log, and whatever else must vanish with it. */
export interface ServerFolder {
  path: string;
  remove(): Promise<void>;
}

const prefixes = { Postgres: 'pgsweep-pg-', OpenSearch: 'pgsweep-os-', PgBouncer: 'pgsweep-pb-' } as const;

/**
 * Makes the folder below PGSWEEP_TMP, or the system's place for temporary files, for the server's user alone.
 * The reaper removes it when this process dies. Throws PgsweepError('stack') where it cannot be made.
 */
export async function makeServerFolder(
  user: ServerUser | undefined,
  reaper: Reaper,
  server: keyof typeof prefixes = 'Postgres',
): Promise<ServerFolder> {
  const parent = resolve(process.env.PGSWEEP_TMP || tmpdir());
  let path: string;
  try {
    path = mkdtempSync(join(parent, prefixes[server]));
  } catch (cause) {
    throw new PgsweepError('stack', `cannot make a folder for ${server} in ${parent}: ${messageOf(cause)}`, {
      hint: 'Set PGSWEEP_TMP to a folder that can be written, with room for the data.',
      cause,
    });
  }
  reaper.watchFolder(path);
  if (user) await chown(path, user.uid, user.gid);
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
      reaper.forgetFolder(path);
    },
  };
}

/** Makes the server's user the owner of a file, or of a folder and all in it. */
export async function giveTo(user: ServerUser | undefined, path: string): Promise<void> {
  if (!user) return;
  await lchown(path, user.uid, user.gid);
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) await lchown(join(entry.parentPath, entry.name), user.uid, user.gid);
}
