/** Any text as a block of code: its fence is longer than any in the text. */
export function codeBlock(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
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
