import { mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isOwn, ownCache } from '../user-cache.mjs';

const KIND = 'running';

/**
 * The folders of this user that hold ledgers, the best first: in the cache, and for homes that cannot be written, as in many
 * containers, in a folder for temporary files. None that another user can write to, since commands in ledgers are run.
 */
export function ledgerFolders(): string[] {
  const cache = ownCache(process.env, KIND);
  const temporary = temporaryFolders().filter((folder) => isTrusted(folder));
  return cache === null ? temporary : [cache, ...temporary];
}

/** Those that a ledger can be written to; one for temporary files is made only where the cache cannot be used. */
export function writableLedgerFolders(): string[] {
  const cache = ownCache(process.env, KIND);
  return cache === null ? temporaryFolders().filter((folder) => isMade(folder) && isTrusted(folder)) : [cache];
}

/** `pgsweep clean` may lack the variable that the run had, so the system's own folder comes first. */
function temporaryFolders(): string[] {
  const name = `pgsweep-${KIND}-${process.geteuid?.() ?? 'user'}`;
  const { PGSWEEP_TMP } = process.env;
  return [...new Set([tmpdir(), ...(PGSWEEP_TMP ? [PGSWEEP_TMP] : [])])].map((parent) => resolve(parent, name));
}

function isMade(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST';
  }
}

/** True if it is a folder of the user alone, and nobody else can put another in its place. */
function isTrusted(folder: string): boolean {
  try {
    const { uid, mode } = statSync(join(folder, '..'));
    const isShared = (mode & 0o022) !== 0;
    const isSticky = (mode & 0o1000) !== 0;
    const isOwners = process.geteuid === undefined || uid === 0 || uid === process.geteuid();
    return isOwn(folder, 0o077) && isOwners && (!isShared || isSticky || process.geteuid === undefined);
  } catch {
    return false;
  }
}
