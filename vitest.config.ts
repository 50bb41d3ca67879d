import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests boot real servers; the default 5 s is for tests that do not.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores: more workers would only make the servers that the tests start wait for each other.
    maxWorkers: 2,
  },
});
