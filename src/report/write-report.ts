import { isAbsolute, join, relative } from 'node:path';
import { writeFileAtomic } from '../base/files/atomic-file.ts';
import { visibleLines } from '../base/visible.ts';
import type { RunData } from '../judge/read/run-data.ts';
import { significantOrNull } from '../judge/stats/rounding.ts';
import type { Summary } from '../judge/summary.ts';
import { COMMENTS_FILE, readComments } from './comments.ts';
import { documentOf, type UnderWay } from './document.ts';
import { drawCharts } from './formats/chart.ts';
import type { ReportContent } from './formats/format.ts';
import * as formats from './formats.ts';
import { drawnVariants, picturesOf } from './pictures/pictures.ts';
import { readSamples } from './read-samples.ts';
import { requireNoLink } from './require-no-link.ts';
import { RUN } from './words/commands.ts';

/**
 * The content of summary.json, for `--json` too: what a terminal would obey stands as `\u001b`. Whole numbers are exact, others
 * have six significant digits: most have them before, and what is copied from a journal gets them here.
 */
export function summaryJson(summary: Summary): string {
  const rounded = (_: string, value: unknown): unknown =>
    typeof value === 'number' && !Number.isInteger(value) ? significantOrNull(value) : value;
  return visibleLines(`${JSON.stringify(summary, rounded, 2)}\n`);
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

/** Everything that a report shows of a run: what was judged, and what stands in its folder besides the journal. */
export function reportContent(
  runFolder: string,
  data: RunData,
  summary: Summary,
  underWay: UnderWay | null = null,
): ReportContent {
  const samples = readSamples(runFolder, data, drawnVariants(data, summary));
  const pictures = picturesOf(data, summary, samples);
  return {
    scenario: data.scenario,
    summary,
    document: documentOf(summary, underWay),
    underWay,
    pictures,
    charts: drawCharts(pictures, summary),
    folder: nameOfFolder(runFolder),
    comments: readComments(join(runFolder, COMMENTS_FILE)),
  };
}

/**
 * The run's folder as a command there takes it, from the working folder. A place elsewhere stands as RUN: a report is read on
 * other machines, and shows no path of this one.
 */
function nameOfFolder(runFolder: string): string {
  const path = relative(process.cwd(), runFolder);
  return path === '' || path.startsWith('..') || isAbsolute(path) ? RUN : path;
}
