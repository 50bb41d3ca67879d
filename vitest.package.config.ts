import { defineConfig } from 'vitest/config';

/** The package as npm installs it, which takes a registry: `npm run test:package` runs it, and `.ci/nodes` with other releases of Node. */
export default defineConfig({
  test: {
    include: ['test/package/*.test.ts'],
    // As in vitest.config.ts: only what hangs is to be ended.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    env: { PGSWEEP_STACK: 'embedded' },
    maxWorkers: 1,
    globalSetup: ['test/support/look-once.ts', 'test/package/install-once.ts'],
  },
});
