#!/usr/bin/env node
import { readFileSync } from 'node:fs';

// The command line, where a URL may have a password, is visible to all users (ps): the title of the process replaces it.
process.title = 'pgsweep';
/** As findings of the doctor, which cannot be loaded itself. */
const shortages = {
  EMFILE:
    'open files  so few files may be open in a process (ulimit -n) that pgsweep cannot be loaded.\nRaise it in this shell: ulimit -n 1024, or more.',
  ENOMEM:
    'address space  a process may have so little (ulimit -v) that no WebAssembly can be loaded.\nRaise it in this shell: ulimit -v unlimited',
};
// The compiler of a clone fails in its own thread, whose errors nothing catches: so what Linux says is asked beforehand.
const limits = limitsOfProcess();
// Each memory of WebAssembly takes 10 GiB of it, none of which is used: Node's HTTP client has one. The compiler has two in the
// program, and two in the thread of a report.
const addressSpace = limitOf('Max address space');
try {
  if (limitOf('Max open files') < 100) throw shortOf('EMFILE');
  if (import.meta.url.endsWith('/src/cli/bin.mjs')) {
    if (addressSpace < 48e9) throw shortOf('ENOMEM');
    // A clone, which runs without a build.
    await import('../base/typescript.mjs');
    await import('./main.ts');
  } else {
    // Reports can do without. Node's client is loaded later, and its failure reaches no one.
    if (addressSpace < 12e9) process.setUncaughtExceptionCaptureCallback(end);
    await import('./main.js');
  }
} catch (error) {
  end(error);
}

function end(error) {
  const shortage = shortages[isOfWebAssembly(error) ? 'ENOMEM' : error?.code];
  if (shortage === undefined) throw error;
  console.error(`problem  ${shortage}`);
  process.exit(3);
}

function isOfWebAssembly(error) {
  return error instanceof RangeError && error.message.includes('WebAssembly');
}

function shortOf(code) {
  return Object.assign(new Error(), { code });
}

/** NaN where it is unlimited, or not known. */
function limitOf(name) {
  return Number(new RegExp(`^${name}\\s+(\\d+)`, 'm').exec(limits)?.[1]);
}

function limitsOfProcess() {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
