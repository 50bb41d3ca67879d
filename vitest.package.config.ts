import { defineConfig } from 'vitest/config';

/** The package as npm installs it, which takes a registry: `npm run test:package` runs it, and `.ci/nodes` with other releases of Node. */
export default defineConfig({
  test: {
    include: ['test/package/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    env: { PGSWEEP_STACK: 'embedded' },
    maxWorkers: 1,
    globalSetup: ['test/support/look-once.ts', 'test/package/install-once.ts'],
  },
});
