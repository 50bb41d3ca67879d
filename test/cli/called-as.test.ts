import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { callName, isForPeople, withCallName } from '../../src/cli/called-as.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-called-'));
afterAll(() => rmSync(folder, { recursive: true }));

const said = (file: string, args: readonly string[], cwd: string): Promise<string> =>
  new Promise((done) => execFile(file, args, { cwd }, (_, out, err) => done(out + err)));

describe('commands in messages', () => {
  it('can be called in a clone as they stand there', async () => {
    const text = await said('npm', ['run', '--silent', 'pgsweep', '--', 'plan', join(folder, 'nowhere.yaml')], '.');
    expect(text).toMatch(/ or write one with: npm run pgsweep -- init\n/);
  });

  it('can be called where the package is installed', async () => {
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    mkdirSync(join(folder, 'deeper'));
    symlinkSync(resolve('src/cli/bin.mjs'), join(folder, 'node_modules/.bin/pgsweep'));
    const text = await said(
      join(folder, 'node_modules/.bin/pgsweep'),
      ['plan', 'nowhere.yaml'],
      join(folder, 'deeper'),
    );
    expect(text).toMatch(/ or write one with: npx --no pgsweep init\n/);
  });

  it.each([
    ['/usr/lib/node_modules/.bin/pgsweep', {}, 'pgsweep'],
    ['/home/me/clone/src/cli/bin.mjs', { npm_lifecycle_script: 'vitest run' }, 'pgsweep'],
    ['/home/me/app/node_modules/pgsweep/dist/cli/bin.mjs', {}, 'npx --no pgsweep'],
    ['/home/me/app/node_modules/other/cli.mjs', {}, 'pgsweep'],
  ])('started as %s are called by %j as %s', (script, env, name) => {
    expect(callName({ script, cwd: '/home/me/app/bench', env })).toBe(name);
  });

  it('are told from other words, and left alone in what programs read', () => {
    const called = withCallName(
      'npx --no pgsweep',
      'pgsweep sweep --quick\n  pgsweep tune --resume RUN\n  pgsweep plan\nmy-pgsweep sweep; pgsweep is fine (`pgsweep doctor`)',
    );
    expect(called).toBe(
      'npx --no pgsweep sweep --quick\n  npx --no pgsweep tune --resume RUN\n  npx --no pgsweep plan\nmy-pgsweep sweep; pgsweep is fine (`npx --no pgsweep doctor`)',
    );
    expect(isForPeople(['compare', 'a', 'b'])).toBe(true);
    for (const args of [
      ['compare', '--json'],
      ['report', '--export=benchstat'],
      ['sweep', '--print'],
      ['completion', 'bash'],
    ])
      expect(isForPeople(args)).toBe(false);
  });
});
