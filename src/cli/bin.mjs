#!/usr/bin/env node
import { readFileSync } from 'node:fs';

// The command line, where a URL may have a password, is visible to all users (ps): the title of the process replaces it.
process.title = 'pgsweep';
try {
  if (isShortOfFiles()) throw Object.assign(new Error(), { code: 'EMFILE' });
  if (import.meta.url.endsWith('/src/cli/bin.mjs')) {
    // A clone, which runs without a build.
    await import('../base/typescript.mjs');
    await import('./main.ts');
  } else await import('./main.js');
} catch (error) {
  if (error?.code !== 'EMFILE') throw error;
  // So few that not even the program can be read, which would say so itself: as the doctor's finding of that name.
  console.error(
    'problem  open files  so few files may be open in a process (ulimit -n) that pgsweep cannot be loaded.\nRaise it in this shell: ulimit -n 1024, or more.',
  );
  process.exitCode = 3;
}

/** True where Linux says so beforehand. The compiler of a clone fails in its own thread, whose errors nothing catches. */
function isShortOfFiles() {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]) < 100;
  } catch {
    return false;
  }
}
