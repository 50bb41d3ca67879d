import { closeSync, existsSync, fdatasyncSync, openSync, truncateSync, writeSync } from 'node:fs';
import { PgsweepError } from '../base/errors.ts';
import { fileMode } from '../base/own-files.ts';
import { lastLineOf, linesOf } from './lines.ts';
import { JOURNAL_VERSION, type JournalRecord, type RunRecord } from './records.ts';

/** The append-only record of a run. A record is on disk when `append` returns, so a kill loses nothing finished. */
export interface JournalWriter {
  append(record: JournalRecord): void;
  close(): void;
}

/**
 * Opens a journal for appending, and makes it where there is none. A last line that a kill cut off is removed: it never
 * was a record, and what follows must begin on a line of its own. Throws what the file system throws.
 */
export function openJournal(file: string): JournalWriter {
  removeCutOffLine(file);
  let descriptor: number | null = openSync(file, 'a', fileMode());
  return {
    append(record) {
      if (descriptor === null) throw new Error(`journal ${file} is closed`);
      writeSync(descriptor, `${JSON.stringify(record)}\n`);
      fdatasyncSync(descriptor);
    },
    close() {
      if (descriptor !== null) closeSync(descriptor);
      descriptor = null;
    },
  };
}

function removeCutOffLine(file: string): void {
  if (!existsSync(file)) return;
  const { start, ended } = lastLineOf(file);
  if (!ended) truncateSync(file, start);
}

export interface Journal {
  readonly run: RunRecord;
  /**
   * Every record after the first line, in order. A journal in a file is read anew each time that they are asked for,
   * record by record, since a long run's does not fit into memory; going through them throws like `readJournal`.
   */
  readonly records: Iterable<JournalRecord>;
  /** What is odd but can be lived with, such as a last line cut off by a kill. */
  readonly warnings: readonly string[];
}

interface ReadOptions {
  /** They are most of a journal; left out, they are not looked into, and take next to no time. */
  readonly probes?: 'read' | 'left out';
}

/**
 * Opens a journal for reading, as it is now: what is appended later is not in it. A last line that a kill cut off is
 * left out with a warning. Throws PgsweepError `journal` with `file:line` for anything else that is not a record.
 */
export function readJournal(file: string, { probes = 'read' }: ReadOptions = {}): Journal {
  const { end, warnings } = wholeRecords(file);
  const [run] = recordsOf(file, end);
  if (run?.type !== 'run') {
    throw new PgsweepError('journal', `${file}:1: the first line must be the run record`, {
      hint: 'Name the folder that `pgsweep sweep` wrote, such as results/pool-size-2026-01-31T10-00-00.',
    });
  }
  if (run.version !== JOURNAL_VERSION) {
    throw new PgsweepError(
      'journal',
      `${file}:1: journal version ${run.version}; this pgsweep reads ${JOURNAL_VERSION}`,
      {
        hint: `It was written by pgsweep ${run.provenance.pgsweepVersion}: report it with that version.`,
      },
    );
  }
  const leftOut = probes === 'read' ? null : probeStart;
  return { run, records: { [Symbol.iterator]: () => recordsOf(file, end, { skipLines: 1, leftOut }) }, warnings };
}

/** Up to where a journal holds records only; what stands behind is a last line that was cut off. */
function wholeRecords(file: string): { end: number; warnings: string[] } {
  const last = lastLineOf(file);
  const [line] = linesOf(file, last);
  if (line === undefined || parseLine(line) !== null) return { end: last.end, warnings: [] };
  let number = 1;
  for (const _ of linesOf(file, { start: 0, end: last.start })) number++;
  return { end: last.start, warnings: [`${file}:${number}: the last line is cut off and was left out`] };
}

/** How every probe record begins: run-probes.ts names the type first, and JSON keeps the order. */
const probeStart = '{"type":"probe",';

interface Skipped {
  /** So many lines from the first. */
  readonly skipLines: number;
  /** Lines that begin so. */
  readonly leftOut: string | null;
}

/** The records up to the byte `end`, without those that are to be skipped. */
function* recordsOf(
  file: string,
  end: number,
  { skipLines, leftOut }: Skipped = { skipLines: 0, leftOut: null },
): Generator<JournalRecord> {
  let number = 0;
  for (const line of linesOf(file, { start: 0, end })) {
    number++;
    if (number <= skipLines || (leftOut !== null && line.startsWith(leftOut))) continue;
    const record = parseLine(line);
    if (record === null) {
      throw new PgsweepError('journal', `${file}:${number}: not a journal record`, {
        hint: 'The journal is append-only: restore the line, or remove it and what follows it in that round.',
      });
    }
    yield record;
  }
}

function parseLine(line: string): JournalRecord | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'type' in value ? (value as JournalRecord) : null;
  } catch {
    return null;
  }
}

/** How many rounds are complete, counted from 1 without a gap. Goes through all records. */
export function completeRounds(journal: Journal): number {
  let rounds = 0;
  for (const record of journal.records) if (record.type === 'round') rounds++;
  return rounds;
}
