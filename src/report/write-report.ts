import { join } from 'node:path';
import { writeFileAtomic } from '../base/files/atomic-file.ts';
import { visibleLines } from '../base/visible.ts';
import type { Summary } from '../judge/summary.ts';
import type { ReportContent } from './formats/format.ts';
import * as formats from './formats.ts';
import { requireNoLink } from './require-no-link.ts';

/** The content of summary.json, for `--json` too: what a terminal would obey stands as `\u001b`. */
export function summaryJson(summary: Summary): string {
  return visibleLines(`${JSON.stringify(summary, null, 2)}\n`);
}

/**
 * Writes every format of the report, charts/*.svg and summary.json into a run folder, and returns their paths. A reader
 * never sees half a file. Throws PgsweepError `journal` where the folder leads elsewhere by a link, and what the file
 * system throws.
 */
export async function writeReport(runFolder: string, content: ReportContent): Promise<string[]> {
  requireNoLink(runFolder, 'charts');
  const files: [string, string][] = [
    ...content.charts.map(({ name, svg }): [string, string] => [`charts/${name}.svg`, svg]),
    ...Object.values(formats).map(({ file, render }): [string, string] => [file, render(content)]),
    // Last: who waits for the summary finds the others in place.
    ['summary.json', summaryJson(content.summary)],
  ];
  return files.map(([name, content]) => {
    const file = join(runFolder, name);
    writeFileAtomic(file, content);
    return file;
  });
}
