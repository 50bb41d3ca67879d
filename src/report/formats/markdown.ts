import { markdownTable } from 'markdown-table';
import { cutTo, plural } from '../../analysis/format.ts';
import { FOLDED_TITLE, type ReportDocument } from '../document.ts';
import { type Column, cutRows, type Table, usualWeight, weights, withoutQuietRows } from '../tables/table.ts';
import { RUN } from '../words/next-steps.ts';
import { someNames } from '../words/some-names.ts';
import type { Why } from '../words/why.ts';
import { type Fitted, fitted, type Part } from './fit.ts';
import type { ReportFormat } from './format.ts';
import { escapeHtml } from './html.ts';

export const markdown: ReportFormat = {
  file: 'report.md',
  render: ({ document, folder }) => renderMarkdown(document, folder),
};

/** GitHub takes 65,536 characters of a comment; who posts the report may add some of their own. */
const MOST_CHARACTERS = 60_000;
/** Rows of the first screen's table. */
const MOST_ROWS = 6;
/** Tables that are left out are named up to so many, and so many characters. */
const [MOST_NAMED, MOST_LEFT_OUT] = [12, 500];

/** What is folded away under a title. */
interface Fold {
  readonly title: string;
  readonly parts: readonly (Part | Fold)[];
}

/**
 * A report as GitHub Markdown: a hidden marker, the first screen, then everything else, folded. Where that is too long for
 * a comment, the least telling is left out and a line says so. `folder` is the run's, for commands. Ends in a newline.
 */
export function renderMarkdown(report: ReportDocument, folder = RUN): string {
  const first = [reportMarker(report.scenario), ...firstScreenBlocks(report, folder)];
  const folds = foldsOf(report);
  const parts = folds.flatMap(partsIn);
  let room = MOST_CHARACTERS;
  for (;;) {
    const found = fitted(parts, room);
    const text = `${[...first, ...leftOut(found), ...folds.flatMap((fold) => foldText(fold, found))].join('\n\n')}\n`;
    if (text.length <= MOST_CHARACTERS || room <= 0) return text;
    room -= text.length - MOST_CHARACTERS;
  }
}

/** The first line of a report: by it a later run finds its own comment. Hidden, and whatever the name is, nothing more. */
export function reportMarker(scenario: string): string {
  const safe = scenario
    .replace(/[^\p{L}\p{N} ._=,-]/gu, '_')
    .replace(/-{2,}/g, '-')
    .replace(/-$/, '_');
  return `<!-- pgsweep:report ${cutTo(80, safe)} -->`;
}

/** The first screen without the marker, for pages that show it. */
export function firstScreenMarkdown(report: ReportDocument, folder: string): string {
  return firstScreenBlocks(report, folder).slice(1).join('\n\n');
}

function firstScreenBlocks({ first }: ReportDocument, folder: string): string[] {
  const { title, warnings, verdicts, recommendation, gates, table, facts, next } = first;
  // Code holds no backtick, and a shell takes other names in quotes.
  const shown = /^[\w./=,+-]+$/.test(folder) ? folder : RUN;
  const steps = next.map(({ text, command }) => {
    const said = `Next: ${escapeText(text)}`;
    return command === null ? said : `${said}: \`${command.replace(RUN, shown)}\``;
  });
  return [
    `# ${escapeText(title)}`,
    ...warnings.map((warning) => `> **${escapeText(warning)}**`),
    bullets(verdicts.map(escapeText)),
    ...(recommendation === null ? [] : [`**Recommended:** ${escapeText(recommendation)}`]),
    ...(gates.length === 0 ? [] : [`**Gates**\n\n${bullets(gates.map(escapeText))}`]),
    ...(table === null ? [] : [renderRows({ ...table, title: '' }, MOST_ROWS)]),
    bullets([...facts.map(escapeText), ...steps]),
  ];
}

/** Everything but the first screen. */
function foldsOf(report: ReportDocument): Fold[] {
  const { headline, first, recommendation, warnings, sections, why, notes, run, machine, provenance } = report;
  const lines = (name: string, texts: readonly string[], weight: number): Fold[] =>
    texts.length === 0 ? [] : [{ title: name, parts: [linesPart(name, texts.map(escapeText), weight)] }];
  const isCut = headline.length > first.verdicts.length || headline.some((text) => !first.verdicts.includes(text));
  return [
    ...lines('All warnings', warnings.length > first.warnings.length ? warnings : [], weights.answer),
    ...lines('Every load level', isCut ? headline : [], weights.answer),
    ...lines('Recommended, by load level', recommendation.length > 1 ? recommendation : [], weights.answer),
    ...sections.map(({ heading, tables, folded }) => ({
      title: heading,
      parts: [
        ...tables.map((table) => tablePart(table, usualWeight)),
        ...(folded.length === 0 ? [] : [{ title: FOLDED_TITLE, parts: folded.map((table) => tablePart(table, 1)) }]),
      ],
    })),
    ...(why === null ? [] : [whyFold(why)]),
    { title: 'How to read this', parts: [linesPart('How to read this', notes.map(escapeNote), weights.answer)] },
    {
      title: 'Provenance',
      parts: [
        linesPart('the run', [run, machine].filter((text) => text !== '').map(escapeText), weights.answer),
        tablePart(provenanceTable(provenance), usualWeight),
      ],
    },
  ];
}

