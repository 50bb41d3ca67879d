import { CsvError, parse } from 'csv-parse/sync';
import { messageOf } from '../errors.ts';
import { readTextUpTo } from './read-text.ts';

/** Rows of a CSV file with a head, each by the names of its columns. */
export interface CsvRows {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
}

/** More are no help to users, and all of them stand in memory. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Reads a CSV file (RFC 4180, UTF-8) whose first line names its columns. Throws an Error with the reason, and the line
 * where there is one.
 */
export function readCsvRows(file: string): CsvRows {
  const text = ((): string => {
    try {
      return readTextUpTo(file, MOST_BYTES);
    } catch (cause) {
      throw new Error(`it cannot be read: ${messageOf(cause)}`, { cause });
    }
  })();
  const [columns, ...rows] = parsed(text);
  if (columns === undefined) throw new Error('it is empty: expected a line with the names of columns');
  const twice = columns.find((column, index) => columns.indexOf(column) < index);
  if (twice !== undefined) throw new Error(`the column ${twice} stands twice in its first line`);
  if (rows.length === 0) throw new Error('it has no rows below the names of its columns');
  return {
    columns,
    rows: rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? '']))),
  };
}

function parsed(text: string): string[][] {
  try {
    return parse(text, { bom: true, trim: true, skip_empty_lines: true });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new Error(`it is no CSV: ${error.message}`, { cause: error });
  }
}
