import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';

/** Runs the installed pgsweep with the Node of this test, in a folder of the user's; returns what it printed. Rejects unless it exits with 0. */
export async function installedPgsweep(cwd: string, ...args: string[]): Promise<string> {
  const bin = join(inject('packageFolder'), 'dist/cli/bin.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [bin, ...args], { cwd, maxBuffer: 2 ** 26 });
  return stdout;
}
