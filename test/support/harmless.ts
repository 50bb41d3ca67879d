import { lexer } from 'marked';
import { CLASSIC_FILE } from '../../src/report/classic/classic-report.ts';

/**
 * What somebody else's names must not do to who reads an output: each function returns what it found that would be
 * obeyed, as words for people; nothing where all is well.
 */

/** Of a terminal or any viewer of text: what moves the cursor, hides or turns text around. A tab does no more than spaces. */
export function unseenIn(text: string): string[] {
  const found = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.exec(text);
  if (found === null) return [];
  const { 0: character, index } = found;
  return [
    `U+${character.codePointAt(0)?.toString(16)} after ${JSON.stringify(text.slice(Math.max(0, index - 60), index))}`,
  ];
}

/** Of a spreadsheet, however it divides the line. */
export function formulasIn(csv: string): string[] {
  return csv
    .split(/[,;\t\n]/)
    .map((one) => one.trim().replace(/^"+/, ''))
    .filter((cell) => /^[=+\-@]/.test(cell) && !/^-?[\d.e+-]+$/.test(cell))
    .map((cell) => `the cell ${JSON.stringify(cell.slice(0, 60))}`);
}

/** Of GitHub: a tag, link, image, mention, task, heading or row that is none of the report's own. */
export function markupIn(report: string): string[] {
  // The comment that marks a report shows nothing, and pictures of the run folder have names that hold nobody's text.
  const markdown = report
    .replace(/^<!-- pgsweep:report [\p{L}\p{N} ._=,…-]*? -->/u, '')
    .replace(/\]\(charts\/[a-z_]+(-\d+)*\.svg\)/g, '');
  const own = /<\/?(details|summary)>|<!-- -->/g;
  const kinds: readonly (readonly [string, RegExp])[] = [
    ['a tag', /</],
    ['a link', /\]\(|:\/\/|www\.(?!<!--)/],
    ['code', /(?<!\\)`</],
    ['a mention', /@(?!<!--)/],
    ['a task', /^\s*- \[[ x]\]/m],
    ['a definition', /^(- )?\[[^!\]]*\]:/m],
    ['a heading in a list', /^- #{1,6} |^- - /m],
  ];
  const text = markdown.replace(own, (tag) => (tag === '<!-- -->' ? '\u0000' : ''));
  const found = kinds.flatMap(([what, pattern]) => {
    const at = pattern.exec(what === 'a tag' ? text : markdown);
    return at === null ? [] : [`${what}: ${JSON.stringify(at.input.slice(at.index, at.index + 60))}`];
  });
  const count = (pattern: RegExp): number => markdown.match(pattern)?.length ?? 0;
  if (count(/<details>/g) !== count(/<\/details>/g)) found.push('details that are not closed');
  if (count(/^# /gm) !== 1) found.push(`${count(/^# /gm)} titles`);
  return [...found, ...tornTables(markdown)];
}

/** Rows of a table that have more or fewer cells than its head. */
function tornTables(markdown: string): string[] {
  const torn: string[] = [];
  let cells = 0;
  for (const line of markdown.split('\n')) {
    const own = line.startsWith('|') ? (line.replace(/\\./g, '').match(/\|/g)?.length ?? 0) : 0;
    if (cells > 0 && own > 0 && own !== cells)
      torn.push(`a row of ${own} cells where ${cells} are: ${line.slice(0, 80)}`);
    cells = own;
  }
  return torn;
}

/** Of whatever reads a file of this name; of a page that has tags but for these. */
export function harmsIn(name: string, text: string, tags: ReadonlySet<string>): string[] {
  const own = unseenIn(text);
  if (name.endsWith('.csv')) return [...own, ...formulasIn(text)];
  if (name.endsWith('.md')) return [...own, ...markupIn(name === CLASSIC_FILE ? withoutCode(text) : text)];
  if (!/\.(html|svg)$/.test(name)) return own;
  return [...own, ...[...tagsOf(text)].filter((tag) => !tags.has(tag)).map((tag) => `<${tag}>`)];
}

/** Markdown without its blocks of code, where nothing is obeyed. */
export function withoutCode(markdown: string): string {
  return lexer(markdown)
    .map(({ type, raw }) => (type === 'code' ? '\n' : raw))
    .join('');
}

/** The tags of an HTML or SVG text, each with the names of its attributes: those of a name of ours are all it may have. */
export function tagsOf(html: string): Set<string> {
  return new Set(
    [...html.matchAll(/<(\/?[a-z!][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/gi)].flatMap(([, tag = '', rest = '']) => [
      tag.toLowerCase(),
      ...[...rest.replace(/"[^"]*"|'[^']*'/g, '""').matchAll(/([^\s=/"]+)\s*=/g)].map(([, name]) =>
        `${tag} ${name}`.toLowerCase(),
      ),
    ]),
  );
}
