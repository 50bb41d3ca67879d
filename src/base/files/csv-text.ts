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
export function csvText(text: string): string {
  return visibleLines(maskKnown(text)).replace(FORMULA, "$1'");
}

/** For csv-stringify: texts as above, numbers as they are. */
export const csvOptions = { cast: { string: csvText } } as const;
