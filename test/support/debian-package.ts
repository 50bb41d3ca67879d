import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { userCache } from '../../src/base/user-cache.mjs';

/** A download over a slow line; what takes longer hangs. */
const LIMIT_MS = 240_000;

/** In a folder of its own first, so that one that is there is whole. */
const UNPACK = `
set -e
folder=$1; shift
if [ -d "$folder" ]; then exit 0; fi
new=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$new"' EXIT
chmod 755 "$new"
cd "$new"
apt-get -qq download "$@"
for package in *.deb; do dpkg-deb -x "$package" unpacked; done
mv unpacked "$folder"
`;

/**
 * The folder into which these packages of Debian are unpacked, all together (`usr/bin/...`, `usr/lib/...`); they are
 * fetched by apt-get once and then kept in the user's cache. Nothing is installed, and what they depend on has to be named.
 * Null where they cannot be had: no apt-get, no network, no such package. Test files may ask at once: one fetches, by a lock
 * that the system opens again should it be killed.
 */
export async function debianPackages(...names: readonly [string, ...string[]]): Promise<string | null> {
  const cache = userCache(process.env, 'debian');
  const folder = join(cache, names.join('+'));
  if (existsSync(folder)) return folder;
  try {
    mkdirSync(cache, { recursive: true });
    const unpack = ['sh', '-c', UNPACK, 'sh', folder, ...names];
    await promisify(execFile)('flock', [`${folder}.lock`, ...unpack], { timeout: LIMIT_MS });
    return folder;
  } catch {
    return null;
  }
}

/** What LD_LIBRARY_PATH has to be for programs of such a folder. */
export function libraryPath(folder: string): string {
  const libraries = join(folder, 'usr', 'lib');
  const ofMachine = existsSync(libraries) ? readdirSync(libraries).filter((name) => name.endsWith('-linux-gnu')) : [];
  return [...ofMachine.map((name) => join(libraries, name)), libraries].join(':');
}
