import { defineConfig } from 'vitest/config';

/** Tests that judge how quiet this machine is. */
const alone = 'test/**/*.alone.test.ts';

export default defineConfig({
  test: {
    // Tests boot real servers; the default 5 s is for tests that do not.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Where Docker is, too: what is tested in containers asks for them.
    env: { PGSWEEP_STACK: 'embedded' },
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [alone],
          // Two cores: more workers would only make the servers that the tests start wait for each other.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        // Groups run one after the other: nothing of the others is left when these begin.
        test: { name: 'alone', include: [alone], maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
