import { defineConfig } from 'vitest/config';
import { common, maxWorkers, resolved } from './vitest.config.ts';

/**
 * What takes long by nature, so that `npm test` does not: sweeps that are killed, gone on with, switched live or made several
 * times; 100,000 requests; installs by npm; a copy of the tree. `npm run test:sweeps` runs it.
 */
export default defineConfig({
  resolve: resolved,
  test: { ...common, include: ['test/live/**/*.test.ts'], maxWorkers, globalSetup: ['test/support/look-once.ts'] },
});
