import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withConnection } from './query.ts';

/** Where distributions put a server's libraries, seen from its programs: Debian, PGDG, npm and Homebrew, Red Hat. */
const libraryFolders = ['lib', 'lib/postgresql', 'lib64', 'lib64/pgsql', 'lib64/postgresql', 'lib/pgsql'];
const endings = ['so', 'dylib', 'dll'];

/**
 * Those of the libraries that this server has. A server does not start with a library that is not there, and many
 * systems have contrib's in its own package; what is not found is left out, and said.
 */
export function findPreloads(
  libraries: readonly string[],
  binFolder: string,
  onProgress: (message: string) => void,
): readonly string[] {
  return libraries.filter((library) => {
    const isThere = libraryFolders.some((folder) =>
      endings.some((ending) => existsSync(join(binFolder, '..', folder, `${library}.${ending}`))),
    );
    if (!isThere) onProgress(`this Postgres has no ${library}: its values will be missing`);
    return isThere;
  });
}

/** Where the user preloads it, its probe has nothing to read without its views. */
const usersOwn = ['pg_stat_monitor'];

/**
 * Creates the extensions of the libraries, and of those that the user may have preloaded to be read by a probe, where they
 * are loaded and have any, in the database of the URL. What such an extension collects is the whole server's, so one
 * database is enough. Throws pg's own errors.
 */
export async function createExtensions(url: string, libraries: readonly string[]): Promise<void> {
  await withConnection(url, async (run) => {
    const rows = await run(
      `SELECT quote_ident(name) AS name FROM pg_available_extensions WHERE name = ANY($1) AND installed_version IS NULL
         AND name = ANY(regexp_split_to_array(current_setting('shared_preload_libraries'), '[\\s,]+'))`,
      [[...libraries, ...usersOwn]],
    );
    for (const { name } of rows) await run(`CREATE EXTENSION ${String(name)}`);
  });
}
