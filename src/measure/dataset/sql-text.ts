import { constants, isAscii, isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { archiveMinor, isGzip } from './dump-kind.ts';

/**
 * The text of an SQL file, gzipped or not: UTF-8, or the encoding that it says by SET client_encoding or SET NAMES. Throws
 * PgsweepError `dataset` for what is no text, with the line of the first bytes that are not of its encoding.
 */
export async function textOfSqlFile(file: string): Promise<string> {
  const hint = `Use dataset: { command: ... } with psql for what is larger than ${Math.floor(constants.MAX_STRING_LENGTH / 1e6)} MB.`;
  const bytes = await bytesOf(file).catch((cause: unknown) => {
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
  return decoded(file, bytes);
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

function decoded(file: string, bytes: Buffer): string {
  const names = isAscii(bytes) ? [] : encodingsSaid(bytes);
  const [label = 'utf-8', other] = new Set(names.map(labelOf));
  if (other !== undefined) {
    throw new PgsweepError('dataset', `${file} says more than one encoding: ${names.join(', ')}`, {
      hint: 'Have one encoding in a file: dataset.sql takes several files.',
    });
  }
  if (label === 'latin1') return bytes.toString('latin1');
  if (label === 'utf-8' && !isUtf8(bytes)) {
    throw new PgsweepError('dataset', `${file}:${firstLineNotUtf8(bytes)}: these bytes are not UTF-8`, {
      hint: "Save the file as UTF-8, or say its encoding at its beginning: SET client_encoding = 'LATIN1';",
    });
  }
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch (cause) {
    const why = cause instanceof RangeError ? 'which pgsweep does not know' : 'and has bytes that are not of it';
    throw new PgsweepError('dataset', `${file} is in the encoding ${names[0]}, ${why}`, {
      hint: 'Save it as UTF-8; of a dump: pg_dump --encoding=UTF8.',
      cause,
    });
  }
}

const saysEncoding =
  /^[ \t]*set[ \t]+(?:session[ \t]+)?(?:client_encoding[ \t]*(?:=|to\b)|names\b)[ \t]*'?([a-z0-9_ -]+?)'?[ \t]*;/gim;

function encodingsSaid(bytes: Buffer): string[] {
  // Every encoding of a client has ASCII as ASCII, and in latin1 every byte is a character.
  return [...bytes.toString('latin1').matchAll(saysEncoding)].flatMap(([, name]) => name ?? []);
}

/** Names of Postgres (charset_mib) that are no labels of the Encoding Standard, as labels; the others are by their spelling. */
const labels: Readonly<Record<string, string>> = {
  utf8: 'utf-8',
  unicode: 'utf-8',
  // Postgres does not convert it, and the database has UTF-8.
  sql_ascii: 'utf-8',
  default: 'utf-8',
  'iso-8859-1': 'latin1',
  latin7: 'iso-8859-13',
  latin8: 'iso-8859-14',
  latin9: 'iso-8859-15',
  latin10: 'iso-8859-16',
  koi8: 'koi8-r',
  koi8r: 'koi8-r',
  koi8u: 'koi8-u',
  win: 'windows-1251',
  win866: 'ibm866',
  euc_cn: 'gbk',
  uhc: 'euc-kr',
};

function labelOf(name: string): string {
  const known = name.toLowerCase();
  return labels[known] ?? known.replace(/^win(?:dows-?)?(?=\d)/, 'windows-').replaceAll('_', '-');
}

function firstLineNotUtf8(bytes: Buffer): number {
  let line = 1;
  for (let at = 0; ; line++) {
    const end = bytes.indexOf('\n', at);
    if (end < 0 || !isUtf8(bytes.subarray(at, end))) return line;
    at = end + 1;
  }
}
