import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Session } from '../../analysis/judge/session.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { readJournal } from '../../journal/journal.ts';
import { runFolderAt } from '../../run/run-folder.ts';
import { type ReportIo, showReport } from '../show-report.ts';

/** A run to be judged: its folder, or its journal. */
export interface ReportedRun {
  readonly run: string;
  readonly json: boolean;
}

/** What a thread that judges a run is asked for. */
export type AskedReport = ReportedRun & Pick<ReportIo, 'outColour' | 'outWidthColumns'>;

/** What it answers. */
export type ToldByReport =
  | { readonly kind: 'out' | 'err'; readonly text: string }
  | { readonly kind: 'done'; readonly verdict: Session['verdict'] }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string; readonly hint: string | undefined };

/** Judges a run from its journal, rewrites its report files and prints it. Returns the session's verdict. Throws PgsweepError. */
export async function reportRun({ run, json }: ReportedRun, io: ReportIo): Promise<Session['verdict']> {
  const folder = folderOf(run);
  const { session } = await showReport(folder, readJournal(runFolderAt(folder).journal), { json }, io);
  return session.verdict;
}

/** The folder of a run that is named by its folder or its journal. */
export function folderOf(run: string): string {
  return statSync(run, { throwIfNoEntry: false })?.isFile() ? dirname(run) : run;
}
