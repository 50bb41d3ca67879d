import type { ExitCode } from '../../base/errors.ts';
import { type Journal, readJournal } from '../../journal/journal.ts';
import { aggregateRun } from '../../judge/read/aggregate-run.ts';
import { withControl } from '../../judge/read/other-control.ts';
import { type Summary, summarize } from '../../judge/summary.ts';
import { folderOf, runFolderAt } from '../../measure/run/run-folder.ts';
import type { ExportFormat } from '../../report/exports/export-formats.ts';
import { exportRun } from '../../report/exports/export-run.ts';
import { type ReportIo, type Shown, showReport } from '../show-report.ts';
import { finishSession, requireGatesOf } from './gates.ts';

/** A run to be judged: its folder, or its journal. */
export interface ReportedRun extends Shown {
  readonly run: string;
  /** Prints the run for another program, and writes no files. */
  readonly format?: ExportFormat | undefined;
  /** A variant that takes the place of the planned control. */
  readonly control?: string | undefined;
}

/** Arguments of a thread that judges a run. */
export type AskedReport = ReportedRun & Pick<ReportIo, 'outColour' | 'outWidthColumns'>;

/**
 * Judges a run from its journal, and rewrites its report files and prints it, or prints it for another program. Returns the
 * command's exit code. Throws PgsweepError.
 */
export async function reportRun({ run, format, control, ...shown }: ReportedRun, io: ReportIo): Promise<ExitCode> {
  const { gates } = shown;
  const folder = folderOf(run);
  const planned = readJournal(runFolderAt(folder).journal);
  const journal = control === undefined ? planned : withControl(planned, control);
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
    io.err('The session is unfit: do not trust differences in these numbers. `pgsweep report` says why.\n');
  }
  return summary;
}
