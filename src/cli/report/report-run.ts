import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Session } from '../../analysis/judge/session.ts';
import { readJournal } from '../../journal/journal.ts';
import { runFolderAt } from '../../run/run-folder.ts';
import { type ReportIo, showReport } from '../show-report.ts';

/** A run to be judged: its folder, or its journal. */
export interface ReportedRun {
  readonly run: string;
  readonly json: boolean;
}

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
