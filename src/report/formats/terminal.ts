import pc from 'picocolors';
import type { ReportDocument } from '../document.ts';
import type { Cell, Column, Table, Tone } from '../tables/table.ts';

interface TerminalOptions {
  readonly colour: boolean;
  /** Tables that are wider are folded, and sentences wrapped. */
  readonly widthColumns: number;
}

const GAP = '  ';

/**
 * A report for a terminal: the answer and the tables of the Markdown, aligned. The answer stands at the end again, since
 * that is what is on the screen when a run has ended; legend and provenance are left to the Markdown. Ends in a newline.
 */
export function renderTerminal(report: ReportDocument, options: TerminalOptions): string {
  const colours = pc.createColors(options.colour);
  const wrapped = (text: string, indent = ''): string => wrap(text.replaceAll('`', ''), options.widthColumns, indent);
  const headline = report.headline.map((sentence) => wrapped(sentence, '  ')).join('\n');
  const recommendation = report.recommendation.map((sentence) => wrapped(sentence, '  ')).join('\n');
  const gates = report.gates.map((line) => wrapped(line, '  ')).join('\n');
  const advice = [
    ...(recommendation === '' ? [] : [`${colours.bold('Recommended')}\n${recommendation}`]),
    ...(gates === '' ? [] : [gates]),
  ];
  const blocks = [
    colours.bold(report.title),
    ...report.warnings.map((warning) => colours.yellow(wrapped(`! ${warning}`, '  '))),
    headline,
    ...advice,
    wrapped(report.run),
    ...(report.machine === '' ? [] : [wrapped(report.machine)]),
    ...report.sections.flatMap(({ heading, tables }) => [
      colours.bold(`${heading}\n${'='.repeat(heading.length)}`),
      ...tables.map((table) => renderTable(table, options)),
    ]),
    ...whyBlock(report, options),
    colours.bold(report.title),
    headline,
    ...advice,
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** The short part: what is folded elsewhere is left to the Markdown. */
function whyBlock({ why }: ReportDocument, { colour, widthColumns }: TerminalOptions): string[] {
  if (why === null) return [];
  const colours = pc.createColors(colour);
  const lines = [
    ...why.findings.map(({ text, next }) => wrap(`${text} ${next}`, widthColumns, '  ')),
    ...why.limits.map((line) => wrap(line, widthColumns, '  ')),
  ];
  return [`${colours.bold('Why\n===')}\n${lines.join('\n')}`];
}

function renderTable(table: Table, options: TerminalOptions): string {
  const colours = pc.createColors(options.colour);
  const parts = fold(table, options.widthColumns).map((columns) => drawColumns(table, columns, options));
  const notes = table.notes.map((note) => colours.dim(wrap(note, options.widthColumns, '  ')));
  return [colours.bold(table.title), parts.join('\n\n'), ...notes].join('\n');
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
  const colours = pc.createColors(options.colour);
  const tones: Readonly<Record<Tone, (text: string) => string>> = {
    good: colours.green,
    bad: colours.red,
    dim: colours.dim,
  };
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

function pad(text: string, width: number, column: Column | undefined): string {
  return column?.align === 'right' ? text.padStart(width) : text.padEnd(width);
}

/** Breaks a text at spaces; lines after the first begin with the indent. A word longer than a line is left whole. */
function wrap(text: string, widthColumns: number, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > widthColumns) {
      lines.push(line);
      line = indent + word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join('\n');
}
