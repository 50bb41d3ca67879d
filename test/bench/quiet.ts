/**
 * Tests that need a quiet machine: what they judge (is a slice fit, which resource is the limit, how large is a planted
 * effect) another program's load changes, so that `npm test` cannot ask for it.
 *
 *   node --import ./src/base/typescript.mjs test/bench/quiet.ts
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Goal } from './goal.ts';

/** Every test of test/bench/quiet passes. One that was skipped, since the machine was not quiet, is no pass. */
export async function benchQuiet(): Promise<Goal[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-quiet-'));
  try {
    const file = join(folder, 'results.json');
    const reporters = ['--reporter=default', '--reporter=./test/support/skip-report.ts', '--reporter=json'];
    const args = ['run', '--project', 'quiet', ...reporters, `--outputFile.json=${file}`];
    // A process of its own: vitest changes the environment, and the other goals are measured in this one.
    const vitest = spawn(process.execPath, [resolve('node_modules/vitest/vitest.mjs'), ...args], { stdio: 'inherit' });
    const [code] = await once(vitest, 'exit');
    const { numPassedTests = 0, numTotalTests = 0 } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    return [
      {
        name: 'tests that need a quiet machine',
        measured: `${numPassedTests} of ${numTotalTests} passed`,
        goal: 'all',
        reached: code === 0 && numTotalTests > 0 && numPassedTests === numTotalTests,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [, main] = process.argv;
if (import.meta.url === pathToFileURL(main ?? '').href) console.log(await benchQuiet());
