import { markdownTable } from 'markdown-table';
import type { CommentSection } from '../comments.ts';
import { FOLDED_TITLE, type ReportDocument } from '../document.ts';
import { escapeHtml } from '../html/escape.ts';
import type { Table } from '../tables/table.ts';
import type { Why } from '../words/why.ts';
import type { Chart } from './chart.ts';
import type { ReportFormat } from './format.ts';
import { graphTables } from './graphs-table.ts';

export const markdown: ReportFormat = {
  file: 'report.md',
  render: ({ document, comments, charts }) => renderMarkdown(document, comments, charts),
};

/**
 * A report as GitHub Markdown: what happened first, then the tables, then what it was made on, folded. Ends in a
 * newline.
 */
export function renderMarkdown(
  report: ReportDocument,
  comments: readonly CommentSection[] = [],
  charts: readonly Chart[] = [],
): string {
  const blocks = [
    `# ${escapeText(report.title)}`,
    ...report.warnings.map((warning) => `> **${escapeText(warning)}**`),
    report.headline.map((sentence) => `- ${escapeText(sentence)}`).join('\n'),
    ...(report.recommendation.length === 0 ? [] : [recommendationBlock(report.recommendation)]),
    escapeText(report.run),
    ...(report.machine === '' ? [] : [escapeText(report.machine)]),
    ...comments.flatMap(renderComments),
    ...report.sections.flatMap(({ heading, tables, folded }) => [
      `## ${escapeText(heading)}`,
      ...tables.map(renderTable),
      ...(folded.length === 0 ? [] : [details(FOLDED_TITLE, folded.map(renderTable).join('\n\n'))]),
    ]),
    ...(report.why === null ? [] : whyBlocks(report.why)),
    ...report.details.map(({ title, tables }) => details(title, tables.map(renderTable).join('\n\n'))),
    ...(charts.length === 0 ? [] : [details('Graphs', graphTables(charts).join('\n\n'))]),
    details('How to read this', report.notes.map((note) => `- ${escapeNote(note)}`).join('\n')),
    details('Provenance', tableOf(['', ''], report.provenance, ['l', 'l'])),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** A section of people's own comments, which are Markdown already. */
export function renderComments({ heading, markdown }: CommentSection): string[] {
  return [`## ${escapeText(heading)}`, markdown];
}

function whyBlocks({ findings, limits, folded }: Why): string[] {
  const lines = [
    ...findings.map(({ text, next }) => `- **${escapeText(text)}** ${escapeText(next)}`),
    ...limits.map((line) => `- ${escapeText(line)}`),
  ];
  return [
    '## Why',
    lines.join('\n'),
    ...folded.map(({ title, tables }) => details(title, tables.map(renderTable).join('\n\n'))),
  ];
}

function recommendationBlock(sentences: readonly string[]): string {
  return ['**Recommended**', sentences.map((sentence) => `- ${escapeText(sentence)}`).join('\n')].join('\n\n');
}

/** One table with its title above and its notes below. */
export function renderTable({ title, columns, rows, notes }: Table): string {
  const body = tableOf(
    columns.map(({ head }) => head),
    rows.map((row) => row.map(({ text }) => text)),
    columns.map(({ align }) => (align === 'left' ? 'l' : 'r')),
  );
  const below = notes.map((note) => `- ${escapeText(note)}`).join('\n');
  return [`**${escapeText(title)}**`, body, ...(below === '' ? [] : [below])].join('\n\n');
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[], align: string[]): string {
  return markdownTable(
    [head, ...rows].map((row) => row.map(escapeText)),
    { align },
  );
}

/** GitHub renders Markdown inside <details> only after an empty line. */
function details(title: string, body: string): string {
  return `<details><summary>${escapeHtml(title)}</summary>\n\n${body}\n\n</details>`;
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

/** Our own notes keep their code marks. */
function escapeNote(note: string): string {
  return note
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : escapeText(part)))
    .join('');
}
