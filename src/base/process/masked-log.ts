import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { writeWhole } from '../files/disk.ts';
import { fileMode } from '../files/own-files.ts';
import { createMasker } from '../secrets.ts';

/** Appends what comes by some streams to a file, as it comes, with known secrets masked. Throws what the file system throws. */
export function appendMasked(streams: readonly Readable[], file: string): void {
  const log = openSync(file, 'a', fileMode());
  const write = (bytes: Buffer): void => {
    try {
      writeWhole(log, bytes);
    } catch {
      // What has no room is lost, as it would be to a child that writes by itself: the journal beside it says so.
    }
  };
  let open = streams.length;
  for (const stream of streams) {
    const masker = createMasker();
    stream.on('data', (chunk: Buffer) => write(masker.push(chunk)));
    stream.once('close', () => {
      write(masker.end());
      if (--open === 0) closeSync(log);
    });
  }
}
