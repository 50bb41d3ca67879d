import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

const filesOf = (files: string): string => `test/${files}.test.ts`;

/** What only computes. */
const pure = [
  '{analysis,between-runs,external-results,golden,journal,plan,progress,report,stats}/**/*',
  '{floors,package}',
  'cli/{advice,allow-remote,compare,delta,gates,history,last-run,live-plan,merge,mistakes,shard-option}',
  'dataset/sql-script',
  'load/{requests,tally,unique-numbers,bulk/pure,bulk/scheduler,several/merged-results}',
  'probe/{metrics/prometheus-text,postgres/column-choices,statements/model}',
  'run/{run-sweep,search,bulk/bulk-round,validity/validity}',
  'run/round/{idle-work,live-round,run-probes,run-round}',
  'run/servers/{cpusets,postgres-versions,session-stack}',
  'scenario/{bad-scenario,hostile-scenario,live,load-scenario,schema-file,schema-line,twin-variants}',
  'scenarios/shipped',
  'scripts/docs',
  'stack/common/settings',
  'validity/{old-journals,validity-notes,void-slices}',
].map(filesOf);

/** What has servers of its own, and ends them. */
const served = [
  'base/{ask,base}',
  'load/{generator,idle-connections,try-requests,truth/truth}',
  'load/bulk/{bulk-load,bulk-turns,poster,service}',
  'load/several/several',
  'run/servers/round-servers',
  'sample/**/*',
  'scenarios/loans',
  'stack/common/{databases,preload}',
  'treatment/*',
  'validity/live-voids',
].map(filesOf);

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
  resolve: {
    alias: [{ find: /^.*\/base\/node-command\.ts$/, replacement: resolve('test/support/built-command.ts') }],
  },
  test: {
    ...common,
    // More than cores: much of what tests with servers take is waiting.
    maxWorkers: 6,
    globalSetup: ['test/support/look-once.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'apart',
          include: ['test/**/*.test.ts'],
          // What needs a quiet machine: `npm run bench` runs it (vitest.quiet.config.ts). What needs more than Node: `npm
          // run test:tools` (vitest.tools.config.ts). What is tested as it is installed: `npm run test:package`
          // (vitest.package.config.ts). The commands of the docs: `npm run test:docs` (vitest.docs.config.ts).
          exclude: ['test/bench/**', 'test/tools/**', 'test/package/**', 'test/docs/run/**', ...pure, ...served],
        },
      },
      // File after file in the same processes, since to load the modules for each anew takes longer than many of these
      // tests. They leave no variable and no process behind, and no secret that may stand in a text of others.
      { extends: true, test: { name: 'together', include: [...pure, ...served], isolate: false } },
    ],
  },
});
