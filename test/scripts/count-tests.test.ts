import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-count-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What .ci/run ends with for these tests: the state of each, and what it lacked. */
function counted(...tests: readonly [status: string, thing?: string][]) {
  const file = join(folder, 'results.json');
  const number = (wanted: string): number => tests.filter(([status]) => status === wanted).length;
  const assertionResults = tests.map(([status, thing], index) => {
    return {
      status,
      fullName: `test ${index}`,
      failureMessages: status === 'failed' ? ['AssertionError: 1 is not 2\n    at a.test.ts:1'] : [],
      meta: thing === undefined ? {} : { lacking: { thing, why: 'gone' } },
    };
  });
  writeFileSync(
    file,
    JSON.stringify({
      numPassedTests: number('passed'),
      numFailedTests: number('failed'),
      numPendingTests: number('skipped'),
      numFailedTestSuites: 0,
      testResults: [
        { name: resolve('test/a.test.ts'), status: number('failed') > 0 ? 'failed' : 'passed', assertionResults },
      ],
    }),
  );
  return ended(file);
}

function ended(...files: string[]) {
  const { status, stdout } = spawnSync(process.execPath, ['.ci/count-tests.mjs', ...files], { encoding: 'utf8' });
  return { status, lines: stdout.trim().split('\n') };
}

it('the count is the last line, after what failed', () => {
  expect(counted(['passed'], ['passed'], ['failed'])).toEqual({
    status: 0,
    lines: [
      'FAILED test/a.test.ts: test 2',
      'AssertionError: 1 is not 2',
      '    at a.test.ts:1',
      'tests: 2 passed, 1 failed',
    ],
  });
});

it('what no machine of CI has may be skipped', () => {
  expect(counted(['passed'], ['skipped', 'powershell'])).toEqual({
    status: 0,
    lines: ['tests: 1 passed, 0 failed, 1 skipped'],
  });
});

it('all else that is skipped fails the gate, with or without a reason', () => {
  expect(counted(['passed'], ['skipped', 'powershell'], ['skipped', 'opensearch'], ['skipped'])).toEqual({
    status: 1,
    lines: [
      'skipped, and CI must cover it: test 2',
      'skipped, and CI must cover it: test 3',
      'tests: 1 passed, 2 failed, 1 skipped',
    ],
  });
});

it('k6 may be skipped only where the gate did not want it built', () => {
  vi.stubEnv('PGSWEEP_TEST_K6', 'kept');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(counted(['passed'], ['skipped', 'k6']).status).toBe(0);
  vi.stubEnv('PGSWEEP_TEST_K6', '');
  expect(counted(['passed'], ['skipped', 'k6']).status).toBe(1);
});

it('several reports are counted together, and one that is not there fails the gate', () => {
  counted(['passed'], ['failed'], ['skipped', 'powershell']);
  const report = join(folder, 'results.json');
  const both = ended(report, report);
  expect([both.status, both.lines.at(-1)]).toEqual([0, 'tests: 2 passed, 2 failed, 2 skipped']);
  const { status, lines } = ended(report, join(folder, 'none.json'));
  expect([status, lines.at(-1)]).toEqual([1, 'tests: 1 passed, 2 failed, 1 skipped']);
});

it('without a report the gate fails', () => {
  const { status, lines } = ended(join(folder, 'none.json'));
  expect([status, lines.at(-1)]).toEqual([1, 'tests: 0 passed, 1 failed']);
});

it('an error of no test, which no report of vitest has, is told and counts as a failure', () => {
  const file = join(folder, 'results.json');
  writeFileSync(`${file}.errors`, 'Error: nobody waited\n    at b.ts:2');
  try {
    expect(counted(['passed'])).toEqual({
      status: 0,
      lines: [
        'FAILED results.json: an error of no test',
        'Error: nobody waited',
        '    at b.ts:2',
        'tests: 1 passed, 1 failed',
      ],
    });
  } finally {
    rmSync(`${file}.errors`);
  }
});
