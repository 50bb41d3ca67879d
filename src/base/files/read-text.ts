import { closeSync, openSync, readSync } from 'node:fs';

/** The file goes on after as much as was to be read of it. */
export class TextTooLong extends Error {}

const CHUNK_BYTES = 64 * 1024;

/** The text of a file, in UTF-8; throws like `readBytesUpTo`. */
export function readTextUpTo(file: string, mostBytes: number): string {
  return readBytesUpTo(file, mostBytes).toString('utf8');
}

/**
 * What is in a file, which may be a pipe or a device that never ends: throws TextTooLong once it has more than
 * `mostBytes`, and otherwise what the file system throws.
 */
export function readBytesUpTo(file: string, mostBytes: number): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const chunks: Buffer[] = [];
    let length = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const read = readSync(descriptor, chunk);
      if (read === 0) return Buffer.concat(chunks);
      length += read;
      if (length > mostBytes) throw new TextTooLong(`${file} has more than ${mostBytes} bytes`);
      chunks.push(chunk.subarray(0, read));
    }
  } finally {
    closeSync(descriptor);
  }
}
