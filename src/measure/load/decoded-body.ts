import { brotliDecompressSync, constants, unzipSync } from 'node:zlib';

/** Names how a body is compressed. Kept of answers whose bodies are looked at. */
export const CONTENT_ENCODING = 'content-encoding';
/** Limit of a body that is unpacked, in bytes. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Text of a body, of which the end may be missing, by headers with names in lower case. One that is compressed in another
 * way, or broken, stays as it came.
 */
export function decodedBody(bytes: Buffer, headers: readonly (readonly [name: string, value: string])[]): string {
  const encoding = headers.find(([name]) => name === CONTENT_ENCODING)?.[1].toLowerCase();
  return (encoding === undefined || bytes.length === 0 ? bytes : unpacked(bytes, encoding)).toString();
}

function unpacked(bytes: Buffer, encoding: string): Buffer {
  try {
    if (encoding === 'br') {
      const finishFlush = constants.BROTLI_OPERATION_FLUSH;
      return brotliDecompressSync(bytes, { finishFlush, maxOutputLength: MOST_BYTES });
    }
    if (encoding !== 'gzip' && encoding !== 'x-gzip' && encoding !== 'deflate') return bytes;
    return unzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MOST_BYTES });
  } catch {
    return bytes;
  }
}
