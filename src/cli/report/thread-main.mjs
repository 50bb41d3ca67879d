// The thread of `report`, `merge` and `compare`.
if (import.meta.url.endsWith('/src/cli/report/thread-main.mjs')) {
  // A clone, which runs without a build. Threads do not share the loader.
  await import('../../base/typescript.mjs');
  await import('./thread-main.ts');
} else await import('./thread-main.js');
