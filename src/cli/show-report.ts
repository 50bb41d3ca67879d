import { type Summary, summarize } from '../analysis/summary.ts';
import type { Journal } from '../journal/journal.ts';
import { documentOf } from '../report/document.ts';
import { writeSliceSamples } from '../report/slice-samples.ts';
import { renderTerminal } from '../report/terminal.ts';
import { summaryJson, writeReport } from '../report/write-report.ts';
import type { Io } from './io.ts';

/**
 * Judges a run, writes the report files into its folder and prints the report, or the summary as JSON. Returns the
 * summary.
 */
export async function showReport(
  folder: string,
  journal: Journal,
  { json }: { readonly json: boolean },
  io: Io,
): Promise<Summary> {
  const summary = summarize(journal);
  await writeReport(folder, summary);
  io.out(
    json
      ? summaryJson(summary)
      : renderTerminal(documentOf(summary), { colour: io.outColour, widthColumns: io.outWidthColumns }),
  );
  io.err(`report: ${folder}/report.md, report.html\n`);
  // Last: a disk that has no room for the largest files must not keep the report from anybody.
  writeSliceSamples(folder, journal);
  return summary;
}
