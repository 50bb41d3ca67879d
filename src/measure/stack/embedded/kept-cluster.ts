import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { ownCache } from '../../../base/user-cache.mjs';
import { copyFolder } from './copy-folder.ts';
import type { ServerUser } from './server-user.ts';
import { beside, discard } from './user-cache.ts';

/** Each is 40 MB, and programs have another in every folder from which they ran. */
const MOST_KEPT = 12;

/** All that a new cluster depends on: two that are made alike have the same files. */
export interface ClusterMaking {
  /** The folder of the programs, as they were found. */
  readonly binFolder: string;
  readonly version: string;
  readonly user: ServerUser | undefined;
  /** Arguments of initdb, without folders. */
  readonly options: readonly string[];
}

/** A new cluster in the cache of the user, since a copy takes a tenth of the time of initdb. */
export interface KeptCluster {
  /** Copies it to a folder that is not there yet; false where none is kept, or it cannot be copied. */
  copyTo(data: string): Promise<boolean>;
  /**
   * Keeps a copy of a cluster that never ran, in place of that of another version, and of those that were not used for longest
   * where there are many. What cannot be kept is not.
   */
  keep(data: string): Promise<void>;
  /** Forgets what is kept, since it is of no use. */
  forget(): Promise<void>;
}

/**
 * The kept copy of a cluster that is made this way; null where the user has no cache that can be trusted. Programs that copy
 * it get this environment.
 */
export function keptCluster(making: ClusterMaking, env: NodeJS.ProcessEnv): KeptCluster | null {
  const cache = ownCache(env, 'clusters');
  if (cache === null) return null;
  const { kind, name } = clusterName(making);
  const home = join(cache, name);
  return {
    async copyTo(data) {
      try {
        await copyFolder(home, data, { env });
        const now = new Date();
        await utimes(home, now, now).catch(() => {});
        return true;
      } catch {
        await rm(data, { recursive: true, force: true });
        return false;
      }
    },
    keep: (data) =>
      beside(home, async (building) => {
        const copy = join(building, 'data');
        await copyFolder(data, copy, { env });
        await syncFiles(copy);
        const others = (await lastUsedFirst(cache)).filter((other) => other !== name);
        const stale = others.filter((other, place) => other.startsWith(`${kind}-`) || place >= MOST_KEPT - 1);
        for (const other of stale) await discard(join(cache, other));
        // Another bench may have been quicker, and its copy may be in use already.
        if (!existsSync(home)) await rename(copy, home);
      }),
    forget: () => discard(home),
  };
}

/** The names of clusters that are kept. */
async function lastUsedFirst(cache: string): Promise<string[]> {
  const names = (await readdir(cache)).filter((name) => !name.startsWith('.'));
  const used = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(cache, name)).catch(() => null))?.mtimeMs ?? 0 })),
  );
  return used.sort((one, other) => other.at - one.at).map(({ name }) => name);
}

/** `kind` is what another version of the same programs has, too. */
function clusterName({ binFolder, version, user, options }: ClusterMaking): { kind: string; name: string } {
  // Initdb writes the time zone of the system into the settings.
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const all = [binFolder, user?.uid, user?.gid, timeZone, process.platform, process.arch, ...options];
  const kind = createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 16);
  return { kind, name: `${kind}-${version}` };
}

/** A machine that goes down may not leave something that looks complete. */
async function syncFiles(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = await open(join(entry.parentPath, entry.name), 'r+');
    await file.sync().finally(() => file.close());
  }
}