function whyFold({ findings, limits, folded }: Why): Fold {
  const found = findings.map(({ text, next }) => `**${escapeText(text)}** ${escapeText(next)}`);
  return {
    title: 'Why',
    parts: [
      linesPart('Why', [...found, ...limits.map(escapeText)], weights.answer),
      ...folded.map(({ title, tables }) => ({ title, parts: tables.map((table) => tablePart(table, weights.probes)) })),
    ],
  };
}

function provenanceTable(facts: ReportDocument['provenance']): Table {
  const column: Column = { head: '', align: 'left' };
  return { title: '', columns: [column, column], rows: facts.map((row) => row.map((text) => ({ text }))), notes: [] };
}

/** Lines in Markdown, as a list. */
function linesPart(name: string, lines: readonly string[], weight: number): Part {
  const render = (most: number): string => {
    const left = lines.length - most;
    return bullets(left > 0 ? [...lines.slice(0, most), `${plural(left, 'more line')} left out.`] : lines);
  };
  return { name, weight, rows: lines.length, render };
}

function tablePart(table: Table, weight: number): Part {
  const shown = withoutQuietRows(table);
  return {
    name: table.title,
    weight: table.weight ?? weight,
    rows: shown.rows.length,
    render: (most) => renderRows(shown, most),
  };
}

/** A table with so many of its rows, and how many more there are. */
function renderRows(table: Table, most: number): string {
  const left = table.rows.length - most;
  if (left <= 0) return renderTable(table);
  return renderTable({ ...cutRows(table, most), notes: [`${plural(left, 'more row')} left out.`, ...table.notes] });
}

function partsIn({ parts }: Fold): Part[] {
  return parts.flatMap((part) => ('parts' in part ? partsIn(part) : [part]));
}

/** Nothing where nothing is left in it. */
function foldText({ title, parts }: Fold, found: ReadonlyMap<Part, Fitted>): string[] {
  const texts = parts.flatMap((part) => ('parts' in part ? foldText(part, found) : (found.get(part)?.text ?? [])));
  const body = texts.filter((text) => text !== '').join('\n\n');
  return body === '' ? [] : [details(title, body)];
}

/** One line that says what is not there, and where it is. */
function leftOut(found: ReadonlyMap<Part, Fitted>): string[] {
  const missing = new Map<string, number>();
  let cut = 0;
  for (const [part, { rows }] of found) {
    if (rows >= part.rows) continue;
    if (rows > 0) cut++;
    else missing.set(part.name, (missing.get(part.name) ?? 0) + 1);
  }
  const names = [...missing].map(([name, count]) => `${name || 'Provenance'}${count > 1 ? ` (${count} times)` : ''}`);
  const parts = [
    ...(names.length === 0 ? [] : [someNames(names, MOST_NAMED)]),
    ...(cut === 0 ? [] : [`rows of ${plural(cut, 'table')}`]),
  ];
  if (parts.length === 0) return [];
  const what = cutTo(MOST_LEFT_OUT, parts.join('; '));
  return [
    `Left out, since this would be too long for a comment: ${escapeText(what)}. report.html and the CSV files have it.`,
  ];
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

/** One table with its title above and its notes below. */
export function renderTable({ title, columns, rows, notes }: Table): string {
  const body = tableOf(
    columns.map(({ head }) => head),
    rows.map((row) => row.map(({ text }) => text)),
    columns.map(({ align }) => (align === 'left' ? 'l' : 'r')),
  );
  const below = bullets(notes.map(escapeText));
  return [...(title === '' ? [] : [`**${escapeText(title)}**`]), body, ...(below === '' ? [] : [below])].join('\n\n');
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[], align: string[]): string {
  return markdownTable(
    [head, ...rows].map((row) => row.map(escapeText)),
    { align },
  );
}

/** GitHub renders Markdown inside <details> only after an empty line. */
function details(title: string, body: string): string {
  return `<details><summary>${escapeSummary(title)}</summary>\n\n${body}\n\n</details>`;
}

/** In a summary GitHub obeys no Markdown, but makes links of addresses, mentions and numbers. */
function escapeSummary(text: string): string {
  const torn = text.replace(/:(?=\/\/)|www\.|@|(?<![\p{L}\p{N}])#(?=[\p{L}\p{N}])|#(?=\d)/giu, '$&\u0000');
  return escapeHtml(torn).replaceAll('\u0000', '<!-- -->');
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
