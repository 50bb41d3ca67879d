import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.ts';

/** What needs more than Node: Docker, the Java and Maven of OpenSearch, Go, or a browser. `npm run test:tools` runs it. */
export default defineConfig({
  test: {
    ...common,
    include: ['test/tools/**/*.test.ts'],
    // A node of OpenSearch fills two cores when it starts, and takes a gigabyte.
    maxWorkers: 2,
    globalSetup: ['test/support/look-once.ts'],
  },
});
