import { CsvError, parse } from 'csv-parse/sync';
import { PgsweepError } from '../../base/errors.ts';
import type { Grid } from './types.ts';

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * The one table of a CSV text, divided by commas, semicolons or tabs, whichever its first line has most of. Throws
 * PgsweepError `usage` with the line where a row has more or fewer cells than the head, or quotes are wrong.
 */
export function csvTable(file: string, text: string): Grid {
  const [head, ...rows] = parsed(file, text);
  if (head === undefined) throw new PgsweepError('usage', `${file}: the table is empty`);
  const wanted = head.record.length;
  const bad = rows.find(({ record }) => record.length !== wanted);
  if (bad !== undefined) {
    const message = `${file}:${bad.info.lines}: the row has ${bad.record.length} cells, the head of the table ${wanted}`;
    throw new PgsweepError('usage', message, {
      hint: 'Add or remove cells; a cell with a comma in it stands in quotes.',
    });
  }
  return {
    title: '',
    file,
    line: head.info.lines,
    head: head.record,
    rows: rows.map(({ record, info }) => ({ line: info.lines, cells: record.map(withoutGuard) })),
  };
}

function parsed(file: string, text: string): CsvRecord[] {
  const options = { bom: true, delimiter: delimiterOf(text), trim: true, skip_empty_lines: true, info: true };
  try {
    return parse(text, { ...options, relax_column_count: true }) as unknown as CsvRecord[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === 'number' ? `:${error.lines}` : '';
    throw new PgsweepError('usage', `${file}${line}: ${error.message}`, { cause: error });
  }
}

function delimiterOf(text: string): string {
  const [first = ''] = text.trimStart().split('\n');
  const counts = [',', ';', '\t'].map((mark) => ({ mark, count: first.split(mark).length }));
  return counts.reduce((most, one) => (one.count > most.count ? one : most)).mark;
}

/** Our own CSV has an apostrophe before what a spreadsheet would calculate. */
function withoutGuard(cell: string): string {
  return cell.replace(/^'(?=[=+\-@])/, '');
}
