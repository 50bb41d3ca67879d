import { defineConfig } from 'vitest/config';

/** Tests whose outcome hangs on how quiet this machine is, one file after the other: `npm run bench` runs them. */
export default defineConfig({
  test: {
    include: ['test/bench/quiet/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is waited for comes at once on a quiet machine; the default of 1 s is too short for others.
    expect: { poll: { timeout: 20_000 } },
    env: { PGSWEEP_STACK: 'embedded' },
    maxWorkers: 1,
    globalSetup: ['test/support/look-once.ts'],
    reporters: ['default', './test/support/skip-report.ts'],
  },
});
