import { fdatasyncSync, fstatSync, ftruncateSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { PgsweepError } from '../errors.ts';

/** Error codes of a file system that has no room or may not be written. */
const codes: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full',
  EDQUOT: 'the quota of its disk is used up',
  EFBIG: 'it may not grow any more',
  EROFS: 'its disk is read-only',
  EIO: 'its disk fails',
};
/** Error codes of a place that is none for a file, or not for this user. */
const places: Readonly<Record<string, string>> = {
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  ENOENT: 'its folder is not there',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EEXIST: 'a part of its path is a file, not a folder',
  EISDIR: 'there is a folder with its name',
};
/** With less than this no file of a run can be written. */
const NO_ROOM_BYTES = 256 * 1024;

/** Bytes that are free on a folder's disk; null where there is no such folder. */
export function freeBytesOf(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

/** Writes all of a text: a disk that is nearly full takes it in parts. Throws what the system throws. */
export function writeWhole(descriptor: number, text: string | Buffer): void {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}

/**
 * Adds a line to a file that is open for appending. All of it is on disk, or nothing of it: what has no room must not be
 * in the way of what is written later. Throws PgsweepError `disk` where the disk has no room, else what the system throws.
 */
export function appendLine(descriptor: number, file: string, text: string): void {
  const { size } = fstatSync(descriptor);
  try {
    writeWhole(descriptor, `${text}\n`);
    fdatasyncSync(descriptor);
  } catch (cause) {
    try {
      ftruncateSync(descriptor, size);
    } catch {
      // A line that is cut off is known for what it is.
    }
    throw asDiskError(cause, file);
  }
}

/**
 * The error of a file that could not be written: as PgsweepError `disk` where the disk is to blame, as `usage` where its place is;
 * else as it is.
 */
export function asDiskError(cause: unknown, file: string): unknown {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const [ofDisk, ofPlace] = [codes[code], places[code]];
  if (ofDisk !== undefined) return diskError(`${file} could not be written: ${ofDisk}`, cause);
  if (ofPlace === undefined) return cause;
  const hint = 'Change that, or name another place.';
  return new PgsweepError('usage', `${file} could not be written: ${ofPlace}`, { hint, cause });
}

/** True for the errors of a file that could not be written, as `asDiskError` makes them. */
export function isUnwritten(error: unknown): error is PgsweepError {
  return error instanceof PgsweepError && (error.code === 'disk' || error.code === 'usage');
}

/** The error of a run, as PgsweepError `disk` where one of these folders has no room: whatever failed, that is why. */
export function asErrorOfFullDisk(cause: unknown, folders: readonly string[]): unknown {
  if (cause instanceof PgsweepError && (cause.code === 'disk' || cause.code === 'interrupted')) return cause;
  const full = folders.find(hasNoRoom);
  if (full === undefined) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return diskError(`the disk of ${full} is full: ${message}`, cause);
}

function diskError(message: string, cause: unknown): PgsweepError {
  return new PgsweepError('disk', message, { hint: 'Make room on it, or name another place.', cause });
}

function hasNoRoom(folder: string): boolean {
  const bytes = freeBytesOf(folder);
  if (bytes !== null) return bytes < NO_ROOM_BYTES;
  return dirname(folder) !== folder && hasNoRoom(dirname(folder));
}
