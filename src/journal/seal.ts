import { crc32 } from 'node:zlib';

/**
 * What ends the line of a record: its place in the file, the checksum of the line before it, and its own over everything
 * before that. Those of all lines after the first begin from the first one's, so a line of another run never fits.
 */
export interface Seal {
  /** From 1. */
  readonly line: number;
  /** The checksum of the line before; 0 in the first. */
  readonly after: number;
  readonly sum: number;
}

/** A line's seal, and how many of its bytes are the record's, which lacks its closing brace. */
export interface SealedLine extends Seal {
  readonly recordBytes: number;
  /** Whether the checksum is that of the bytes, for a file that begins with the line of checksum `first`. */
  fits(first: number): boolean;
}

const MOST_BYTES = 64;
const pattern = /,"line":([1-9]\d{0,9}),"after":"([0-9a-f]{8})"(,"sum":"([0-9a-f]{8})"\}\r?)$/;

/** Adds the seal to a record's JSON. */
export function sealed(
  json: string,
  { line, after }: Pick<Seal, 'line' | 'after'>,
  first: number,
): Seal & { text: string } {
  const covered = `${json.slice(0, -1)},"line":${line},"after":"${hex(after)}"`;
  const sum = crc32(covered, first);
  return { line, after, sum, text: `${covered},"sum":"${hex(sum)}"}` };
}

/** The seal at the end of a line; null where there is none. */
export function sealOf(bytes: Buffer): SealedLine | null {
  const match = pattern.exec(bytes.toString('latin1', Math.max(0, bytes.length - MOST_BYTES)));
  if (match === null) return null;
  const [whole, line, after = '', own = '', sum = ''] = match;
  const covered = bytes.length - own.length;
  const [expected, recordBytes] = [Number.parseInt(sum, 16), bytes.length - whole.length];
  return {
    line: Number(line),
    after: Number.parseInt(after, 16),
    sum: expected,
    recordBytes,
    fits: (first) => crc32(bytes.subarray(0, covered), first) === expected,
  };
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, '0');
}
