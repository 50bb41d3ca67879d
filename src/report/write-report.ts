import { join } from 'node:path';
import type { Summary } from '../analysis/summary.ts';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { drawCharts } from './chart.ts';
import { averagesCsv, deltasCsv } from './csv.ts';
import { documentOf } from './document.ts';
import { renderHtml } from './html.ts';
import { renderMarkdown } from './markdown.ts';

/** The content of summary.json, for `--json` too. */
export function summaryJson(summary: Summary): string {
  return `${JSON.stringify(summary, null, 2)}\n`;
}

/**
 * Writes summary.json, report.md, report.html, averages.csv, deltas.csv and charts/*.svg into a run folder, and returns
 * their paths. A reader never sees half a file. Throws what the file system throws.
 */
export async function writeReport(runFolder: string, summary: Summary): Promise<string[]> {
  const report = documentOf(summary);
  const charts = await drawCharts(summary);
  const files: [string, string][] = [
    ...charts.map(({ name, svg }): [string, string] => [`charts/${name}.svg`, svg]),
    ['report.md', renderMarkdown(report)],
    ['report.html', renderHtml(report, charts)],
    ['averages.csv', averagesCsv(summary)],
    ['deltas.csv', deltasCsv(summary)],
    // Last: who waits for the summary finds the others in place.
    ['summary.json', summaryJson(summary)],
  ];
  return files.map(([name, content]) => {
    const file = join(runFolder, name);
    writeFileAtomic(file, content);
    return file;
  });
}
