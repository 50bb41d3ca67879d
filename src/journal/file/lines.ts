import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { PgsweepError } from '../../base/errors.ts';

/** Bytes of a file that are in memory at a time, unless a line is longer. */
const CHUNK_BYTES = 256 * 1024;
/** A longer line is no record, and would not fit into memory. */
const MOST_LINE_BYTES = 32 * 2 ** 20;
const LINE_FEED = 10;

/**
 * The lines of a file from the byte `start` to before `end`, without their line feeds; nothing after the last line feed
 * is no line. Each is the bytes of a buffer that is used again for what follows.
 * Throws PgsweepError `journal` where the file cannot be read or a line is longer than 32 MiB.
 */
export function* linesOf(file: string, span: { readonly start: number; readonly end: number }): Generator<Buffer> {
  const descriptor = open(file);
  try {
    let buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    let [held, position] = [0, span.start];
    while (position < span.end) {
      if (held >= MOST_LINE_BYTES) throw new PgsweepError('journal', `${file}: a line is longer than 32 MiB`);
      if (held === buffer.length) buffer = Buffer.concat([buffer], 2 * held);
      const length = readSync(descriptor, buffer, held, Math.min(buffer.length - held, span.end - position), position);
      if (length === 0) break;
      position += length;
      // The bytes held before have no line feed; those behind are left over from an earlier read.
      let lineFeed = buffer.indexOf(LINE_FEED, held);
      held += length;
      let start = 0;
      for (; lineFeed >= 0 && lineFeed < held; lineFeed = buffer.indexOf(LINE_FEED, start)) {
        yield buffer.subarray(start, lineFeed);
        start = lineFeed + 1;
      }
      buffer.copy(buffer, 0, start, held);
      held -= start;
    }
    if (held > 0) yield buffer.subarray(0, held);
  } finally {
    closeSync(descriptor);
  }
}

/** The size of a file in bytes. Throws PgsweepError `journal` where it cannot be read. */
export function sizeOf(file: string): number {
  const descriptor = open(file);
  try {
    return fstatSync(descriptor).size;
  } finally {
    closeSync(descriptor);
  }
}

function open(file: string): number {
  try {
    if (!statSync(file).isFile()) throw new Error('it is no file');
    return openSync(file, 'r');
  } catch (cause) {
    const isForeign = ['EACCES', 'EPERM'].includes(String((cause as NodeJS.ErrnoException).code));
    throw new PgsweepError('journal', `${file} cannot be read${isForeign ? ': it belongs to another user' : ''}`, {
      hint: isForeign
        ? 'Its owner shares runs with --share; of one that is there: chmod -R a+rX, on its folder.'
        : 'Name the folder that `pgsweep sweep` wrote: it holds journal.jsonl.',
      cause,
    });
  }
}
