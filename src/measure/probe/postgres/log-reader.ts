import { type FileHandle, open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';

/** A place in a log file from which new lines are read. */
export interface LogMark {
  /** Reads it, line by line, and ends the mark. */
  read(onLine: (line: string) => void): Promise<void>;
  /** Ends it without reading. */
  drop(): Promise<void>;
}

const CHUNK_BYTES = 64 * 1024;
/** Longest part of a line that is read: a statement of megabytes is one line. */
const MOST_LINE = 4096;

/**
 * Remembers the end of a log file. The file stays open, so that one which is rotated away is read to its end, and then
 * the new one from its beginning; one that was truncated in place is read from its beginning.
 */
export async function markLog(file: string): Promise<LogMark> {
  const handle = await open(file, 'r');
  const at = await handle.stat();
  return {
    async read(onLine) {
      const lines = lineSplitter(onLine);
      try {
        const now = await handle.stat();
        await readFrom(handle, now.size < at.size ? 0 : at.size, lines.push);
      } finally {
        await handle.close();
      }
      lines.end();
      const next = await open(file, 'r');
      try {
        if ((await next.stat()).ino === at.ino) return;
        await readFrom(next, 0, lines.push);
        lines.end();
      } finally {
        await next.close();
      }
    },
    drop: () => handle.close(),
  };
}

interface EndOfLog {
  readonly mostBytes: number;
  /** A place where a line begins; what is before it is not read. */
  readonly fromByte?: number | undefined;
}

/** Reads the lines at the end of a log file: all of them in this many bytes, but for the first, which may be cut off. */
export async function readLogEnd(
  file: string,
  { mostBytes, fromByte = 0 }: EndOfLog,
  onLine: (line: string) => void,
): Promise<void> {
  const handle = await open(file, 'r');
  try {
    const start = Math.max(fromByte, (await handle.stat()).size - mostBytes);
    let isCut = start > fromByte;
    const lines = lineSplitter((line) => {
      if (!isCut) onLine(line);
      isCut = false;
    });
    await readFrom(handle, start, lines.push);
    lines.end();
  } finally {
    await handle.close();
  }
}

async function readFrom(handle: FileHandle, start: number, push: (chunk: Buffer) => void): Promise<void> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = start; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    push(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
}

function lineSplitter(onLine: (line: string) => void): { push(chunk: Buffer): void; end(): void } {
  let decoder = new StringDecoder('utf8');
  let rest = '';
  return {
    push(chunk) {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = (lines.pop() ?? '').slice(0, MOST_LINE);
      for (const line of lines) onLine(line.slice(0, MOST_LINE));
    },
    end() {
      if (rest !== '') onLine(rest);
      rest = '';
      decoder = new StringDecoder('utf8');
    },
  };
}
