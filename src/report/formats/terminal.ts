import pc from 'picocolors';
import { shellWord } from '../../base/shell-word.ts';
import { plural } from '../../judge/format.ts';
import type { ReportDocument } from '../document.ts';
import { type Cell, type Column, cutRows, type Table, type Tone, withoutQuietRows } from '../tables/table.ts';
import { withCode } from '../words/code-marks.ts';
import { commandFor, RUN, type SeenScenario, seenHere, withFolder } from '../words/commands.ts';

interface TerminalOptions {
  readonly colour: boolean;
  /** Tables that are wider are folded, and sentences wrapped. */
  readonly widthColumns: number;
  /** The run's folder, for commands. */
  readonly folder?: string;
  /** Set where the reader is in another folder than the run was. */
  readonly scenario?: SeenScenario;
  /** The control that was chosen after the run, and the folder of its report. */
  readonly against?: { readonly control: string; readonly folder: string };
}

const GAP = '  ';

/** A first screen has no more lines than this, if its sentences leave room for the table. */
const MOST_LINES = 25;
/** Rows of the table that stay however long the sentences are, and the most there are. */
const [LEAST_ROWS, MOST_ROWS] = [2, 8];

/**
 * The whole report for a terminal: the answer, the tables of the Markdown, aligned, and how to read them. The first screen
 * stands at the end again, since that is what is on the screen when a run has ended; provenance is left to the Markdown.
 * Ends in a newline.
 */
