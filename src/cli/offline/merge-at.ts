import { type ExitCode, PgsweepError } from '../../base/errors.ts';
import { writeJournal } from '../../journal/file/write-journal.ts';
import { readJournal } from '../../journal/journal.ts';
import { mergedJournal } from '../../judge/between-runs/merge/merge-shards.ts';
import { shardsOfOnePlan } from '../../judge/between-runs/merge/one-plan.ts';
import { createRunFolder, folderOf, removeUnused, runFolderAt } from '../../measure/run/run-folder.ts';
import { warningWords } from '../../report/words/remedies.ts';
import { finishSession, requireGatesOf } from '../report/gates.ts';
import { type ReportIo, type Shown, showReport } from '../show-report.ts';

/** Shards to be merged. */
export interface AskedMerge extends Shown {
  /** Folders, or journals. */
  readonly runs: readonly string[];
  /** The folder of the run that they become. */
  readonly out: string;
}

/** Arguments of a thread that merges. */
export type MergeInThread = AskedMerge & Pick<ReportIo, 'outColour' | 'outWidthColumns'>;

/**
 * Puts the rounds of shards together into one run, writes its folder and prints its report. Returns the command's exit code.
 * Throws PgsweepError, and then leaves no folder.
 */
export async function mergeAt({ runs, out, ...shown }: AskedMerge, io: ReportIo): Promise<ExitCode> {
  const given = runs.map((place) => ({ place, journal: readJournal(runFolderAt(folderOf(place)).journal) }));
  const shards = shardsOfOnePlan(given);
  requireGatesOf(shown.gates, shards[0].journal.run.scenario);
  for (const text of shards.flatMap(({ journal }) => journal.warnings))
    io.err(`warning: ${warningWords({ kind: 'journal', text })}\n`);
  const folder = createRunFolder(out);
  try {
    writeJournal(folder.journal, mergedJournal(shards));
  } catch (error) {
    removeUnused(folder.made);
    // A record from elsewhere may be nested as deep as its line is long.
    throw error instanceof RangeError
      ? new PgsweepError('journal', `a record is nested too deeply: ${error.message}`)
      : error;
  }
  return finishSession(await showReport(folder.path, readJournal(folder.journal), shown, io), io);
}
