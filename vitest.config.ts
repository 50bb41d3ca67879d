import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // What needs a quiet machine: `npm run bench` runs it (vitest.quiet.config.ts). The commands of the docs: `npm run
    // test:docs` (vitest.docs.config.ts).
    exclude: ['test/bench/**', 'test/docs/run/**'],
    // Tests boot real servers, and beside other load that takes ten times as long: only what hangs is to be ended.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is waited for comes at once on a quiet machine; the default of 1 s is too short for others.
    expect: { poll: { timeout: 20_000 } },
    // Where Docker is, too: what is tested in containers asks for them.
    env: { PGSWEEP_STACK: 'embedded' },
    // Two cores: more workers would only make the servers that the tests start wait for each other.
    maxWorkers: 2,
    globalSetup: ['test/support/look-once.ts'],
    // What was skipped, and why, comes last.
    reporters: ['default', './test/support/skip-report.ts'],
  },
});
