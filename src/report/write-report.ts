import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Summary } from '../analysis/summary.ts';
import { averagesCsv, deltasCsv } from './csv.ts';
import { documentOf } from './document.ts';
import { renderMarkdown } from './markdown.ts';

/** The content of summary.json, for `--json` too. */
export function summaryJson(summary: Summary): string {
  return `${JSON.stringify(summary, null, 2)}\n`;
}

/**
 * Writes summary.json, report.md, averages.csv and deltas.csv into a run folder, and returns their paths. Each is
 * written aside and renamed, so that a reader never sees half a file. Throws what the file system throws.
 */
export function writeReport(runFolder: string, summary: Summary): string[] {
  const files: [string, string][] = [
    ['report.md', renderMarkdown(documentOf(summary))],
    ['averages.csv', averagesCsv(summary)],
    ['deltas.csv', deltasCsv(summary)],
    // Last: who waits for the summary finds the others in place.
    ['summary.json', summaryJson(summary)],
  ];
  return files.map(([name, content]) => {
    const file = join(runFolder, name);
    const aside = `${file}.${process.pid}.tmp`;
    writeFileSync(aside, content);
    renameSync(aside, file);
    return file;
  });
}
