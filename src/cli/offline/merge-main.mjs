// The thread of `merge`.
if (import.meta.url.endsWith('/src/cli/offline/merge-main.mjs')) {
  // A clone, which runs without a build. Threads do not share the loader.
  await import('../../base/typescript.mjs');
  await import('./merge-main.ts');
} else await import('./merge-main.js');
