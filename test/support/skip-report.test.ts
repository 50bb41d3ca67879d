import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** What vitest prints for the folder's files, with this reporter. */
async function printed(cwd: string, ...options: string[]): Promise<string> {
  const reporter = resolve('test/support/skip-report.ts');
  writeFileSync(
    join(cwd, 'vitest.config.ts'),
    `export default { test: { dir: '.', exclude: [], reporters: ['default', ${JSON.stringify(reporter)}] } };`,
  );
  return new Promise<string>((settle) => {
    const args = [resolve('node_modules/vitest/vitest.mjs'), 'run', '--root', cwd, ...options];
    execFile(process.execPath, args, { cwd }, (_, stdout) => settle(stripVTControlCharacters(stdout)));
  });
}

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
  const out = await printed(folder);
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

it("an error that is no test's is left beside the JSON report", async () => {
  folder = mkdtempSync(resolve('node_modules', '.skip-report-'));
  writeFileSync(
    join(folder, 'a.test.ts'),
    `import { it } from 'vitest';
it('passes', () => { setTimeout(() => { throw new Error('nobody waited'); }, 0); return new Promise((settle) => setTimeout(settle, 50)); });
`,
  );
  const file = join(folder, 'results.json');
  await printed(
    folder,
    '--reporter=json',
    `--reporter=${resolve('test/support/skip-report.ts')}`,
    `--outputFile.json=${file}`,
  );
  expect(readFileSync(`${file}.errors`, 'utf8')).toMatch(/nobody waited/);
});
