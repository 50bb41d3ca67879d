import { spawnSync } from 'node:child_process';
import { closeSync, cpSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { shellWord } from '../../src/base/shell-word.ts';
import { clonedBin } from './cli.ts';

const script = '/usr/bin/script';
const folder = mkdtempSync(join(tmpdir(), 'pgsweep-main-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.runIf(process.platform === 'linux' && existsSync(script))(
  'a terminal that has no size, as in a container, has lines of a usual width',
  () => {
    cpSync('docs/examples/pool-size-run/journal.jsonl', join(folder, 'journal.jsonl'));
    const command = [process.execPath, clonedBin, 'report', folder, '--no-limits'];
    const line = `stty rows 0 columns 0; ${command.map(shellWord).join(' ')}`;
    const { stdout, status } = spawnSync(script, ['-qec', line, '/dev/null'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1' },
    });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Take 10: nothing tried .* connections\)\.\r?$/m);
  },
);

it.runIf(existsSync('/dev/full'))('output that its disk has no room for is said to be lost, and fails', () => {
  const full = openSync('/dev/full', 'w');
  const { stderr, status } = spawnSync(process.execPath, [clonedBin, 'plan'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(full);
  expect(stderr).toMatch(/error: the output could not be written: its disk is full/);
  expect(status).toBe(3);
});
