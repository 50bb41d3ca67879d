import { closeSync, lstatSync, openSync, readSync } from 'node:fs';
import { lexer } from 'marked';
import { visibleLines } from '../base/visible.ts';
import { codeBlock } from './formats/escape-text.ts';

/** A user's comments on a run, in its folder. No command writes it. */
export const COMMENTS_FILE = 'comments.md';

/** A report has room for 60,000 characters on GitHub. */
const MOST_BYTES = 20_000;
const MOST_SECTIONS = 20;

/** A section of the comments: `## Comments`, `## Next steps`, `## Setup` or whatever people call it. */
export interface CommentSection {
  readonly heading: string;
  /** GitHub Markdown without any HTML, in which nothing is left open: what follows it is not touched. */
  readonly markdown: string;
}

/** The comments of a run folder; empty where there are none. A part that is not read is named. */
export function readComments(file: string): CommentSection[] {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return [];
  // A link in a user's folder may lead to any file of the reader's.
  if (!found.isFile()) return [leftOut('is not a regular file, and was not read')];
  const { text, isWhole } = beginningOf(file);
  const sections = parseComments(text);
  return isWhole ? sections : [...sections, leftOut(`has more than ${MOST_BYTES / 1000} KB: the rest is left out`)];
}

function leftOut(why: string): CommentSection {
  return { heading: 'Left out', markdown: `${COMMENTS_FILE} ${why}.` };
}

function beginningOf(file: string): { readonly text: string; readonly isWhole: boolean } {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(MOST_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    return { text: bytes.toString('utf8', 0, Math.min(length, MOST_BYTES)), isWhole: length <= MOST_BYTES };
  } finally {
    closeSync(descriptor);
  }
}

/** Sections by headings of the second level; what stands before the first is `Comments`. */
export function parseComments(text: string): CommentSection[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: 'Comments', lines: [] }];
  let fence: Fence | null = null;
  for (const line of visibleLines(text.replace(/\r\n?/g, '\n').replace(/^\uFEFF/, '')).split('\n')) {
    const heading: string | undefined = fence === null ? /^## +(.*?)(?: +#+)? *$/.exec(line)?.[1] : undefined;
    if (heading !== undefined && sections.length < MOST_SECTIONS) {
      sections.push({ heading: heading.trim() || 'Comments', lines: [] });
      continue;
    }
    sections.at(-1)?.lines.push(line);
    fence = fenceAfter(line, fence);
  }
  return sections
    .map(({ heading, lines }) => ({ heading, source: lines.join('\n').trim() }))
    .filter(({ source }) => source !== '')
    .map(({ heading, source }) => ({ heading, markdown: harmless(source) }));
}

interface Fence {
  readonly mark: string;
  readonly length: number;
}

/** The fenced block of code (GFM 4.5) that is open after a line, at the left margin; null for none. */
function fenceAfter(line: string, open: Fence | null): Fence | null {
  const [, marks = '', rest = ''] = /^(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  const mark = marks[0] ?? '';
  if (mark === '') return open;
  if (open !== null) {
    return mark === open.mark && marks.length >= open.length && rest.trim() === '' ? null : open;
  }
  return mark === '`' && rest.includes('`') ? null : { mark, length: marks.length };
}

/**
 * The Markdown without HTML, with everything closed that it left open. If that cannot be made sure of, all of it
 * becomes a block of code: so does a block of code in a list that never ends.
 */
function harmless(source: string): string {
  const lines: string[] = [];
  let fence: Fence | null = null;
  for (const line of source.split('\n')) {
    const after = fenceAfter(line, fence);
    lines.push(fence === null && after === null ? withoutHtml(line) : line);
    fence = after;
  }
  if (fence !== null) lines.push(fence.mark.repeat(fence.length));
  const text = lines.join('\n');
  return isClosed(text) ? text : codeBlock(source);
}

/** Stops Markdown from taking what follows `<` for HTML, also inside of code, where an entity would show. */
const NO_TAG = '<\u200b';

/**
 * Disarms a line: no tag, comment or definition of a link to one of our intervals begins in it, and no heading as large
 * as the report's own.
 */
function withoutHtml(line: string): string {
  const mayBeCode = line.includes('`') || /^(\s{2}|\t)/.test(line);
  return line
    .replace(/<(?=[a-z/!?])/gi, mayBeCode ? NO_TAG : '&lt;')
    .replace(/^(\s*)\[(?=[-+\d.,\s!]*\]:)/, '$1\\[')
    .replace(/^( {0,3})#(?=\s)/, '$1###')
    .replace(/^( {0,3})(?==+\s*$)/, '$1\\');
}

const AFTER = 'what follows';

/** True where a parser of GitHub Markdown sees no HTML in it, and a paragraph after it as a paragraph. */
function isClosed(text: string): boolean {
  const tokens = lexer(`${text}\n\n${AFTER}\n`);
  const last = tokens.at(-1);
  return last?.type === 'paragraph' && last.raw.trim() === AFTER && !hasHtml(tokens);
}

function hasHtml(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasHtml);
  if (typeof value !== 'object' || value === null) return false;
  const { type, tokens, items, header, rows } = value as Record<string, unknown>;
  return type === 'html' || [tokens, items, header, rows].some(hasHtml);
}
