import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { needs } from '../../../support/needs.ts';

const shellcheck = await needs('shellcheck');
const cwd = resolve('scripts/slurm');

it('ShellCheck finds nothing in the scripts for Slurm', shellcheck.orSkip, async () => {
  const scripts = readdirSync(cwd).filter((name) => name.endsWith('.sh'));
  expect(scripts).toHaveLength(2);
  expect((await promisify(execFile)('shellcheck', scripts, { cwd })).stdout).toBe('');
});
