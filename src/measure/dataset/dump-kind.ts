import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { PgsweepError } from '../../base/errors.ts';

/** Kind of a dump, by its content. pg_restore reads an archive; `minor` is 14 for format 1.14. */
export type DumpKind =
  /** SQL, gzipped or not. */
  | { readonly kind: 'sql' }
  | { readonly kind: 'archive'; readonly format: 'custom' | 'directory' | 'tar'; readonly minor: number };

const GZIP = Buffer.from([0x1f, 0x8b]);
/** Compressions that Node does not undo in all its versions. */
const compressions: readonly (readonly [name: string, magic: Buffer])[] = [
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ['xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a])],
  ['bzip2', Buffer.from('BZh')],
  ['lz4', Buffer.from([0x04, 0x22, 0x4d, 0x18])],
  ['zip', Buffer.from('PK\u0003\u0004')],
];
/** A tar file has its kind in the header of its first member, whose content follows. */
const TAR_MAGIC = 257;
const TAR_BLOCK = 512;

/** Advice about a dump that is not whole. */
export const CUT_OFF_HINT = 'The archive is cut off or damaged: dump or copy it again, and compare the sizes.';

/**
 * Looks into a dump, whatever its name is. Throws PgsweepError `dataset` for what is none, with what it is where that shows, and
 * for one that is cut off where pg_restore would restore a part of it without a word, or never end.
 */
export function dumpKindOf(dump: string): DumpKind {
  if (statSync(dump).isDirectory()) {
    const toc = join(dump, 'toc.dat');
    const minor = existsSync(toc) ? archiveMinor(headOf(toc)) : null;
    if (minor !== null) {
      requireWholeFiles(dump);
      return { kind: 'archive', format: 'directory', minor };
    }
    throw notADump(dump, 'is a folder without the toc.dat that pg_dump -Fd writes');
  }
  const head = headOf(dump);
  if (head.length === 0) throw notADump(dump, 'is empty');
  const custom = archiveMinor(head);
  if (custom !== null) return { kind: 'archive', format: 'custom', minor: custom };
  if (head.toString('latin1', TAR_MAGIC, TAR_MAGIC + 5) === 'ustar') {
    const tar = archiveMinor(head.subarray(TAR_BLOCK));
    if (tar !== null) {
      requireWholeTar(dump);
      return { kind: 'archive', format: 'tar', minor: tar };
    }
    throw notADump(dump, 'is a tar file whose first member is not what pg_dump -Ft writes');
  }
  const [compression] = compressions.find(([, magic]) => head.subarray(0, magic.length).equals(magic)) ?? [];
  if (compression !== undefined) throw notADump(dump, `is compressed with ${compression}`);
  if (!isGzip(head) && head.includes(0)) throw notADump(dump, 'is neither SQL nor what pg_dump writes');
  return { kind: 'sql' };
}

/** True if a file begins as gzip writes it. */
export function isGzip(head: Buffer): boolean {
  return head.subarray(0, GZIP.length).equals(GZIP);
}

/** `PGDMP`, then the version of the format, a byte each (pg_backup_archiver.c, ReadHead); null where it begins otherwise. */
export function archiveMinor(head: Buffer): number | null {
  return head.toString('latin1', 0, 5) === 'PGDMP' && head.length > 6 ? (head[6] ?? null) : null;
}

/** A cut in a larger file is in the middle of a row, which Postgres refuses. */
const SMALL_BYTES = 4 * 1024 * 1024;
const MOST_UNPACKED_BYTES = 256 * 1024 * 1024;

/** Requires that files are whole. Of a small one that is cut off pg_restore may load no rows at all, without a word. */
function requireWholeFiles(folder: string): void {
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.gz'))) {
    const file = join(folder, name);
    const { size } = statSync(file);
    // Even gzip of no rows has a head and an end.
    if (size === 0) throw cutOff(folder, `its ${name} is empty`);
    if (size <= SMALL_BYTES && !isWholeGzip(readFileSync(file)))
      throw cutOff(folder, `its ${name} is damaged or ends early`);
  }
}

function isWholeGzip(bytes: Buffer): boolean {
  try {
    gunzipSync(bytes, { maxOutputLength: MOST_UNPACKED_BYTES });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
  }
}

/** Goes from member to member, up to the blocks of zeros that a tar file ends with. */
function requireWholeTar(file: string): void {
  const { size } = statSync(file);
  const descriptor = openSync(file, 'r');
  try {
    const header = Buffer.alloc(TAR_BLOCK);
    for (let at = 0; ; ) {
      if (readSync(descriptor, header, 0, TAR_BLOCK, at) < TAR_BLOCK) throw cutOff(file, `it has ${size} bytes`);
      if (header.every((byte) => byte === 0)) return;
      at += TAR_BLOCK * (1 + Math.ceil(tarSize(header) / TAR_BLOCK));
    }
  } finally {
    closeSync(descriptor);
  }
}

/** The size of a member, in octal digits; of 8 GiB and more in bytes, after one that says so. */
function tarSize(header: Buffer): number {
  const isBinary = ((header[124] ?? 0) & 0x80) !== 0;
  return isBinary ? header.readUIntBE(130, 6) : Number.parseInt(header.toString('latin1', 124, 136), 8) || 0;
}

function cutOff(dump: string, why: string): PgsweepError {
  return new PgsweepError('dataset', `${dump} is not whole: ${why}`, { hint: CUT_OFF_HINT });
}

function headOf(file: string): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const head = Buffer.alloc(2 * TAR_BLOCK);
    return head.subarray(0, readSync(descriptor, head, 0, head.length, 0));
  } finally {
    closeSync(descriptor);
  }
}

function notADump(dump: string, what: string): PgsweepError {
  return new PgsweepError('dataset', `${dump} ${what}`, {
    hint: 'dataset.dump takes SQL, gzipped or not, and what pg_dump writes with -Fc, -Fd or -Ft; decompress anything else first.',
  });
}
