import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { skipLines } from './skip-report.ts';

let folder: string | undefined;
afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
  folder = undefined;
});

it('what was skipped is told by reason', () => {
  expect(
    skipLines([
      { name: 'a.test.ts > one', tests: 1, why: 'no Java' },
      { name: 'b.test.ts > other', tests: 1, why: 'no Docker engine' },
      { name: 'c.test.ts > suite', tests: 3, why: 'no Java' },
    ]),
  ).toEqual([
    'skipped: 4 tests: no Java',
    '  a.test.ts > one',
    '  c.test.ts > suite (3 tests)',
    'skipped: 1 test: no Docker engine',
    '  b.test.ts > other',
  ]);
});

it('they are the last lines of a run: suites that were skipped whole once, a test by itself, one without a reason as such', async () => {
  // Below the repository, so that vitest is found.
  folder = mkdtempSync(resolve('node_modules', '.skip-report-'));
  const lacking = `{ skip: true, meta: { lacking: { thing: 'powershell', why: 'no pwsh' } } }`;
  writeFileSync(
    join(folder, 'a.test.ts'),
    `import { describe, it } from 'vitest';
describe('whole', ${lacking}, () => { it('one', () => {}); describe('inside', () => { it('two', () => {}); }); });
describe('half', () => { it('runs', () => {}); it('single', ${lacking}, () => {}); });
it('says so itself', ({ skip }) => skip('too busy'));
it.skip('says nothing', () => {});
`,
  );
  const reporter = resolve('test/support/skip-report.ts');
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `export default { test: { dir: '.', exclude: [], reporters: ['default', ${JSON.stringify(reporter)}] } };`,
  );
  const cwd = folder;
  const out = await new Promise<string>((settle) => {
    const args = [resolve('node_modules/vitest/vitest.mjs'), 'run', '--root', cwd];
    execFile(process.execPath, args, { cwd }, (_, stdout) => settle(stripVTControlCharacters(stdout)));
  });
  expect(out.trimEnd().split('\n').slice(-7)).toEqual([
    'skipped: 3 tests: no pwsh',
    '  a.test.ts > whole (2 tests)',
    '  a.test.ts > half > single',
    'skipped: 1 test: too busy',
    '  a.test.ts > says so itself',
    'skipped: 1 test: no reason is given',
    '  a.test.ts > says nothing',
  ]);
});
