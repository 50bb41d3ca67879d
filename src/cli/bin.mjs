#!/usr/bin/env node
// The command line, where a URL may have a password, is everybody's to read (ps): the title of the process replaces it.
process.title = 'pgsweep';
if (import.meta.url.endsWith('/src/cli/bin.mjs')) {
  // A clone, which runs without a build.
  await import('../base/typescript.mjs');
  await import('./main.ts');
} else await import('./main.js');
