import { defineConfig } from 'vitest/config';

/** Runs the commands that stand in README and docs, one after the other: `npm run test:docs`. */
export default defineConfig({
  test: {
    include: ['test/docs/run/*.test.ts'],
    testTimeout: 900_000,
    env: { PGSWEEP_STACK: 'embedded' },
    maxWorkers: 1,
    globalSetup: ['test/support/look-once.ts'],
    // What was left out, and why, comes last.
    reporters: ['verbose', './test/support/skip-report.ts'],
  },
});
