import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

/** Tests that start nothing and change nothing outside their file. */
const pure = ['analysis', 'external-results', 'journal', 'plan', 'progress', 'report', 'stats'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

/** What `npm test` and `npm run test:tools` have in common. */
export const common = {
  // Tests boot real servers, and beside other load that takes ten times as long: only what hangs is to be ended.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // What is waited for comes at once on a quiet machine; the default of 1 s is too short for others.
  expect: { poll: { timeout: 60_000 } },
  // Where Docker is, too: what is tested in containers asks for them.
  env: { PGSWEEP_STACK: 'embedded' },
  sequence: { sequencer: LongestFirst },
  // What was skipped, and why, comes last.
  reporters: ['default', './test/support/skip-report.ts'],
};

export default defineConfig({
  test: {
    ...common,
    // More than cores: much of what live tests take is waiting.
    maxWorkers: 6,
    projects: [
      {
        extends: true,
        resolve: {
          alias: [{ find: /^.*\/base\/node-command\.ts$/, replacement: resolve('test/support/built-command.ts') }],
        },
        test: {
          name: 'live',
          include: ['test/**/*.test.ts'],
          // What needs a quiet machine: `npm run bench` runs it (vitest.quiet.config.ts). What needs more than Node: `npm
          // run test:tools` (vitest.tools.config.ts). What is tested as it is installed: `npm run test:package`
          // (vitest.package.config.ts). The commands of the docs: `npm run test:docs` (vitest.docs.config.ts).
          exclude: ['test/bench/**', 'test/tools/**', 'test/package/**', 'test/docs/run/**', ...pure],
          globalSetup: ['test/support/look-once.ts'],
        },
      },
      // File after file in the same processes: to load the modules for each anew takes longer than most of these tests.
      { extends: true, test: { name: 'pure', include: pure, isolate: false } },
    ],
  },
});
