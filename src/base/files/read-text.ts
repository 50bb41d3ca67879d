import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** The file has more text than may be read of it. */
export class TextTooLong extends Error {}

const CHUNK_BYTES = 64 * 1024;

/** The text of a file, in UTF-8; throws like `readBytesUpTo`. */
export function readTextUpTo(file: string, mostBytes: number): string {
  return readBytesUpTo(file, mostBytes).toString('utf8');
}

/**
 * Content of a file, which may be a pipe or an endless device. Throws TextTooLong above `mostBytes`, otherwise errors of the
 * file system.
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

/** Nor waits for whoever writes into a pipe. */
const NO_LINK = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * The first bytes of a file in UTF-8, and whether these are all of it; null where there is no such file, or it is none
 * but a link, a pipe or a device.
 */
export function readTextStart(
  file: string,
  mostBytes: number,
): { readonly text: string; readonly isWhole: boolean } | null {
  let descriptor: number;
  try {
    descriptor = openSync(file, NO_LINK);
  } catch {
    return null;
  }
  try {
    const about = fstatSync(descriptor);
    if (!about.isFile()) return null;
    const bytes = Buffer.alloc(Math.min(mostBytes, about.size));
    const read = readSync(descriptor, bytes, 0, bytes.length, 0);
    return { text: bytes.toString('utf8', 0, read), isWhole: about.size <= mostBytes };
  } finally {
    closeSync(descriptor);
  }
}
