// The thread of `compare`.
if (import.meta.url.endsWith('/src/cli/offline/compare-main.mjs')) {
  // A clone, which runs without a build. Threads do not share the loader.
  await import('../../base/typescript.mjs');
  await import('./compare-main.ts');
} else await import('./compare-main.js');
