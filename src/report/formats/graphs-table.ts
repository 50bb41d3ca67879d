import type { Chart } from './chart.ts';

const SIDE_BY_SIDE = 2;

/** The charts of a run folder side by side, as a table of GitHub Markdown whose head is the first row. */
export function graphsTable(charts: readonly Chart[]): string {
  const images = charts.map(({ name, title }) => `![${altText(title)}](charts/${name}.svg)`);
  const rows = Array.from({ length: Math.ceil(images.length / SIDE_BY_SIDE) }, (_, row) =>
    Array.from({ length: SIDE_BY_SIDE }, (_, column) => images[row * SIDE_BY_SIDE + column] ?? ''),
  );
  const [first = [], ...others] = rows.map((cells) => `| ${cells.join(' | ')} |`);
  return [first, `|${' --- |'.repeat(SIDE_BY_SIDE)}`, ...others].join('\n');
}

/** Titles may hold names of variants, which are anybody's. */
function altText(title: string): string {
  return title.replace(/[^\p{L}\p{N} ,.:/%=+-]/gu, ' ');
}
