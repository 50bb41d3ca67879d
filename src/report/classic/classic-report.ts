import { visibleTexts } from '../../base/visible.ts';
import { loadLabel } from '../../journal/load-level.ts';
import { plural } from '../../judge/format.ts';
import type { Summary } from '../../judge/summary.ts';
import { codeBlock, escapeText } from '../formats/escape-text.ts';
import type { ReportContent } from '../formats/format.ts';
import { graphTables } from '../formats/graphs-table.ts';
import { renderComments, renderTable } from '../formats/markdown.ts';
import { left, type Table, textCells } from '../tables/table.ts';
import { provenanceFacts } from '../words/provenance.ts';
import { abBlocks, abSummary } from './ab-text.ts';
import { classicRequestTables, classicTables, classicTwoWays, testRuns } from './classic-tables.ts';

/** The report in the style of those that people wrote by hand. */
export const CLASSIC_FILE = 'classic.md';

/** More blocks than these are too many to read. */
const MOST_BLOCKS = 20;

/**
 * A run as GitHub Markdown in the style of reports that were written by hand: their rows, columns and rounding, and no
 * intervals. Ends in a newline.
 */
export function classicMarkdown({
  summary: asRecorded,
  comments,
  charts,
}: Pick<ReportContent, 'summary' | 'comments' | 'charts'>): string {
  const summary = visibleTexts(asRecorded);
  const twoWays = classicTwoWays(summary);
  const requests = classicRequestTables(summary);
  const lines = abSummary(summary);
  const blocks = [
    `# ${escapeText(summary.run.title)}`,
    '> No intervals: these tables do not show what is real and what is chance. report.md does.',
    ...comments.flatMap(renderComments),
    '## Setup as recorded',
    draw(setUp(summary)),
    '## Results',
    draw(testRuns(summary)),
    ...twoWays.map(draw),
    ...summary.run.loads.flatMap((load) => [
      `### ${escapeText(loadLabel(load))}`,
      ...classicTables(summary, load).map(draw),
    ]),
    ...(requests.length === 0 ? [] : ['### Response times by request', ...requests.map(draw)]),
    ...(lines.length === 0 ? [] : ['### Summary', codeBlock(lines.join('\n'))]),
    ...blocksOf(summary),
    ...(charts.length === 0 ? [] : ['### Graphs', ...graphTables(charts).map(({ markdown }) => markdown)]),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** Names of factors and requests are keys in the summary, where `visibleTexts` leaves them alone. */
function draw(table: Table): string {
  return renderTable(visibleTexts(table));
}

function setUp(summary: Summary): Table {
  return {
    title: 'Setup',
    columns: ['Setting', 'Value'].map(left),
    rows: provenanceFacts(summary).map(textCells),
    notes: [],
  };
}

function blocksOf(summary: Summary): string[] {
  const all = abBlocks(summary);
  const shown = all.slice(0, MOST_BLOCKS).flatMap(({ title, text }) => [`#### ${escapeText(title)}`, codeBlock(text)]);
  const more = all.length - MOST_BLOCKS;
  return more > 0 ? [...shown, `${plural(more, 'block')} more ${more === 1 ? 'is' : 'are'} left out.`] : shown;
}
