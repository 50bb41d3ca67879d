import { join } from 'node:path';
import type { ExitCode } from '../../base/exit-codes.ts';
import { removeUnfinished } from '../../base/files/atomic-file.ts';
import type { Io } from '../io.ts';
import type { ReportIo } from '../show-report.ts';
import { type Bounds, boundedThread } from './bounded-thread.ts';
import { type AskedReport, folderOf, type ReportedRun } from './report-run.ts';

/**
 * Judges a run in a thread that may take a minute of CPU time and less than 1 GB, whatever its journal holds, and returns
 * the command's exit code. Throws PgsweepError, `journal` where it takes more.
 */
export function boundedReport(
  reported: ReportedRun,
  io: ReportIo & Pick<Io, 'signal'>,
  bounds?: Bounds,
): Promise<ExitCode> {
  const asked: AskedReport = { ...reported, outColour: io.outColour, outWidthColumns: io.outWidthColumns };
  const onKilled = (): void => {
    const folder = folderOf(reported.run);
    for (const own of [folder, join(folder, 'charts'), join(folder, 'samples')]) removeUnfinished(own);
  };
  const options = { doing: `judging ${reported.run}`, onKilled, ...(bounds && { bounds }) };
  return boundedThread({ command: 'report', asked }, options, io);
}
