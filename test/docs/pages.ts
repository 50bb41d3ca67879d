import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A block of code between two fences. */
export interface Block {
  readonly page: string;
  /** Of its first fence. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

/** The front page, then those of docs/. */
export const pages: readonly string[] = ['README.md', ...pagesIn('docs')];

/** What the repository holds besides, and the package does not: tables of simulations, and what was tried. */
export const researchPages: readonly string[] = pagesIn('research');

function pagesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

export function textOf(page: string): string {
  return readFileSync(page, 'utf8');
}

export function blocksOf(page: string, text = textOf(page)): Block[] {
  const blocks: Block[] = [];
  let open: { readonly line: number; readonly language: string; readonly lines: string[] } | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    // After the language may stand a file.
    const fence = /^```(\w*)/.exec(line);
    if (open === null) open = fence && { line: index + 1, language: fence[1] ?? '', lines: [] };
    else if (line !== '```') open.lines.push(line);
    else {
      blocks.push({ page, line: open.line, language: open.language, text: open.lines.join('\n') });
      open = null;
    }
  }
  if (open !== null) throw new Error(`${page}:${open.line}: a block that does not end`);
  return blocks;
}

/** The page without what stands between fences. */
export function proseOf(page: string): string {
  return textOf(page).replace(/^```[\s\S]*?^```$/gm, '');
}

/** As `wc -w` counts them. */
export function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

export interface Link {
  readonly page: string;
  /** The file that it leads to, from the repository's root. */
  readonly file: string;
  /** Without #; null where it names no heading. */
  readonly heading: string | null;
}

/** The links to files, of text and pictures. */
export function linksOf(page: string): Link[] {
  return [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, to = '']) => {
    if (/^[a-z]+:/.test(to)) return [];
    const [path = '', heading = null] = to.split('#');
    return [{ page, file: path === '' ? page : join(dirname(page), path), heading }];
  });
}

/** The anchors that GitHub makes of a page's headings. */
export function anchorsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
