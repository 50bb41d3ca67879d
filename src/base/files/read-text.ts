import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** The file has more text than may be read of it. */
export class TextTooLong extends Error {}

const CHUNK_BYTES = 64 * 1024;

/**
 * The text of a file in UTF-8, or in UTF-16 with its byte order mark, as PowerShell writes it. A gzip file is unpacked. The
 * text has no mark. Throws like `readBytesUpTo`, and an Error if a gzip file is damaged or ends early.
 */
export function readTextUpTo(file: string, mostBytes: number): string {
  const bytes = unpacked(file, readBytesUpTo(file, mostBytes), mostBytes);
  const isUtf16 = bytes.length >= 2 && (bytes.readUInt16BE(0) === 0xfffe || bytes.readUInt16BE(0) === 0xfeff);
  if (!isUtf16) return bytes.toString('utf8').replace(/^\uFEFF/, '');
  return new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes);
}

function unpacked(file: string, bytes: Buffer, mostBytes: number): Buffer {
  if (bytes.length < 2 || bytes.readUInt16BE(0) !== 0x1f8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: mostBytes });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new TextTooLong(`${file} has more than ${mostBytes} bytes when it is unpacked`);
    throw new Error('the gzip file is damaged or ends early', { cause });
  }
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

/** Flags that refuse a link, and open a pipe without waiting for its writer. */
const NO_LINK = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * The first bytes of a file in UTF-8, and whether these are all of it; null where there is no such file, and for a link, a
 * pipe or a device.
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
