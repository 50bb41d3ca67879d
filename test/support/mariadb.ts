import { existsSync } from 'node:fs';
import { debianPackages, libraryPath } from './debian-package.ts';

/** The environment in which with-mariadb.mjs finds a mariadbd: this machine's own, else Debian's. Null where none can be had. */
export async function mariadbEnv(): Promise<NodeJS.ProcessEnv | null> {
  if (existsSync('/usr/sbin/mariadbd')) return {};
  const folder = await debianPackages('mariadb-server-core', 'liburing2', 'libaio1');
  return folder === null ? null : { MARIADB_ROOT: folder, LD_LIBRARY_PATH: libraryPath(folder) };
}
