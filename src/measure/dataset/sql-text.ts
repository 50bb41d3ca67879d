import { constants } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { archiveMinor, isGzip } from './dump-kind.ts';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The bytes of an SQL file, gzipped or not, in whatever encoding: Postgres converts them, as the file tells it to. Throws
 * PgsweepError `dataset` for what is no text.
 */
export async function bytesOfSqlFile(file: string): Promise<Buffer> {
  const bytes = await bytesOf(file).catch((cause: unknown) => {
    if (/^Z_/.test(String((cause as NodeJS.ErrnoException).code))) {
      throw new PgsweepError('dataset', `${file} cannot be read: the gzip file is damaged or ends early`, {
        hint: 'Compress or copy it again, and compare the sizes.',
        cause,
      });
    }
    const hint = `Use dataset: { command: ... } with psql for what is larger than ${Math.floor(constants.MAX_STRING_LENGTH / 1e6)} MB.`;
    throw new PgsweepError('dataset', `${file} cannot be read: ${messageOf(cause)}`, { hint, cause });
  });
  if (archiveMinor(bytes) !== null) {
    throw new PgsweepError('dataset', `${file} is a dump in the custom format, not SQL`, {
      hint: 'Use dataset: { dump: FILE }, which takes all formats of pg_dump; decompress one that is gzipped as well.',
    });
  }
  if (bytes.includes(0)) {
    throw new PgsweepError('dataset', `${file} is not text`, {
      hint: 'dataset.sql takes SQL, gzipped or not, and what pg_dump writes in its plain format.',
    });
  }
  return bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
}

/** The bytes of a file, of a gzipped one those that were gzipped. */
async function bytesOf(file: string): Promise<Buffer> {
  const handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0).finally(() => handle.close());
  const pieces: Buffer[] = [];
  let size = 0;
  const collect = async (stream: AsyncIterable<Buffer>): Promise<void> => {
    for await (const piece of stream) {
      size += piece.length;
      // A small file may hold more than there is memory.
      if (size > constants.MAX_STRING_LENGTH) throw new Error('it is too long to be held as one text');
      pieces.push(piece);
    }
  };
  if (isGzip(buffer)) await pipeline(createReadStream(file), createGunzip(), collect);
  else await pipeline(createReadStream(file), collect);
  return Buffer.concat(pieces, size);
}

/**
 * Encodings of clients in which a second byte may look like ASCII, such as a backslash, with the first bytes of two. In all
 * others every byte below 128 is a character of ASCII (the list is PG_ENCODING_IS_CLIENT_ONLY of pg_wchar.h).
 */
const anyHighByte = (byte: number): boolean => byte >= 0x80;
const leadsOfShiftJis = (byte: number): boolean => (byte >= 0x81 && byte <= 0x9f) || (byte >= 0xe0 && byte <= 0xfc);
const twoByteLeads: Readonly<Record<string, (byte: number) => boolean>> = {
  SJIS: leadsOfShiftJis,
  SHIFT_JIS_2004: leadsOfShiftJis,
  BIG5: anyHighByte,
  GBK: anyHighByte,
  UHC: anyHighByte,
  GB18030: anyHighByte,
  JOHAB: anyHighByte,
};

/** A character for each byte, for finding where statements end: no second byte of a character looks like ASCII, as in psql. */
export function textToScan(bytes: Buffer, encoding: string, from: number): string {
  const isLead = twoByteLeads[encoding];
  if (isLead === undefined) return bytes.toString('latin1');
  const masked = Buffer.from(bytes);
  for (let at = from; at < masked.length; at++) if (isLead(bytes[at] ?? 0)) masked[++at] = 0xff;
  return masked.toString('latin1');
}
