import { lexer, type Token, type Tokens } from 'marked';
import { PgsweepError } from '../../base/errors.ts';
import type { Grid, GridRow } from './types.ts';

/**
 * The tables of a GitHub Markdown text, each with the heading or the bold line above it as its title. Throws PgsweepError
 * `usage` with the line where a row has more or fewer cells than the head: GitHub drops and adds such cells silently.
 */
export function markdownTables(file: string, text: string): Grid[] {
  const grids: Grid[] = [];
  let line = 1;
  let title = '';
  for (const token of lexer(text)) {
    if (token.type === 'heading') title = plainText(token.tokens);
    if (token.type === 'paragraph') {
      refuseBrokenTable(file, line, token.raw);
      if (/^\*\*[^\n]+\*\*$/.test(token.raw.trim())) title = plainText(token.tokens);
    }
    if (token.type === 'table') grids.push(gridOf(token as Tokens.Table, file, line, title));
    line += newlinesIn(token.raw);
  }
  return grids;
}

function gridOf(table: Tokens.Table, file: string, line: number, title: string): Grid {
  const head = table.header.map(({ tokens }) => plainText(tokens));
  const [, , ...raw] = table.raw.trimEnd().split('\n');
  const rows = table.rows.map((row, index): GridRow => {
    const at = line + 2 + index;
    const cells = cellCount(raw[index] ?? '');
    if (cells !== head.length) {
      throw new PgsweepError(
        'usage',
        `${file}:${at}: the row has ${cells} cells, the head of the table ${head.length}`,
        {
          hint: 'Add or remove cells; a pipe inside of a cell is written \\|.',
        },
      );
    }
    return { line: at, cells: row.map(({ tokens }) => plainText(tokens)) };
  });
  return { title, file, line, head, rows };
}

/** How many cells a row has as it is written; pipes at its ends are borders. */
function cellCount(row: string): number {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).length;
}

const DELIMITER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$/;

/** A table whose head and line of dashes have different numbers of cells is a paragraph to GitHub. */
function refuseBrokenTable(file: string, line: number, raw: string): void {
  const lines = raw.split('\n');
  const at = lines.findIndex((one, index) => index > 0 && DELIMITER.test(one));
  const [head, dashes] = [lines[at - 1], lines[at]];
  if (head === undefined || dashes === undefined) return;
  const message = `${file}:${line + at}: the line of dashes has ${cellCount(dashes)} cells, the head above it ${cellCount(head)}, so it is no table`;
  throw new PgsweepError('usage', message, { hint: 'Give both the same number of cells.' });
}

/** The text of inline Markdown without its marks. */
function plainText(tokens: readonly Token[] | undefined): string {
  const text = (tokens ?? []).map((token) => {
    if ('tokens' in token && token.tokens !== undefined) return plainText(token.tokens);
    if (token.type === 'html' || token.type === 'br') return ' ';
    return 'text' in token && typeof token.text === 'string' ? token.text : '';
  });
  return text.join('').replace(/\s+/g, ' ').trim();
}

function newlinesIn(text: string): number {
  return text.split('\n').length - 1;
}
