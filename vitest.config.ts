import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

const fileOf = (files: string): string => `test/${files}.test.ts`;

/**
 * What has a process of its own: it leaves mocks, variables or secrets of others behind, compares clocks in its process, or looks at
 * what that has started.
 */
const apart = [
  'base/{secrets,process/*}',
  'cli/{init-from,private-files}',
  'docs/pages',
  'measure/link/{distance/live-distance,netem/live-netem}',
  'measure/load/{open-loop/*,script/users-stream}',
  'measure/probe/{machine,meter}/*',
  'measure/run/{own-database,services}',
  'scenario/{secrets,import/**/*,script/script}',
  'measure/stack/{common/lost-port,embedded/{own-network,postgres}}',
  'support/{needs,processes,skip-report}',
  'measure/target/start-target',
].map(fileOf);

/**
 * What other commands run. It needs a quiet machine: `npm run bench` (vitest.quiet.config.ts); more than Node: `npm run
 * test:tools` (vitest.tools.config.ts); the package as it is installed: `npm run test:package` (vitest.package.config.ts); it is
 * the commands of the docs: `npm run test:docs` (vitest.docs.config.ts); or it takes long: `npm run test:sweeps`
 * (vitest.sweeps.config.ts).
 */
const elsewhere = ['test/bench/**', 'test/tools/**', 'test/package/**', 'test/docs/run/**', 'test/live/**'];

/** More than cores: much of what tests with servers take is waiting. */
export const maxWorkers = 6;

/** The programs that the bench starts are those of a build. */
export const resolved = {
  alias: [{ find: /^.*\/base\/node-command\.ts$/, replacement: resolve('test/support/built-command.ts') }],
};

/** What `npm test`, `npm run test:sweeps` and `npm run test:tools` have in common. */
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
  resolve: resolved,
  test: {
    ...common,
    maxWorkers,
    globalSetup: ['test/support/look-once.ts'],
    projects: [
      { extends: true, test: { name: 'apart', include: apart } },
      // File after file in the same processes, since to load the modules for each anew takes longer than many of these
      // tests. They leave no variable and no process behind, and no secret that may stand in a text of others.
      {
        extends: true,
        test: { name: 'together', include: ['test/**/*.test.ts'], exclude: [...elsewhere, ...apart], isolate: false },
      },
    ],
  },
});
