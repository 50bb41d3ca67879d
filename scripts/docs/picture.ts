import type { Summary } from '../../src/judge/summary.ts';
import { documentOf } from '../../src/report/document.ts';
import { changeChart } from '../../src/report/formats/chart.ts';
import { escapeHtml } from '../../src/report/html/escape.ts';

const [WIDTH, MARGIN, LINE] = [820, 28, 24];
/** Of the font below, so that no line is wider than the picture; of small text more. */
const [MOST_CHARACTERS, MOST_SMALL_CHARACTERS] = [96, 118];
const FONT = 'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"';

/** The head of a report as one SVG: the question, the answer, the chart. Drawn without a browser. */
export function reportPicture(summary: Summary): string {
  const { title, headline, run } = documentOf(summary);
  const chart = changeChart(summary);
  if (chart === null) throw new Error('the example run has no chart');
  const answer = headline.flatMap((sentence) => wrapped(`•  ${sentence}`, MOST_CHARACTERS, '   '));
  const below = wrapped(run, MOST_SMALL_CHARACTERS, '');
  const chartAt = Math.round((2.5 + answer.length) * LINE);
  const belowAt = chartAt + sizeOf(chart.svg).height + LINE;
  const height = Math.round(belowAt + (below.length - 0.25) * LINE);
  const texts = [
    `<text x="${MARGIN}" y="${1.5 * LINE}" font-size="19" font-weight="600">${escapeHtml(title)}</text>`,
    ...answer.map((line, place) => textAt(Math.round((2.6 + place) * LINE), 15, '#1f2328', line)),
    ...below.map((line, place) => textAt(belowAt + Math.round(0.8 * place * LINE), 12, '#59636e', line)),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeHtml(`${title}: ${headline.join(' ')}`)}">`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8" fill="white" stroke="#d1d9e0"/>`,
    `<g ${FONT}>${texts.join('\n')}</g>`,
    chart.svg.replace('<svg ', `<svg x="${MARGIN}" y="${chartAt}" `),
    '</svg>\n',
  ].join('\n');
}

function textAt(y: number, size: number, fill: string, text: string): string {
  return `<text x="${MARGIN}" y="${y}" font-size="${size}" fill="${fill}" xml:space="preserve">${escapeHtml(text)}</text>`;
}

/** Broken at spaces; lines after the first begin with the indent. */
function wrapped(text: string, mostCharacters: number, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line.length + word.length >= mostCharacters) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function sizeOf(svg: string): { readonly width: number; readonly height: number } {
  const [, width, height] = /<svg[^>]* width="([\d.]+)"[^>]* height="([\d.]+)"/.exec(svg) ?? [];
  if (width === undefined || height === undefined) throw new Error('the chart does not say how large it is');
  return { width: Number(width), height: Number(height) };
}
