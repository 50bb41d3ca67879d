import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Session } from '../../analysis/judge/session.ts';
import { aggregateRun } from '../../analysis/read/aggregate-run.ts';
import { type Summary, summarize } from '../../analysis/summary.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { type Journal, readJournal } from '../../journal/journal.ts';
import { type ExportFormat, exportRun } from '../../report/exports/export-run.ts';
import { runFolderAt } from '../../run/run-folder.ts';
import { type ReportIo, type Shown, showReport } from '../show-report.ts';

/** A run to be judged: its folder, or its journal. */
export interface ReportedRun extends Shown {
  readonly run: string;
  /** For another program, and no files. */
  readonly format?: ExportFormat | undefined;
}

/** What a thread that judges a run is asked for. */
export type AskedReport = ReportedRun & Pick<ReportIo, 'outColour' | 'outWidthColumns'>;

/** What it answers. */
export type ToldByReport =
  | { readonly kind: 'out' | 'err'; readonly text: string }
  | { readonly kind: 'done'; readonly verdict: Session['verdict'] }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string; readonly hint: string | undefined };

/**
 * Judges a run from its journal, and rewrites its report files and prints it, or prints it for another program. Returns the
 * session's verdict. Throws PgsweepError.
 */
export async function reportRun({ run, format, ...shown }: ReportedRun, io: ReportIo): Promise<Session['verdict']> {
  const folder = folderOf(run);
  const journal = readJournal(runFolderAt(folder).journal);
  const { session } =
    format === undefined ? await showReport(folder, journal, shown, io) : printExport(journal, format, io);
  return session.verdict;
}

function printExport(journal: Journal, format: ExportFormat, io: ReportIo): Summary {
  const data = aggregateRun(journal);
  const summary = summarize(journal, data);
  io.out(exportRun(data, summary, format));
  if (summary.session.verdict === 'unfit') {
    io.err(
      'the session is unfit, so that no difference in these numbers is to be believed; `pgsweep report` says why\n',
    );
  }
  return summary;
}

/** The folder of a run that is named by its folder or its journal. */
export function folderOf(run: string): string {
  return statSync(run, { throwIfNoEntry: false })?.isFile() ? dirname(run) : run;
}
