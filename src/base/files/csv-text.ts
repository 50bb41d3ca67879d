import { maskKnown } from '../secrets.ts';
import { visibleLines } from '../visible.ts';

/**
 * Where a spreadsheet would begin a cell: also after a semicolon and at the end of a line, since where a comma is for
 * decimals it divides by semicolons and knows no quotes in the middle of a cell. It calculates what begins with one of
 * these.
 */
const FORMULA = /(^|[;\n\t] *)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/**
 * A text as a cell that no spreadsheet calculates and no terminal obeys, without secrets that are known: before what
 * would be a formula stands an apostrophe.
 */
function csvText(text: string): string {
  return visibleLines(maskKnown(text)).replace(FORMULA, "$1'");
}

/** For csv-stringify: texts as above, numbers as they are. */
export const csvOptions = { cast: { string: csvText } } as const;

export type CsvValue = string | number | null;

/** This many texts of a file are remembered as cells: names occur in every row. */
const MOST_KNOWN = 10_000;

/**
 * Rows as CSV (RFC 4180, with a line feed at the end of each): texts as above, numbers as they are, nothing for null. A
 * run of many variants has a million fields, of which csv-stringify takes a microsecond or two each.
 */
export function csvRows(rows: readonly (readonly CsvValue[])[]): string {
  const known = new Map<string, string>();
  const cellOf = (value: CsvValue): string => {
    if (typeof value !== 'string') return value === null ? '' : String(value);
    const before = known.get(value);
    if (before !== undefined) return before;
    const text = csvText(value);
    const cell = /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    if (known.size < MOST_KNOWN) known.set(value, cell);
    return cell;
  };
  return rows.map((row) => `${row.map(cellOf).join(',')}\n`).join('');
}
