import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { PgsweepError } from '../base/errors.ts';
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
  let descriptor: number | null = openSync(file, 'a');
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
  const content = readFileSync(file);
  const end = content.lastIndexOf('\n') + 1;
  if (end < content.length) truncateSync(file, end);
}

export interface Journal {
  readonly run: RunRecord;
  /** Every record after the first line, in order. */
  readonly records: readonly JournalRecord[];
  /** What is odd but can be lived with, such as a last line cut off by a kill. */
  readonly warnings: readonly string[];
}

/**
 * Reads a journal. A last line that a kill cut off is left out with a warning.
 * Throws PgsweepError `journal` with `file:line` for anything else that is not a record.
 */
export function readJournal(file: string): Journal {
  const lines = readLines(file);
  const warnings: string[] = [];
  const records: JournalRecord[] = [];
  lines.forEach((line, index) => {
    const record = parseLine(line);
    if (record !== null) {
      records.push(record);
    } else if (index === lines.length - 1) {
      warnings.push(`${file}:${index + 1}: the last line is cut off and was left out`);
    } else {
      throw new PgsweepError('journal', `${file}:${index + 1}: not a journal record`, {
        hint: 'The journal is append-only: restore the line, or remove it and what follows it in that round.',
      });
    }
  });
  const [run, ...rest] = records;
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
  return { run, records: rest, warnings };
}

function readLines(file: string): string[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    if (lines.at(-1) === '') lines.pop();
    return lines;
  } catch (cause) {
    throw new PgsweepError('journal', `${file} cannot be read`, {
      hint: 'Name the folder that `pgsweep sweep` wrote: it holds journal.jsonl.',
      cause,
    });
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

/** How many rounds are complete, counted from 1 without a gap. */
export function completeRounds(journal: Journal): number {
  return journal.records.filter((record) => record.type === 'round').length;
}
