import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { asDiskError } from './disk.ts';
import { fileMode, folderMode } from './own-files.ts';

/**
 * Writes a file of a run whole or not at all, so that a kill leaves no half of it. Folders on the way are made. Throws
 * PgsweepError `disk` where the disk has no room, and else what the file system throws.
 */
export function writeFileAtomic(file: string, text: string, mode = fileMode()): void {
  const unfinished = unfinishedName(file);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: folderMode() });
    writeFileSync(unfinished, text, { flag: NEW, mode });
    renameSync(unfinished, file);
  } catch (cause) {
    rmSync(unfinished, { force: true });
    throw asDiskError(cause, file);
  }
}

/** A name beside a file that nobody can foresee: in a folder of somebody else's a link might wait there. */
export function unfinishedName(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}.tmp`;
}

/** Opens only what was not there, and follows no link. */
export const NEW = 'wx';
