import { closeSync, fdatasyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { NEW, unfinishedName } from '../../base/files/atomic-file.ts';
import { asDiskError, writeWhole } from '../../base/files/disk.ts';
import { fileMode } from '../../base/files/own-files.ts';
import type { JournalSoFar } from '../journal.ts';
import { sealed } from './seal.ts';

/** Characters that are written at a time. */
const PART = 1 << 20;

/**
 * Writes a journal whose records are all there, whole or not at all. Throws PgsweepError `disk` where the disk has no room,
 * and whatever going through the records throws.
 */
export function writeJournal(file: string, { run, records }: JournalSoFar): void {
  const unfinished = unfinishedName(file);
  const descriptor = openSync(unfinished, NEW, fileMode());
  try {
    const head = sealed(JSON.stringify(run), { line: 1, after: 0 }, 0);
    let [next, text] = [{ line: 2, after: head.sum }, `${head.text}\n`];
    for (const record of records) {
      const { line, sum, text: own } = sealed(JSON.stringify(record), next, head.sum);
      next = { line: line + 1, after: sum };
      text += `${own}\n`;
      if (text.length < PART) continue;
      writeWhole(descriptor, text);
      text = '';
    }
    writeWhole(descriptor, text);
    fdatasyncSync(descriptor);
    renameSync(unfinished, file);
  } catch (cause) {
    rmSync(unfinished, { force: true });
    throw asDiskError(cause, file);
  } finally {
    closeSync(descriptor);
  }
}
