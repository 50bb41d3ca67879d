import { execFileSync } from 'node:child_process';
import type { Summary } from '../../src/judge/summary.ts';

/** Runs a scenario into a new folder, as a user would, and returns what its summary.json holds. */
export function sweepJson(file: string, out: string, ...more: string[]): Summary {
  return runJson('sweep', file, out, ...more);
}

export function runJson(command: 'sweep' | 'tune', file: string, out: string, ...more: string[]): Summary {
  const args = ['src/cli/bin.mjs', command, file, '--out', out, '--quiet', '--json', ...more];
  try {
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 64 * 2 ** 20 })) as Summary;
  } catch (error) {
    const { status, stdout } = error as { status?: number; stdout?: string };
    // An unfit session ends with 3, and has its summary all the same.
    if (status === 3 && stdout !== undefined) return JSON.parse(stdout) as Summary;
    throw error;
  }
}
