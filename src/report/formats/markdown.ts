import { markdownTable } from 'markdown-table';
import { addTo } from '../../base/group-by.ts';
import { present } from '../../base/present.ts';
import { cutTo, plural } from '../../judge/format.ts';
import type { CommentSection } from '../comments.ts';
import { FOLDED_TITLE, type ReportDocument } from '../document.ts';
import { escapeHtml } from '../html/escape.ts';
import {
  type Cell,
  cutRows,
  left,
  type Table,
  textCells,
  usualWeight,
  weights,
  withoutQuietRows,
} from '../tables/table.ts';
import { commandFor, RUN, withFolder } from '../words/commands.ts';
import { someNames } from '../words/short-name.ts';
import type { Why } from '../words/why.ts';
import type { Chart } from './chart.ts';
import { codeSpan, escapeText } from './escape-text.ts';
import { type Fitted, fitted, type Part } from './fitted-parts.ts';
import type { ReportFormat } from './format.ts';
import { type GraphTable, graphTables } from './graphs-table.ts';

export const markdown: ReportFormat = {
  file: 'report.md',
  render: ({ document, folder, ...beside }) => renderMarkdown(document, folder, beside),
};

/** GitHub takes 65,536 characters of a comment; the poster of the report may add some. */
const MOST_CHARACTERS = 60_000;
/** Rows of the first screen's table. */
const MOST_ROWS = 6;
/** Tables that are left out are named up to this many, and this many characters. */
const [MOST_NAMED, MOST_LEFT_OUT] = [12, 500];
/** The most characters of a name among these, and of a sentence that names variants. */
const [MOST_IN_NAME, MOST_IN_LINE] = [60, 2000];

/** Contents of a report besides what was judged. */
interface Beside {
  readonly comments: readonly CommentSection[];
  /** Pictures in the folder `charts` beside the report. */
  readonly charts: readonly Chart[];
}

/** Parts that are folded away under a title. */
interface Fold {
  readonly title: string;
  readonly parts: readonly (Part | Fold)[];
}

/**
 * A report as GitHub Markdown: a hidden marker, the first screen, then everything else, folded. Where that is too long for
 * a comment, the least telling is left out and a line says so. `folder` is the run's, for commands. Ends in a newline.
 */
export function renderMarkdown(
  report: ReportDocument,
  folder = RUN,
  { comments, charts }: Beside = { comments: [], charts: [] },
): string {
  const head = [reportMarker(report.scenario, report.against), ...firstScreenBlocks(report, folder)];
  const first = [...head, ...comments.flatMap(renderComments)];
  const textIn = (folds: readonly Fold[], room: number): string => {
    const found = fitted(folds.flatMap(partsIn), room);
    return `${[...first, ...leftOut(found), ...folds.flatMap((fold) => foldText(fold, found))].join('\n\n')}\n`;
  };
  const whole = textIn(foldsOf(report, charts, 'aligned'), Number.POSITIVE_INFINITY);
  if (whole.length <= MOST_CHARACTERS) return whole;
  const folds = foldsOf(report, charts, 'compact');
  for (let room = MOST_CHARACTERS; ; ) {
    const text = textIn(folds, room);
    if (text.length <= MOST_CHARACTERS || room <= 0) return text;
    room -= text.length - MOST_CHARACTERS;
  }
}

/** A section of people's own comments, which are Markdown already. */
export function renderComments({ heading, markdown }: CommentSection): string[] {
  return [`## ${escapeText(heading)}`, markdown];
}

/** The first line of a report: by it a later run finds its comment, one for each control. Hidden, and whatever the names are, nothing more. */
export function reportMarker(scenario: string, against: string | null = null): string {
  return `<!-- pgsweep:report ${safeName(scenario)}${against === null ? '' : ` against ${safeName(against)}`} -->`;
}

function safeName(name: string): string {
  const safe = name.replace(/[^\p{L}\p{N} ._=,-]/gu, '_').replace(/-{2,}/g, '-');
  return cutTo(80, safe.replace(/-$/, '_'));
}

/** The first screen without the marker, for pages that show it. */
export function firstScreenMarkdown(report: ReportDocument, folder: string): string {
  return firstScreenBlocks(report, folder).slice(1).join('\n\n');
}

