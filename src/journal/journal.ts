import { closeSync, existsSync, fstatSync, openSync, statSync, truncateSync } from 'node:fs';
import { PgsweepError } from '../base/errors.ts';
import { appendLine, writeWhole } from '../base/files/disk.ts';
import { fileMode } from '../base/files/own-files.ts';
import { type Inspection, inspect, readRecord } from './file/inspect.ts';
import { linesOf } from './file/lines.ts';
import { sealed } from './file/seal.ts';
import type { JournalRecord, RunRecord } from './records.ts';
import type { RoundsSpec } from './scenario-record.ts';

/** The append-only record of a run. A record is on disk when `append` returns, so a kill loses nothing finished. */
export interface JournalWriter {
  append(record: JournalRecord): void;
  close(): void;
}

/**
 * Opens a journal for appending, and makes it where there is none. A last line that a kill cut off is removed: it never
 * was a record, and what follows must begin on its own line. Throws what the file system throws; `append` throws
 * PgsweepError `disk` where the disk has no room, and `journal` where the file is not as this writer left it: a record on
 * top of another writer's would damage the journal for both.
 */
export function openJournal(file: string): JournalWriter {
  const before = existsSync(file) && statSync(file).size > 0 ? inspect(file) : null;
  let descriptor: number | null = openSync(file, 'a', fileMode());
  let next = before?.next ?? { line: 1, after: 0 };
  let first = before === null ? 0 : before.first;
  if (before !== null && before.cutOff !== null) truncateSync(file, before.end);
  else if (before?.isEnded === false) writeWhole(descriptor, '\n');
  let size = before === null ? 0 : before.end + (before.isEnded ? 0 : 1);
  return {
    append(record) {
      if (descriptor === null) throw new Error(`journal ${file} is closed`);
      if (fstatSync(descriptor).size !== size) throw changedByAnother(file);
      const json = JSON.stringify(record);
      const { line, sum, text } = sealed(json, next, first);
      appendLine(descriptor, file, text);
      size += Buffer.byteLength(text) + 1;
      next = { line: line + 1, after: sum };
      if (line === 1) first = sum;
    },
    close() {
      if (descriptor !== null) closeSync(descriptor);
      descriptor = null;
    },
  };
}

function changedByAnother(file: string): PgsweepError {
  return new PgsweepError('journal', `another process has changed ${file} during this run`, {
    hint: 'Two runs cannot share a folder. This run has stopped writing, so that the journal stays intact. Wait until the other run ends.',
  });
}

export interface Journal {
  readonly run: RunRecord;
  /**
   * Every record after the first line, in order. A journal in a file is read again each time that they are asked for,
   * record by record, since a long run's does not fit into memory; going through them throws like `readJournal`.
   */
  readonly records: Iterable<JournalRecord>;
  /** Names a last line that was cut off by a kill. */
  readonly warnings: readonly string[];
}

/** The part of a journal that is judged; a run that is not finished has no more. */
export type JournalSoFar = Pick<Journal, 'run' | 'records'>;

interface ReadOptions {
  /** They are most of a journal; left out, only their checksums are looked at. */
  readonly probes?: 'read' | 'left out';
}

/**
 * Opens a journal for reading, as it is now: what is appended later is not in it. Throws PgsweepError `journal` with
 * `file:line` for a line that is damaged or out of its place; only a last line that was cut off is left out.
 */
export function readJournal(file: string, { probes = 'read' }: ReadOptions = {}): Journal {
  const found = inspect(file);
  const { head, cutOff } = found;
  const leftOut = probes === 'read' ? null : probeStart;
  // Once they were all looked at, they need not be again.
  let looked = false;
  const records = function* (): Generator<JournalRecord> {
    yield* recordsOf(file, found, { leftOut, looked });
    looked = true;
  };
  return {
    run: head,
    records: { [Symbol.iterator]: records },
    warnings: cutOff === null ? [] : [`${file}:${cutOff}: the last line is cut off and was left out`],
  };
}

/**
 * Follows a journal that is being written: each call returns the records that were appended since the one before, the
 * first all of them. Throws like `readJournal`.
 */
export function followJournal(file: string, { probes = 'read' }: ReadOptions = {}): () => JournalSoFar {
  const leftOut = probes === 'read' ? null : probeStart;
  let found: Inspection | null = null;
  return () => {
    const start = found?.end ?? 0;
    const now = found === null ? inspect(file) : { ...found, end: statSync(file).size };
    found = now;
    const records = (): Generator<JournalRecord> => recordsOf(file, now, { leftOut, looked: false, start });
    return { run: now.head, records: { [Symbol.iterator]: records } };
  };
}

/** How every probe record begins: run-probes.ts names the type first, and JSON keeps the order. */
const probeStart = Buffer.from('{"type":"probe",');

/** The records after the first, without those whose lines begin as `leftOut`. */
function* recordsOf(
  file: string,
  found: Inspection,
  {
    leftOut,
    looked,
    start = 0,
  }: { readonly leftOut: Buffer | null; readonly looked: boolean; readonly start?: number },
): Generator<JournalRecord> {
  let line = 0;
  const place = (): string => (start === 0 ? `${file}:${line}` : `${file}: line ${line} after byte ${start}`);
  for (const bytes of linesOf(file, { start, end: found.end })) {
    line++;
    if (start === 0 && line === 1) continue;
    if (leftOut !== null && bytes.subarray(0, leftOut.length).equals(leftOut)) continue;
    yield readRecord(bytes, { place, looked, head: found.head });
  }
}

/** How many rounds are complete. Goes through all records. */
export function completeRounds(journal: Journal): number {
  return roundsOf(journal).size;
}

/** The last round that is complete; 0 where none is. */
export function lastRound(journal: Journal): number {
  return Math.max(0, ...roundsOf(journal));
}

/** How far the last session was to go, where it did not come to its end; null where it did. Goes through all records. */
export function roundsLeftOpen({ run, records }: Journal): RoundsSpec | null {
  let open: RoundsSpec | null = run.scenario.rounds;
  for (const record of records) {
    if (record.type === 'resume') open = record.rounds ?? run.scenario.rounds;
    if (record.type === 'end') open = null;
  }
  return open;
}

function roundsOf({ records }: Journal): Set<number> {
  const rounds = new Set<number>();
  for (const record of records) if (record.type === 'round') rounds.add(record.round);
  return rounds;
}
