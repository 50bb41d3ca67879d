import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync } from 'node:fs';
import { asDiskError } from './disk.ts';

const CHUNK_BYTES = 64 * 1024;
const LINE_FEED = 10;

/**
 * Removes what follows the last line feed of a file, as a kill leaves it: the next row must begin on its own line. Returns true if the
 * file is then empty, or does not exist. Throws as `asDiskError`.
 */
export function removeTornLine(file: string): boolean {
  const before = statSync(file, { throwIfNoEntry: false });
  if (before === undefined) return true;
  if (!before.isFile()) return false;
  let descriptor: number | null = null;
  try {
    descriptor = openSync(file, 'r+');
    const { size } = fstatSync(descriptor);
    const end = endOfLines(descriptor, size);
    if (end < size) ftruncateSync(descriptor, end);
    return end === 0;
  } catch (cause) {
    throw asDiskError(cause, file);
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/** Where the last line feed ends, in bytes; 0 where there is none. Samples of hours are large, so it is looked for from the end. */
function endOfLines(descriptor: number, size: number): number {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const read = readSync(descriptor, chunk, 0, end - start, start);
    const found = chunk.subarray(0, read).lastIndexOf(LINE_FEED);
    if (found >= 0) return start + found + 1;
    end = start;
  }
  return 0;
}
