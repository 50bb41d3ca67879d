import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import type { PgsweepError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files/atomic-file.ts';
import { isUnwritten } from '../base/files/disk.ts';
import type { Journal } from '../journal/journal.ts';
import type { RunRecord } from '../journal/records.ts';
import { scenarioPath } from '../journal/run/scenario-path.ts';
import { aggregateRun } from '../judge/read/aggregate-run.ts';
import { type Summary, summarize } from '../judge/summary.ts';
import type { Asked } from '../judge/verdicts/asked.ts';
import { CLASSIC_FILE, classicMarkdown } from '../report/classic/classic-report.ts';
import { exportRun } from '../report/exports/export-run.ts';
import { renderFirstScreen, renderTerminal } from '../report/formats/terminal.ts';
import { folderAgainst } from '../report/other-control.ts';
import { requireNoLink } from '../report/require-no-link.ts';
import { sampleColumns, writeSliceSamples } from '../report/slice-samples.ts';
import type { SeenScenario } from '../report/words/commands.ts';
import { reportContent, summaryJson, writeReport } from '../report/write-report.ts';
import type { Io } from './io.ts';
import type { ReportStyle } from './report/style-option.ts';

/** Where a report goes. */
export type ReportIo = Pick<Io, 'out' | 'err' | 'outColour' | 'outWidthColumns'>;

/**
 * How to print a report: the first screen, all of it, the summary as JSON, or tables in another style. Gates, and what else
 * the command asks, are judged with the run.
 */
export interface Shown {
  readonly json: boolean;
  readonly full: boolean;
  readonly style: ReportStyle;
  readonly gates: Asked;
}

/**
 * Judges a run, writes the report files into its folder and prints the report, or the summary as JSON. A report against
 * another control than the planned one goes into its own folder there, and the run's own stays. Returns the summary. Throws PgsweepError `disk` or `usage`, once the report is printed, where the
 * files cannot be written.
 */
export async function showReport(
  folder: string,
  journal: Journal,
  { json, full, style, gates }: Shown,
  io: ReportIo,
): Promise<Summary> {
  const columns = sampleColumns();
  const data = aggregateRun(journal, { alsoSee: columns.see });
  const { control, plannedControl } = data.scenario;
  const isOwn = plannedControl === undefined;
  const out = isOwn ? folder : folderAgainst(folder, control);
  const summary = summarize(journal, data, gates);
  const content = reportContent(folder, data, summary);
  if (!isOwn) requireNoLink(folder, basename(out));
  const unwritten = await writeReport(out, content).then(() => null, unwrittenOf);
  const options = {
    colour: io.outColour,
    widthColumns: io.outWidthColumns,
    folder: shortPath(folder),
    ...seenScenario(journal.run),
    ...(!isOwn && { against: { control, folder: shortPath(out) } }),
  };
  const classic = style === 'classic' ? classicMarkdown(content) : null;
  const isFirstScreen = !json && classic === null && !full;
  // If the files could not be written, the screen shows the whole report.
  const render = full || unwritten !== null ? renderTerminal : renderFirstScreen;
  if (json) io.out(summaryJson(summary));
  else io.out(classic ?? render(content.document, options));
  if (unwritten !== null) throw unwritten;
  if (classic !== null) writeFileAtomic(join(out, CLASSIC_FILE), classic);
  // The first screen ends with where the rest is.
  if (!isFirstScreen) io.err(`report: ${out}/report.md, report.html${classic === null ? '' : `, ${CLASSIC_FILE}`}\n`);
  // Last: a disk that has no room for the largest files must not keep the report from anybody.
  writeFileAtomic(join(out, 'metrics.csv'), exportRun(data, summary, 'metrics'));
  // Slices are the same, whatever they are compared with.
  if (isOwn) writeSliceSamples(folder, journal, columns);
  return summary;
}

/** The scenario's file for commands, where the run was started in another folder of this machine. */
function seenScenario(run: RunRecord): { readonly scenario?: SeenScenario } {
  const { startedIn, scenario } = run;
  const path = scenarioPath(run);
  if (startedIn === undefined || startedIn === process.cwd() || !existsSync(path)) return {};
  return { scenario: { file: scenario.file, here: shortPath(path) } };
}

/** As seen from the working folder, if it lies in it. */
function shortPath(path: string): string {
  const own = relative(process.cwd(), path);
  return own === '' || own.startsWith('..') ? path : own;
}

function unwrittenOf(error: unknown): PgsweepError {
  if (isUnwritten(error)) return error;
  throw error;
}