function firstScreenBlocks({ first }: ReportDocument, folder: string): string[] {
  const { title, warnings, decision, verdicts, gates, matrix, table, facts, next } = first;
  // A shell takes other names in quotes, and a comment is read on another machine.
  const shown = /^[\w./=,+-]+$/.test(folder) ? folder : RUN;
  const steps = next.map(({ text, command }) => {
    const said = `Next: ${escapeText(withFolder(text, shown))}`;
    return command === null ? said : `${said}: ${codeSpan(commandFor(command, shown))}`;
  });
  return [
    `# ${escapeText(title)}`,
    ...warnings.map((warning) => `> **${escapeText(warning)}**`),
    ...(decision === null ? [] : [`**${escapeText(decision)}**`]),
    ...(matrix === null ? [] : matrixBlocks(matrix)),
    ...(verdicts.length === 0 ? [] : [bullets(verdicts.map(escapeText))]),
    ...(gates.length === 0 ? [] : [`**Gates**\n\n${bullets(gates.map(escapeText))}`]),
    ...(table === null || (matrix?.rows.length ?? 0) > MOST_ROWS ? [] : verdictBlocks(table)),
    bullets([...facts.map(escapeText), ...steps]),
  ];
}

function matrixBlocks(matrix: Table): string[] {
  return [renderTable({ ...matrix, title: '', notes: [] }), matrix.notes.map(escapeText).join(' ')];
}

/** The table of the first screen, and in a paragraph what it leaves out. */
function verdictBlocks(table: Table): string[] {
  const left = table.rows.length - MOST_ROWS;
  const below = [...(left > 0 ? [`${plural(left, 'more change')} with a verdict.`] : []), ...table.notes];
  const rows = renderTable({ ...cutRows(table, MOST_ROWS), title: '', notes: [] });
  return [rows, ...(below.length === 0 ? [] : [below.map(escapeText).join(' ')])];
}

/** `aligned` columns are for a reader of the text as it is; GitHub shows both alike. */
type Spacing = 'aligned' | 'compact';

/** Everything but the first screen. */
function foldsOf(report: ReportDocument, charts: readonly Chart[], spacing: Spacing): Fold[] {
  const { headline, first, recommendation, warnings, sections, why, notes, run, machine, provenance } = report;
  const lines = (title: string, texts: readonly string[], weight: number): Fold => ({
    title,
    parts: texts.length === 0 ? [] : [linesPart(title, texts.map(lineOf), weight)],
  });
  const isCut = headline.length > first.verdicts.length || headline.some((text) => !first.verdicts.includes(text));
  return [
    lines('All warnings', warnings.length > first.warnings.length ? warnings : [], weights.answer),
    // The tables have what these say of many variants.
    lines('Every load level', isCut ? headline : [], weights.workAverages),
    lines('Which to take, by load level', recommendation.length > 1 ? recommendation : [], weights.workAverages),
    ...sections.map(({ heading, tables, folded }) => ({
      title: heading,
      parts: [
        ...tables.map((table) => tablePart(table, spacing)),
        { title: FOLDED_TITLE, parts: folded.map((table) => tablePart(table, spacing)) },
      ],
    })),
    ...(why === null ? [] : [whyFold(why, spacing)]),
    ...report.details.map(({ title, tables, weight }) => ({
      title,
      parts: tables.map((table) => tablePart(table, spacing, weight)),
    })),
    { title: 'Graphs', parts: graphTables(charts).map(graphsPart) },
    { title: 'How to read this', parts: [linesPart('How to read this', notes.map(escapeNote), weights.answer)] },
    {
      title: 'Provenance',
      parts: [
        linesPart('the run', present([run, machine]).map(escapeText), weights.answer),
        tablePart(provenanceTable(provenance), spacing),
      ],
    },
  ];
}

/** One sentence, though it names hundreds of variants. */
function lineOf(text: string): string {
  return escapeText(cutTo(MOST_IN_LINE, text));
}

