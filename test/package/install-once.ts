import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the package is installed. */
    packageFolder: string;
    /** What `npm pack` has made of this clone. */
    tarball: string;
  }
}

/**
 * Vitest's global setup: packs this clone and installs the package as a user does, by `npm install --global`.
 * PGSWEEP_TEST_INSTALLED names the folder: what is installed there already is used, and it is left for the next run.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  const { PGSWEEP_TEST_INSTALLED: kept } = process.env;
  const prefix = kept ?? mkdtempSync(join(tmpdir(), 'pgsweep-package-'));
  const folder = join(prefix, 'lib', 'node_modules', 'pgsweep');
  if (!existsSync(folder)) await install(prefix);
  project.provide('packageFolder', folder);
  project.provide('tarball', tarballIn(prefix));
  return () => {
    if (kept === undefined) rmSync(prefix, { recursive: true });
  };
}

async function install(prefix: string): Promise<void> {
  mkdirSync(prefix, { recursive: true });
  // Postgres, which does not run as root, has to read it.
  chmodSync(prefix, 0o755);
  await npm('pack', '--pack-destination', prefix);
  await npm('install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', tarballIn(prefix));
}

function tarballIn(prefix: string): string {
  const name = readdirSync(prefix).find((file) => file.endsWith('.tgz'));
  if (name === undefined) throw new Error(`npm pack has left nothing in ${prefix}`);
  return join(prefix, name);
}

async function npm(...args: string[]): Promise<void> {
  await promisify(execFile)('npm', args);
}
