import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ExitCode } from '../../base/errors.ts';
import { type Journal, readJournal } from '../../journal/journal.ts';
import { aggregateRun } from '../../judge/read/aggregate-run.ts';
import { type Summary, summarize } from '../../judge/summary.ts';
import { runFolderAt } from '../../measure/run/run-folder.ts';
import { type ExportFormat, exportRun } from '../../report/exports/export-run.ts';
import { type ReportIo, type Shown, showReport } from '../show-report.ts';
import { finishSession, requireGatesOf } from './gate-option.ts';

/** A run to be judged: its folder, or its journal. */
export interface ReportedRun extends Shown {
  readonly run: string;
  /** For another program, and no files. */
  readonly format?: ExportFormat | undefined;
}

/** Arguments of a thread that judges a run. */
export type AskedReport = ReportedRun & Pick<ReportIo, 'outColour' | 'outWidthColumns'>;

/**
 * Judges a run from its journal, and rewrites its report files and prints it, or prints it for another program. Returns the
 * command's exit code. Throws PgsweepError.
 */
export async function reportRun({ run, format, ...shown }: ReportedRun, io: ReportIo): Promise<ExitCode> {
  const { gates } = shown;
  const folder = folderOf(run);
  const journal = readJournal(runFolderAt(folder).journal);
  requireGatesOf(gates, journal.run.scenario);
  const summary =
    format === undefined ? await showReport(folder, journal, shown, io) : printExport(journal, { format, gates }, io);
  return finishSession(summary, io);
}

interface ExportChoice extends Pick<Shown, 'gates'> {
  readonly format: ExportFormat;
}

function printExport(journal: Journal, { format, gates }: ExportChoice, io: ReportIo): Summary {
  const data = aggregateRun(journal);
  const summary = summarize(journal, data, gates);
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
