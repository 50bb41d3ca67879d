import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Runs the installed pgsweep with the Node of this test, in a folder of the user's. */
export function installedPgsweep(cwd: string, ...args: string[]) {
  const bin = join(inject('packageFolder'), 'dist/cli/bin.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { cwd, encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}
