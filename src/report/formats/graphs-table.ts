import { groupBy } from '../../base/group-by.ts';
import type { Chart } from './chart.ts';

const SIDE_BY_SIDE = 2;

export interface GraphTable {
  readonly title: string;
  readonly markdown: string;
}

/**
 * The charts of a run folder, two side by side: a title and a table of GitHub Markdown for each group of them. The first
 * row is the head, which GitHub does not do without.
 */
export function graphTables(charts: readonly Chart[]): GraphTable[] {
  return groupBy(charts, ({ group }) => group).map((own) => {
    const title = harmless(own[0]?.group ?? '');
    return { title, markdown: `**${title}**\n\n${tableOf(own)}` };
  });
}

function tableOf(charts: readonly Chart[]): string {
  const images = charts.map(({ name, title }) => `![${harmless(title)}](charts/${name}.svg)`);
  const rows = Array.from({ length: Math.ceil(images.length / SIDE_BY_SIDE) }, (_, row) =>
    Array.from({ length: SIDE_BY_SIDE }, (_, column) => images[row * SIDE_BY_SIDE + column] ?? ''),
  );
  const [first = '', ...others] = rows.map((cells) => `| ${cells.join(' | ')} |`);
  return [first, `|${' --- |'.repeat(SIDE_BY_SIDE)}`, ...others].join('\n');
}

/** Titles may hold names of variants, which come from users. */
function harmless(title: string): string {
  return title.replace(/[^\p{L}\p{N} ,./%=+-]/gu, ' ').replace(/www\./gi, 'www ');
}
