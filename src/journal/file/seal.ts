import { crc32 } from 'node:zlib';

/**
 * The end of a record's line: its place in the file, the checksum of the line before it, and its own over everything
 * before that. Those of all lines after the first begin from the first one's, so a line of another run never fits.
 */
export interface Seal {
  /** From 1. */
  readonly line: number;
  /** The checksum of the line before; 0 in the first. */
  readonly after: number;
  readonly sum: number;
}

/** A line's seal, and what it says of the line's bytes. */
export interface SealedLine extends Seal {
  /** How many are the record's, which lacks its closing brace. */
  readonly recordBytes: number;
  /** How many the checksum is of. */
  readonly coveredBytes: number;
}

const BEFORE_LINE = Buffer.from(',"line":');
const BEFORE_AFTER = Buffer.from(',"after":"');
const BEFORE_SUM = Buffer.from('","sum":"');
const END = Buffer.from('"}');
const HEX_DIGITS = 8;
const MOST_DIGITS = 10;
const [ZERO, NINE, A, F, CARRIAGE_RETURN] = [48, 57, 97, 102, 13];

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

/**
 * The seal at the end of a line; null where there is none. Read byte by byte from the end: text of every line would take
 * ten times as long.
 */
export function sealOf(bytes: Buffer): SealedLine | null {
  const end = (bytes[bytes.length - 1] === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length) - END.length;
  const sumAt = end - HEX_DIGITS;
  const beforeSum = sumAt - BEFORE_SUM.length;
  const afterAt = beforeSum - HEX_DIGITS;
  const lineEnd = afterAt - BEFORE_AFTER.length;
  if (lineEnd < 0 || !stands(END, bytes, end) || !stands(BEFORE_SUM, bytes, beforeSum)) return null;
  const [after, sum] = [hexAt(bytes, afterAt), hexAt(bytes, sumAt)];
  if (after === null || sum === null || !stands(BEFORE_AFTER, bytes, lineEnd)) return null;
  let [line, lineAt] = [0, lineEnd];
  for (let unit = 1; lineAt > Math.max(0, lineEnd - MOST_DIGITS) && isDigit(bytes[lineAt - 1]); unit *= 10) {
    line += unit * ((bytes[--lineAt] ?? 0) - ZERO);
  }
  const recordBytes = lineAt - BEFORE_LINE.length;
  if (recordBytes < 0 || line === 0 || bytes[lineAt] === ZERO || !stands(BEFORE_LINE, bytes, recordBytes)) return null;
  // The quote that ends the checksum of the line before is covered too.
  return { line, after, sum, recordBytes, coveredBytes: beforeSum + 1 };
}

/** True where a line's checksum is that of its bytes, in a file that begins with the line of checksum `first`. */
export function isIntact(bytes: Buffer, { line, sum, coveredBytes }: SealedLine, first: number): boolean {
  return crc32(bytes.subarray(0, coveredBytes), line === 1 ? 0 : first) === sum;
}

function stands(part: Buffer, bytes: Buffer, at: number): boolean {
  for (let i = 0; i < part.length; i++) if (bytes[at + i] !== part[i]) return false;
  return true;
}

function isDigit(byte = 0): boolean {
  return byte >= ZERO && byte <= NINE;
}

/** Eight digits as `hex` writes them; null where they are others. */
function hexAt(bytes: Buffer, at: number): number | null {
  let value = 0;
  for (let i = at; i < at + HEX_DIGITS; i++) {
    const byte = bytes[i] ?? 0;
    if (isDigit(byte)) value = 16 * value + byte - ZERO;
    else if (byte >= A && byte <= F) value = 16 * value + byte - A + 10;
    else return null;
  }
  return value;
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, '0');
}