function whyFold({ findings, limits, folded }: Why, spacing: Spacing): Fold {
  const found = findings.map(({ text, next }) => `**${escapeText(text)}** ${escapeText(next)}`);
  return {
    title: 'Why',
    parts: [
      linesPart('Why', [...found, ...limits.map(escapeText)], weights.answer),
      ...folded.map(({ title, tables }) => ({
        title,
        parts: tables.map((table) => tablePart(table, spacing, weights.probes)),
      })),
    ],
  };
}

function provenanceTable(facts: ReportDocument['provenance']): Table {
  return { title: '', columns: ['', ''].map(left), rows: facts.map(textCells), notes: [] };
}

/** Lines in Markdown, as a list. */
function linesPart(name: string, lines: readonly string[], weight: number): Part {
  const render = (most: number): string => {
    const left = lines.length - most;
    return bullets(left > 0 ? [...lines.slice(0, most), `${plural(left, 'more line')} left out.`] : lines);
  };
  return { name, weight, rows: lines.length, render };
}

function graphsPart({ title, markdown }: GraphTable): Part {
  const name = `graphs: ${title}`;
  return { name, weight: weights.beside, rows: 1, render: (most) => (most === 0 ? '' : markdown) };
}

function tablePart(table: Table, spacing: Spacing, weight: number = usualWeight): Part {
  const shown = withoutQuietRows(table);
  return {
    name: table.title,
    weight: table.weight ?? weight,
    rows: shown.rows.length,
    render: (most) => renderRows(shown, most, spacing),
  };
}

/** A table with this many of its rows, and how many more there are. */
function renderRows(table: Table, most: number, spacing: Spacing): string {
  const left = table.rows.length - most;
  if (left <= 0) return renderTable(table, spacing);
  return renderTable(
    { ...cutRows(table, most), notes: [`${plural(left, 'more row')} left out.`, ...table.notes] },
    spacing,
  );
}

function partsIn({ parts }: Fold): Part[] {
  return parts.flatMap((part) => ('parts' in part ? partsIn(part) : [part]));
}

/** Nothing where nothing is left in it. */
function foldText({ title, parts }: Fold, found: ReadonlyMap<Part, Fitted>): string[] {
  const texts = parts.flatMap((part) => ('parts' in part ? foldText(part, found) : (found.get(part)?.text ?? [])));
  const body = present(texts).join('\n\n');
  return body === '' ? [] : [details(title, body)];
}

/** One line that says what is not there, and where it is. */
function leftOut(found: ReadonlyMap<Part, Fitted>): string[] {
  const missing = new Map<string, number>();
  let cut = 0;
  for (const [part, { rows }] of found) {
    if (rows >= part.rows) continue;
    if (rows > 0) cut++;
    else addTo(missing, cutTo(MOST_IN_NAME, part.name || 'Provenance'), 1);
  }
  const names = [...missing].map(([name, count]) => `${name}${count > 1 ? ` (${count} times)` : ''}`);
  const parts = present([someNames(names, MOST_NAMED), cut > 0 && `rows of ${plural(cut, 'table')}`]);
  if (parts.length === 0) return [];
  const what = cutTo(MOST_LEFT_OUT, parts.join('; '));
  return [`Left out to fit a GitHub comment: ${escapeText(what)}. report.html and the CSV files have it.`];
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

/** One table with its title above and its notes below. */
export function renderTable({ title, columns, rows, notes }: Table, spacing: Spacing = 'aligned'): string {
  const cells = [columns.map(({ head }) => escapeText(head)), ...rows.map((row) => row.map(cellText))];
  const body = markdownTable(cells, {
    align: columns.map(({ align }) => (align === 'left' ? 'l' : 'r')),
    alignDelimiters: spacing === 'aligned',
  });
  const below = bullets(notes.map(escapeText));
  return [...(title === '' ? [] : [`**${escapeText(title)}**`]), body, ...(below === '' ? [] : [below])].join('\n\n');
}

/** The text of a cell. Code stands as code where it would have to be escaped; a tag never does. */
function cellText({ text, code }: Cell): string {
  const escaped = escapeText(text);
  if (!code || escaped === text || text.includes('<')) return escaped;
  // A table's cells end at each bar, in code as well.
  return codeSpan(text.replaceAll('|', '\\|'));
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

/** Our own notes keep their code marks. */
function escapeNote(note: string): string {
  return note
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : escapeText(part)))
    .join('');
}
