import { parseExpressionAt } from 'acorn';
import { unreadable } from './found.ts';

/** A value of JSON. Throws PgsweepError `usage` with line and column where it is none. */
export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { line, column } = placeOfMistake(text, error);
    // What the engine says quotes the text, which may hold a secret.
    throw unreadable(file, line, column, 'this is no JSON', 'It may have been cut off, or saved by something else.');
  }
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** Not every version of the engine says where; JSON that is broken is seldom a JavaScript expression either. */
function placeOfMistake(text: string, error: unknown): Place {
  const position = /\bposition (\d+)/.exec(String(error))?.[1];
  if (position !== undefined) return placeAt(text, Number(position));
  try {
    parseExpressionAt(text, 0, { ecmaVersion: 'latest' });
  } catch (mistake) {
    const { pos } = mistake as { readonly pos?: unknown };
    if (typeof pos === 'number') return placeAt(text, pos);
  }
  return placeAt(text, 0);
}

function placeAt(text: string, position: number): Place {
  const before = text.slice(0, position);
  const lastEnd = before.lastIndexOf('\n');
  return { line: before.split('\n').length, column: position - lastEnd };
}
