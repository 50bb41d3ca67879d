import { defineConfig } from 'vitest/config';
import { common, maxWorkers, resolved, sweeps } from './vitest.config.ts';

/** What takes long by nature, so that `npm test` does not: `npm run test:sweeps` runs it. */
export default defineConfig({
  resolve: resolved,
  test: { ...common, include: sweeps, maxWorkers, globalSetup: ['test/support/look-once.ts'] },
});
