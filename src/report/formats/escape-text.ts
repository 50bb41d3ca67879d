/** Any text as a block of code. */
export function codeBlock(text: string): string {
  const fence = fenceOf(text, 3);
  return `${fence}text\n${text}\n${fence}`;
}

/** Any text of one line as code in a sentence. */
export function codeSpan(text: string): string {
  const fence = fenceOf(text, 1);
  const room = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${room}${text}${room}${fence}`;
}

/** Backticks of this length at least, and longer than any in the text. */
function fenceOf(text: string, least: number): string {
  return '`'.repeat(Math.max(least, ...(text.match(/`+/g) ?? []).map(({ length }) => length + 1)));
}

/**
 * Makes text that anybody chose (names, titles) mean itself: no table cell, tag, mention, emphasis, formula, link,
 * address, list, heading or new line comes out of it.
 */
export function escapeText(text: string): string {
  return (
    text
      .replace(/\s+/g, ' ')
      .replace(/[\\`*|~]/g, '\\$&')
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
      .replace(/&(?=#?\w+;)/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/^>/, '&gt;')
      .replace(/^([-+]|#{1,6}|={2,}|-{2,})(?=\s|$)/, '\\$1')
      .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
      .replace(/^\[(?!!\] )/, '\\[')
      .replace(/\]\(/g, ']\\(')
      .replace(/:\/\//g, ':<!-- -->//')
      .replace(/www\./gi, '$&<!-- -->')
      .replace(/@|(?<![\p{L}\p{N}])#(?=[\p{L}\p{N}])|#(?=\d)/gu, '$&<!-- -->')
      // Between two of these stands a formula; the $1 of a statement is none.
      .replace(/\$(?!\d+\b(?!\$))/g, '&#36;')
  );
}