export function renderTerminal(report: ReportDocument, options: TerminalOptions): string {
  const colours = pc.createColors(options.colour);
  const wrapped = (text: string): string => sentence(text, options.widthColumns);
  const titled = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [`${colours.bold(title)}\n${lines.map(wrapped).join('\n')}`];
  const section = (heading: string, tables: readonly Table[]): string[] => [
    colours.bold(`${heading}\n${'='.repeat(heading.length)}`),
    ...tables.map((table) => renderTable(withoutQuietRows(table), options)),
  ];
  const blocks = [
    colours.bold(report.title),
    ...report.warnings.map((warning) => colours.yellow(wrapped(`! ${warning}`))),
    ...(report.first.decision === null ? [] : [colours.bold(wrapped(report.first.decision))]),
    report.headline.map(wrapped).join('\n'),
    ...titled('Which to take', report.recommendation),
    wrapped(report.run),
    ...(report.machine === '' ? [] : [wrapped(report.machine)]),
    ...report.sections.flatMap(({ heading, tables, folded }) => section(heading, [...tables, ...folded])),
    ...report.details.flatMap(({ title, tables }) => section(title, tables)),
    ...whyBlock(report, options),
    ...(report.why?.folded ?? []).flatMap(({ title, tables }) => section(title, tables)),
    ...titled('How to read this\n================', report.notes),
    firstScreen(report, options).join('\n'),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** The answer alone, in this many lines as fit a screen, and where the rest is. Ends in a newline. */
export function renderFirstScreen(report: ReportDocument, options: TerminalOptions): string {
  const { folder = RUN, against } = options;
  const control = against === undefined ? '' : ` --control ${shellWord(against.control)}`;
  const where = against === undefined ? 'that folder' : against.folder;
  const rest = `All tables: pgsweep report ${shellWord(folder)}${control} --full, or report.md and report.html in ${where}.`;
  return `${firstScreen(report, options, [rest]).join('\n')}\n`;
}

function firstScreen(report: ReportDocument, options: TerminalOptions, last: readonly string[] = []): string[] {
  const { first } = report;
  const colours = pc.createColors(options.colour);
  const wrapped = (text: string): string[] => sentence(text, options.widthColumns).split('\n');
  const before = [
    ...wrapped(first.title).map(colours.bold),
    ...first.warnings.flatMap((warning) => wrapped(`! ${warning}`).map(colours.yellow)),
    '',
    ...(first.decision === null ? [] : wrapped(first.decision).map(colours.bold)),
    ...first.verdicts.flatMap(wrapped),
    ...first.gates.flatMap(wrapped),
  ];
  const after = [
    '',
    ...first.facts.flatMap(wrapped),
    ...first.next.flatMap(({ text, command }) => [
      ...wrapped(withFolder(command === null ? `Next: ${text}` : `Next: ${text}:`, options.folder ?? RUN)),
      // On its own line, to be copied.
      ...(command === null ? [] : [`  ${commandHere(command, options)}`]),
    ]),
    ...last.flatMap(wrapped),
  ];
  const matrix = first.matrix === null ? [] : ['', ...renderTable(first.matrix, options).split('\n')];
  if (first.table === null) return [...before, ...matrix, ...after];
  const room = MOST_LINES - before.length - matrix.length - after.length;
  const least = first.matrix === null ? LEAST_ROWS : 0;
  return [...before, ...matrix, '', ...tableLines(first.table, { room: room - 1, least }, options), ...after];
}

function commandHere(command: string, { folder = RUN, scenario }: TerminalOptions): string {
  return commandFor(scenario === undefined ? command : seenHere(command, scenario), folder);
}

/** The table without its title, with as many rows as there is room for; a line says how many more there are. */
function tableLines(
  table: Table,
  { room, least }: { readonly room: number; readonly least: number },
  options: TerminalOptions,
): string[] {
  const linesOf = (most: number): string[] => {
    const left = table.rows.length - most;
    const notes = left > 0 ? [`${plural(left, 'more change')} with a verdict.`, ...table.notes] : table.notes;
    return renderTable({ ...cutRows(table, most), title: '', notes }, options).split('\n');
  };
  let most = Math.min(MOST_ROWS, table.rows.length);
  while (most > least && linesOf(most).length > room) most--;
  // Without a row there is nothing to head.
  return most === 0 ? linesOf(0).slice(2) : linesOf(most);
}

/** A sentence in lines, without its marks of code: a terminal has no other font for it. Names keep their backticks. */
function sentence(text: string, widthColumns: number): string {
  const asIs = (part: string): string => part;
  return wrap(withCode(text, asIs, asIs), widthColumns, '  ');
}

/** The short part: tables follow it. */
function whyBlock({ why }: ReportDocument, { colour, widthColumns }: TerminalOptions): string[] {
  if (why === null) return [];
  const colours = pc.createColors(colour);
  const lines = [
    ...why.findings.map(({ text, next }) => sentence(`${text} ${next}`, widthColumns)),
    ...why.limits.map((line) => sentence(line, widthColumns)),
  ];
  return [`${colours.bold('Why\n===')}\n${lines.join('\n')}`];
}

function renderTable(whole: Table, options: TerminalOptions): string {
  const fitting = forms.find((form) => fold(formed(whole, form), options.widthColumns).length < 2);
  const table = formed(whole, fitting ?? shortest);
  const colours = pc.createColors(options.colour);
  const parts = isStacked(table, options.widthColumns)
    ? [stacked(table, options)]
    : fold(table, options.widthColumns).map((columns) => drawColumns(table, columns, options));
  const notes = table.notes.map((note) => colours.dim(sentence(note, options.widthColumns)));
  const title = table.title === '' ? [] : [colours.bold(table.title)];
  return [...title, parts.join('\n\n'), ...notes].join('\n');
}

/** Which texts a table has: of what a row is about, and of the other columns. */
interface Form {
  readonly name: 'text' | 'short';
  readonly values: 'text' | 'compact' | 'short';
}

const shortest: Form = { name: 'short', values: 'short' };

/** The best that fits is taken: intervals are worth more than long names, and these more than nothing beside them. */
const forms: readonly Form[] = [
  { name: 'text', values: 'text' },
  { name: 'short', values: 'text' },
  { name: 'text', values: 'compact' },
  { name: 'short', values: 'compact' },
  { name: 'text', values: 'short' },
  shortest,
];

function formed(table: Table, { name, values }: Form): Table {
  const formOf = (column: number): Form['values'] => (column === 0 ? name : values);
  return {
    ...table,
    columns: table.columns.map((column, i) =>
      formOf(i) === 'short' ? { ...column, head: column.short ?? column.head } : column,
    ),
    rows: table.rows.map((row) => row.map((cell, i) => ({ ...cell, text: cell[formOf(i)] ?? cell.text }))),
  };
}

/** Half of a table whose rows are known by several columns together would say nothing. */
function isStacked(table: Table, widthColumns: number): boolean {
  return (table.keys ?? 1) > 1 && fold(table, widthColumns).length > 1;
}

/** Each row as a paragraph: what it is about, then the rest of its cells, a line each. */
function stacked(table: Table, options: TerminalOptions): string {
  const { keys = 1, columns, rows } = table;
  const tones = tonesOf(options);
  const lineOf = (cells: readonly Cell[]): string =>
    wrap(cells.map(({ text }) => text).join(', '), options.widthColumns, '  ');
  const valuesOf = (cells: readonly Cell[]): string[] =>
    cells.map(({ text, tone }) => {
      const line = `    ${wrap(text, options.widthColumns - 4, '    ')}`;
      return tone === undefined ? line : tones[tone](line);
    });
  const heads = columns.map(({ head }) => ({ text: head }));
  return [heads, ...rows].flatMap((row) => [lineOf(row.slice(0, keys)), ...valuesOf(row.slice(keys))]).join('\n');
}

/**
 * Splits a table's columns into parts that fit the width, each beginning with the first column. Returns column
 * numbers.
 */
function fold(table: Table, widthColumns: number): number[][] {
  const widths = table.columns.map((_, i) => columnWidth(table, i));
  const first = widths[0] ?? 0;
  const parts: number[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (let i = 1; i < widths.length; i++) {
    const width = GAP.length + (widths[i] ?? 0);
    if (used + width > widthColumns) {
      parts.push([0]);
      used = first;
    }
    parts.at(-1)?.push(i);
    used += width;
  }
  return parts;
}

function columnWidth({ columns, rows }: Table, index: number): number {
  return Math.max(columns[index]?.head.length ?? 0, ...rows.map((row) => row[index]?.text.length ?? 0));
}

function drawColumns(table: Table, indexes: readonly number[], options: TerminalOptions): string {
  const tones = tonesOf(options);
  const draw = (cells: readonly Cell[]): string =>
    indexes
      .map((index) => {
        const cell = cells[index] ?? { text: '' };
        const text = pad(cell.text, columnWidth(table, index), table.columns[index]);
        return cell.tone === undefined ? text : tones[cell.tone](text);
      })
      .join(GAP)
      .trimEnd();
  const heads = draw(table.columns.map(({ head }) => ({ text: head })));
  const rule = indexes.map((index) => '-'.repeat(columnWidth(table, index))).join(GAP);
  return [heads, rule, ...table.rows.map(draw)].join('\n');
}

function tonesOf({ colour }: TerminalOptions): Readonly<Record<Tone, (text: string) => string>> {
  const colours = pc.createColors(colour);
  return { good: colours.green, bad: colours.red, dim: colours.dim };
}

function pad(text: string, width: number, column: Column | undefined): string {
  return column?.align === 'right' ? text.padStart(width) : text.padEnd(width);
}

/** Breaks a text at spaces; lines after the first begin with the indent. A word longer than a line is left whole. */
function wrap(text: string, widthColumns: number, indent: string): string {
  const lines: string[] = [];
  let line = '';
  // A number keeps its percent sign.
  for (const word of text.split(/ (?!%)/)) {
    if (line !== '' && line.length + 1 + word.length > widthColumns) {
      lines.push(line);
      line = indent + word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join('\n');
}
