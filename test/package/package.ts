import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { inject } from 'vitest';

/**
 * Runs the installed pgsweep with the Node of this test, in a folder of the user's. The test waits, and its process does not: one
 * that answers nothing for a minute makes vitest end with 1, though every test has passed.
 */
export function installedPgsweep(
  cwd: string,
  ...args: string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const bin = join(inject('packageFolder'), 'dist/cli/bin.mjs');
  return new Promise((settle) => {
    const child = execFile(process.execPath, [bin, ...args], { cwd, encoding: 'utf8' }, (_, out, err) =>
      settle({ code: child.exitCode ?? -1, out, err }),
    );
  });
}
