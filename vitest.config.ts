import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

const fileOf = (files: string): string => `test/${files}.test.ts`;

/**
 * What has a process of its own: it leaves mocks, variables or secrets of others behind, compares clocks in its process, or looks at
 * what that has started.
 */
const apart = [
  'base/process/*',
  'cli/{init-from,private-files}',
  'docs/pages',
  'measure/against/half-done',
  'measure/link/distance/live-distance',
  'measure/load/{open-loop/*,script/users-stream}',
  'measure/probe/{machine,meter}/*',
  'measure/run/{own-database,services}',
  'measure/stack/{common/lost-port,embedded/postgres}',
  'support/{needs,processes,skip-report}',
  'measure/target/start-target',
].map(fileOf);

/** What leaves nothing behind but secrets, which may stand in a text of others. */
const secrets = ['base/secrets', 'scenario/{secrets,import/**/*,script/script}'].map(fileOf);

/** What starts nothing and asks no clock. */
const computing = ['test/judge/**/*.test.ts', 'test/report/**/*.test.ts', 'test/golden/**/*.test.ts'];

/** What `npm test` does not run: each is a project of its own. */
const elsewhere = ['test/bench/**', 'test/tools/**', 'test/package/**', 'test/docs/run/**', 'test/live/**'];

/** The programs that the bench starts are those of a build. */
const built = {
  alias: [{ find: /^.*\/base\/node-command\.ts$/, replacement: resolve('test/support/built-command.ts') }],
};

/** Where npm or a browser asks other machines, authorities of this one's owner are trusted. */
const trusting = { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS ?? '' };

/** More than cores: half of what tests with servers take is waiting. Beside six, turns take so long that counters are missing. */
const maxWorkers = 4;

/** `npm test` runs "apart", "secrets", "together" and "computing"; a file that is named is found in its project, whichever it is. */
export default defineConfig({
  test: {
    // Tests boot real servers, and beside other load that takes ten times as long: only what hangs is to be ended.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What is waited for comes at once on a quiet machine; the default of 1 s is too short for others.
    expect: { poll: { timeout: 60_000 } },
    // Where Docker is, too: what is tested in containers asks for them. No authorities: to read a system's takes twice the CPU
    // time that Node takes to start, for each of thousands of processes that never ask another machine.
    env: { PGSWEEP_STACK: 'embedded', NODE_EXTRA_CA_CERTS: '' },
    globalSetup: ['test/support/in-memory.ts', 'test/support/look-once.ts'],
    sequence: { sequencer: LongestFirst },
    // What was skipped, and why, comes last.
    reporters: ['default', './test/support/skip-report.ts'],
    projects: [
      { extends: true, resolve: built, test: { name: 'apart', include: apart, maxWorkers } },
      // File after file in the same processes: each loads the modules again, which takes half of what a new process does.
      {
        extends: true,
        resolve: built,
        test: {
          name: 'secrets',
          include: secrets,
          isolate: false,
          maxWorkers,
          setupFiles: ['test/support/own-modules.ts'],
        },
      },
      // File after file in the same processes, since to load the modules for each anew takes longer than many of these
      // tests. They leave no variable and no process behind, and no secret that may stand in a text of others.
      {
        extends: true,
        resolve: built,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...elsewhere, ...apart, ...secrets, ...computing],
          isolate: false,
          maxWorkers,
        },
      },
      // As many processes as cores, mostly: each loads the same modules, and what one has judged the others do not know.
      {
        extends: true,
        resolve: built,
        test: {
          name: 'computing',
          include: computing,
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          // The gate runs these at a low priority, beside tests with servers.
          testTimeout: 900_000,
        },
      },
      // What takes long by nature: sweeps that are killed, gone on with, switched live or made several times; 100,000
      // requests; installs by npm; a copy of the tree. `npm run test:sweeps`
      {
        extends: true,
        resolve: built,
        test: { name: 'sweeps', include: ['test/live/**/*.test.ts'], maxWorkers, sequence: { groupOrder: 2 } },
      },
      // What needs more than Node: Docker, the Java and Maven of OpenSearch, Go, or a browser. A node of OpenSearch fills
      // two cores when it starts, and takes a gigabyte. `npm run test:tools`
      {
        extends: true,
        test: {
          name: 'tools',
          include: ['test/tools/**/*.test.ts'],
          env: trusting,
          maxWorkers: 3,
          sequence: { groupOrder: 3 },
        },
      },
      // The package as npm installs it, which takes a registry. `npm run test:package`; .ci/nodes with other releases of Node.
      {
        extends: true,
        test: {
          name: 'package',
          env: trusting,
          include: ['test/package/*.test.ts'],
          globalSetup: ['test/package/install-once.ts'],
          testTimeout: 900_000,
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
        },
      },
      // The commands that stand in README and docs, one after the other. `npm run test:docs`
      {
        extends: true,
        test: {
          name: 'docs',
          env: trusting,
          include: ['test/docs/run/*.test.ts'],
          testTimeout: 900_000,
          maxWorkers: 1,
          sequence: { groupOrder: 5 },
        },
      },
      // What hangs on how quiet this machine is, one file after the other. `npm run bench`
      {
        extends: true,
        test: { name: 'quiet', include: ['test/bench/quiet/*.test.ts'], maxWorkers: 1, sequence: { groupOrder: 6 } },
      },
    ],
  },
});
