import { Marked, Renderer, type Tokens } from 'marked';
import { visibleLines } from '../../base/visible.ts';
import { framed } from './elements.ts';
import { escapeHtml } from './escape.ts';

/** Headings of this level divide comments.md into sections. */
const COMMENTS_LEVEL = 2;
const DEEPEST_LEVEL = 6;
const TABLE = 'Table of the comments';
/** An address of any other kind might be a script. */
const HARMLESS = /^(https?:\/\/|mailto:|#)/i;

/**
 * The Markdown of a section of comments.md as harmless HTML. Tags stand there as text, pictures (which would be
 * fetched) as their description, addresses other than pages and mail as their text. Headings continue below the level
 * of the section that it stands in.
 */
export function commentsHtml(markdown: string, sectionLevel: number): string {
  const renderer = new Renderer();
  const plainTable = renderer.table;
  let level = sectionLevel;
  renderer.html = ({ text }) => escapeHtml(text);
  renderer.image = ({ href, text }) => escapeHtml(`[picture: ${text === '' ? href : text}]`);
  renderer.checkbox = ({ checked }) => (checked ? '[x] ' : '[ ] ');
  renderer.link = function link({ href, tokens }: Tokens.Link): string {
    const text = this.parser.parseInline(tokens);
    return HARMLESS.test(href) ? `<a href="${escapeHtml(href)}" rel="noopener noreferrer">${text}</a>` : text;
  };
  renderer.heading = function heading({ tokens, depth }: Tokens.Heading): string {
    level = Math.min(DEEPEST_LEVEL, level + 1, sectionLevel + Math.max(1, depth - COMMENTS_LEVEL));
    return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
  };
  renderer.table = function table(token: Tokens.Table): string {
    const table = plainTable
      .call(this, token)
      .replace(/<th([^>]*)><\/th>/g, '<td$1></td>')
      .replace(/<th(?=[ >])/g, '<th scope="col"');
    return framed(TABLE, table.replace('<table', `<table aria-label="${TABLE}"`));
  };
  const html = new Marked({ renderer, gfm: true, async: false }).parse(
    visibleLines(markdown.replaceAll('<\u200b', '<').replaceAll('\t', '    ')),
  );
  return `<div class="comments">${html as string}</div>`;
}
