import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asDiskError } from './disk.ts';
import { fileMode, folderMode } from './own-files.ts';

/** A flag that opens only a file that was not there before, and follows no link. */
export const NEW = 'wx';

/**
 * Writes a file of a run whole or not at all, so that a kill leaves no half of it. Folders on the way are made. Throws
 * PgsweepError, as `asDiskError` makes it, and else what the file system throws.
 */
export function writeFileAtomic(file: string, text: string, mode = fileMode()): void {
  const unfinished = unfinishedName(file);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: folderMode() });
    writeFileSync(unfinished, text, { flag: NEW, mode });
    renameSync(unfinished, file);
  } catch (cause) {
    try {
      rmSync(unfinished, { force: true });
    } catch {
      // The first error says why.
    }
    throw asDiskError(cause, file);
  }
}

/** A random name beside a file. Another user of its folder who could foresee the name might put a link there. */
export function unfinishedName(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}.tmp`;
}

/** Removes the unfinished files that killed writers left in a folder. Does nothing if the folder is missing or a link. */
export function removeUnfinished(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  for (const name of readdirSync(folder))
    if (/\.[0-9a-f]{12}\.tmp$/.test(name)) rmSync(join(folder, name), { force: true });
}
