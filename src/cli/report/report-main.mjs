// The thread of `report`.
if (import.meta.url.endsWith('/src/cli/report/report-main.mjs')) {
  // A clone, which runs without a build. Threads do not share the loader.
  await import('../../base/typescript.mjs');
  await import('./report-main.ts');
} else await import('./report-main.js');
