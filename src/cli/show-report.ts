import type { Summary } from '../analysis/summary.ts';
import { documentOf } from '../report/document.ts';
import { renderTerminal } from '../report/terminal.ts';
import { summaryJson, writeReport } from '../report/write-report.ts';
import type { Io } from './io.ts';

/** Writes the report files into the run folder and prints the report, or the summary as JSON. */
export async function showReport(
  folder: string,
  summary: Summary,
  { json }: { readonly json: boolean },
  io: Io,
): Promise<void> {
  await writeReport(folder, summary);
  io.out(
    json
      ? summaryJson(summary)
      : renderTerminal(documentOf(summary), { colour: io.outColour, widthColumns: io.outWidthColumns }),
  );
  io.err(`report: ${folder}/report.md, report.html\n`);
}
