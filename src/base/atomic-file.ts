import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { asDiskError } from './disk.ts';

/**
 * Writes a file whole or not at all, so that a kill leaves no half of it. Folders on the way are made. Throws PgsweepError
 * `disk` where the disk has no room, and else what the file system throws.
 */
export function writeFileAtomic(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(unfinished, text);
    renameSync(unfinished, file);
  } catch (cause) {
    rmSync(unfinished, { force: true });
    throw asDiskError(cause, file);
  }
}
