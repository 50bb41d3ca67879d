import { basename, dirname, join, resolve } from 'node:path';
import type { RunData } from '../judge/read/run-data.ts';
import type { Summary } from '../judge/summary.ts';
import { COMMENTS_FILE, readComments } from './comments.ts';
import { documentOf } from './document.ts';
import { drawCharts } from './formats/chart.ts';
import type { ReportContent } from './formats/format.ts';
import { drawnVariants, picturesOf } from './pictures/pictures.ts';
import { readSamples } from './read-samples.ts';

/** Everything that a report shows of a run: what was judged, and what stands in its folder besides the journal. */
export function reportContent(runFolder: string, data: RunData, summary: Summary): ReportContent {
  const samples = readSamples(runFolder, data, drawnVariants(data, summary));
  const pictures = picturesOf(data, summary, samples);
  return {
    scenario: data.scenario,
    summary,
    document: documentOf(summary),
    pictures,
    charts: drawCharts(pictures, summary),
    folder: nameOfFolder(runFolder),
    comments: readComments(join(runFolder, COMMENTS_FILE)),
  };
}

/** Where a run lies, for those who read its report elsewhere: what is above tells them nothing. */
function nameOfFolder(runFolder: string): string {
  const path = resolve(runFolder);
  const [above, own] = [basename(dirname(path)), basename(path)];
  return above === RESULTS ? `${above}/${own}` : own;
}

/** The folder of runs, by default. */
const RESULTS = 'results';
