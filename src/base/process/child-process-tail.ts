import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';

export interface LineTail {
  /** Takes the chunks of one stream: lines of two streams mix, but never within a line. */
  reader(): (chunk: Buffer) => void;
  /** The last lines so far, those not finished yet at the end. */
  lines(): string[];
}

const maxLineLength = 2000;
const maxReadBytes = 64 * 1024;

/** Keeps the last `count` lines of some streams in memory that does not grow, and returns them without colours. */
export function createLineTail(count: number): LineTail {
  let kept: string[] = [];
  const unfinished: string[] = [];
  return {
    reader() {
      const decoder = new StringDecoder('utf8');
      const own = unfinished.push('') - 1;
      return (chunk) => {
        const parts = (unfinished[own] + decoder.write(chunk)).split(/\r?\n/);
        unfinished[own] = (parts.pop() ?? '').slice(0, maxLineLength);
        kept = [...kept, ...parts.slice(-count).map((line) => line.slice(0, maxLineLength))].slice(-count);
      };
    },
    lines: () => [...kept, ...unfinished.filter((line) => line !== '')].slice(-count).map(stripVTControlCharacters),
  };
}

/** The last `count` lines of a file after its first `from` bytes, without colours, read from its last 64 kB; none where it cannot be read. */
export function readFileTail(path: string, count: number, from = 0): string[] {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return [];
  }
  try {
    const size = fstatSync(file).size;
    const buffer = Buffer.alloc(Math.min(Math.max(0, size - from), maxReadBytes));
    const start = size - buffer.length;
    readSync(file, buffer, 0, buffer.length, start);
    const lines = buffer.toString('utf8').split(/\r?\n/);
    if (lines.at(-1) === '') lines.pop();
    // The first line of what is longer is most likely cut.
    if (start > from) lines.shift();
    return lines.slice(-count).map(stripVTControlCharacters);
  } finally {
    closeSync(file);
  }
}
